"""Graph Probability Aggregation Clustering: fuzzy clusters on a nearest-neighbor graph.

>>> from graphpac import GPAC
>>> model = GPAC(n_clusters=10, random_state=0).fit(X)  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphpac import datasets, exceptions, methods, metrics
    from graphpac.estimators import (
        FINCH,
        GPAC,
        PAC,
        RCC,
        BalancedFuzzyGraph,
        FuzzyCMeans,
        KSums,
        NeighborSpectralClustering,
        NeighborTransformer,
        SCANHead,
        SelfCSC,
        SphericalKMeans,
        estimate,
        estimate_fit,
        load,
        save,
    )
    from graphpac.graph import NeighborGraph, build_neighbor_graph
    from graphpac.graph.searchers import RememberingSearcher
    from graphpac.planning import Calibration, Estimate
    from graphpac.selection import Suggestion, suggest_n_clusters
    from graphpac.solvers import SolverOptions

    __version__: str

# Public names load on first use: the solver's dependencies take seconds to
# import, which a program that only asks for the version should not pay.
_HOMES = {
    "BalancedFuzzyGraph": "graphpac.estimators",
    "Calibration": "graphpac.planning",
    "Estimate": "graphpac.planning",
    "FINCH": "graphpac.estimators",
    "FuzzyCMeans": "graphpac.estimators",
    "GPAC": "graphpac.estimators",
    "KSums": "graphpac.estimators",
    "NeighborGraph": "graphpac.graph",
    "NeighborSpectralClustering": "graphpac.estimators",
    "NeighborTransformer": "graphpac.estimators",
    "PAC": "graphpac.estimators",
    "RCC": "graphpac.estimators",
    "RememberingSearcher": "graphpac.graph.searchers",
    "SCANHead": "graphpac.estimators",
    "SelfCSC": "graphpac.estimators",
    "SolverOptions": "graphpac.solvers",
    "SphericalKMeans": "graphpac.estimators",
    "Suggestion": "graphpac.selection",
    "build_neighbor_graph": "graphpac.graph",
    "estimate": "graphpac.estimators",
    "estimate_fit": "graphpac.estimators",
    "load": "graphpac.estimators",
    "save": "graphpac.estimators",
    "suggest_n_clusters": "graphpac.selection",
}
# The last two bear names of other packages, so a star import does not bring them.
_SUBMODULES = {"datasets", "exceptions", "methods", "metrics", "bertopic", "sc"}

__all__ = [
    "FINCH",
    "GPAC",
    "PAC",
    "RCC",
    "BalancedFuzzyGraph",
    "Calibration",
    "Estimate",
    "FuzzyCMeans",
    "KSums",
    "NeighborGraph",
    "NeighborSpectralClustering",
    "NeighborTransformer",
    "RememberingSearcher",
    "SCANHead",
    "SelfCSC",
    "SolverOptions",
    "SphericalKMeans",
    "Suggestion",
    "__version__",
    "build_neighbor_graph",
    "datasets",
    "estimate",
    "estimate_fit",
    "exceptions",
    "load",
    "methods",
    "metrics",
    "save",
    "suggest_n_clusters",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _SUBMODULES:
        value = import_module(f"graphpac.{name}")
    elif name == "__version__":
        value = _installed_version()
    else:
        msg = f"module 'graphpac' has no attribute {name!r}; it offers: {', '.join(__all__)}."
        raise AttributeError(msg)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("graphpac")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"
