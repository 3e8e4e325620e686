"""Layer 3: the method itself. Knows graphs, not estimators."""

from graphpac.kernels._jit import must_compile
from graphpac.solvers.candidates import Candidate
from graphpac.solvers.gpac import Callback, one_cluster_each, solve_gpac
from graphpac.solvers.options import Problem, SolverOptions
from graphpac.solvers.partition import ClusterSizes, find_partition
from graphpac.solvers.result import IterationRecord, SolverResult
from graphpac.solvers.snapshot import Recorder, Snapshot
from graphpac.solvers.start import Start, make_start

__all__ = [
    "Callback",
    "Candidate",
    "ClusterSizes",
    "IterationRecord",
    "Problem",
    "Recorder",
    "Snapshot",
    "SolverOptions",
    "SolverResult",
    "Start",
    "find_partition",
    "make_start",
    "must_compile",
    "one_cluster_each",
    "solve_gpac",
]
