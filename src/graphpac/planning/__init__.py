"""What a fit will take, told before it begins: memory and time of each stage."""

from graphpac.graph.data_size import DataSize
from graphpac.planning.available import available_memory
from graphpac.planning.calibration import Calibration
from graphpac.planning.estimate import Estimate
from graphpac.planning.gpac import gpac_costs
from graphpac.planning.workload import Workload

__all__ = ["Calibration", "DataSize", "Estimate", "Workload", "available_memory", "gpac_costs"]
