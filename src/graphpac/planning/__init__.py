"""What a fit will take, told before it begins: memory and time of each phase."""

from graphpac.planning.available import available_memory
from graphpac.planning.calibration import Calibration
from graphpac.planning.estimate import Estimate
from graphpac.planning.workload import Data, Workload

__all__ = ["Calibration", "Data", "Estimate", "Workload", "available_memory"]
