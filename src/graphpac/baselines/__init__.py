"""The methods GPAC is compared with, as estimators of the same kind; each loads on first use."""

from typing import TYPE_CHECKING

from graphpac._lazy import lazy_names

if TYPE_CHECKING:
    from graphpac.baselines._balanced_fuzzy_graph import BalancedFuzzyGraph
    from graphpac.baselines._finch import FINCH
    from graphpac.baselines._fuzzy_cmeans import FuzzyCMeans
    from graphpac.baselines._ksums import KSums
    from graphpac.baselines._pac import PAC
    from graphpac.baselines._rcc import RCC
    from graphpac.baselines._scan import SCANHead
    from graphpac.baselines._self_csc import SelfCSC
    from graphpac.baselines._spectral import NeighborSpectralClustering
    from graphpac.baselines._spherical_kmeans import SphericalKMeans

__all__ = [
    "FINCH",
    "PAC",
    "RCC",
    "BalancedFuzzyGraph",
    "FuzzyCMeans",
    "KSums",
    "NeighborSpectralClustering",
    "SCANHead",
    "SelfCSC",
    "SphericalKMeans",
]

__getattr__, __dir__ = lazy_names(
    globals(),
    {
        "BalancedFuzzyGraph": "graphpac.baselines._balanced_fuzzy_graph",
        "FINCH": "graphpac.baselines._finch",
        "FuzzyCMeans": "graphpac.baselines._fuzzy_cmeans",
        "KSums": "graphpac.baselines._ksums",
        "NeighborSpectralClustering": "graphpac.baselines._spectral",
        "PAC": "graphpac.baselines._pac",
        "RCC": "graphpac.baselines._rcc",
        "SCANHead": "graphpac.baselines._scan",
        "SelfCSC": "graphpac.baselines._self_csc",
        "SphericalKMeans": "graphpac.baselines._spherical_kmeans",
    },
)
