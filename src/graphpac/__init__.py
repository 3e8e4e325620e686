"""Graph Probability Aggregation Clustering: fuzzy clusters on a nearest-neighbor graph.

>>> from graphpac import GPAC
>>> model = GPAC(n_clusters=10, random_state=0).fit(X)  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphpac._lazy import lazy_names

if TYPE_CHECKING:
    from graphpac import datasets, exceptions, methods, metrics
    from graphpac.baselines import (
        FINCH,
        PAC,
        RCC,
        BalancedFuzzyGraph,
        FuzzyCMeans,
        KSums,
        NeighborSpectralClustering,
        SCANHead,
        SelfCSC,
        SphericalKMeans,
    )
    from graphpac.estimators import GPAC, NeighborTransformer, estimate, estimate_fit
    from graphpac.graph import NeighborGraph, build_neighbor_graph
    from graphpac.graph.searchers import RememberingSearcher
    from graphpac.models import load, save
    from graphpac.planning import Calibration, Estimate
    from graphpac.selection import Suggestion, suggest_n_clusters
    from graphpac.solvers import SolverOptions

    __version__: str

_HOMES = {
    "BalancedFuzzyGraph": "graphpac.baselines",
    "Calibration": "graphpac.planning",
    "Estimate": "graphpac.planning",
    "FINCH": "graphpac.baselines",
    "FuzzyCMeans": "graphpac.baselines",
    "GPAC": "graphpac.estimators",
    "KSums": "graphpac.baselines",
    "NeighborGraph": "graphpac.graph",
    "NeighborSpectralClustering": "graphpac.baselines",
    "NeighborTransformer": "graphpac.estimators",
    "PAC": "graphpac.baselines",
    "RCC": "graphpac.baselines",
    "RememberingSearcher": "graphpac.graph.searchers",
    "SCANHead": "graphpac.baselines",
    "SelfCSC": "graphpac.baselines",
    "SolverOptions": "graphpac.solvers",
    "SphericalKMeans": "graphpac.baselines",
    "Suggestion": "graphpac.selection",
    "build_neighbor_graph": "graphpac.graph",
    "estimate": "graphpac.estimators",
    "estimate_fit": "graphpac.estimators",
    "load": "graphpac.models",
    "save": "graphpac.models",
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


_get, __dir__ = lazy_names(globals(), _HOMES)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"graphpac.{name}")
    if name == "__version__":
        globals()[name] = _installed_version()
        return globals()[name]
    return _get(name)


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("graphpac")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"
