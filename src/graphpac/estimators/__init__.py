"""Layer 4: the scikit-learn face."""

from graphpac.estimators._balanced_fuzzy_graph import BalancedFuzzyGraph
from graphpac.estimators._estimate import estimate, estimate_fit
from graphpac.estimators._finch import FINCH
from graphpac.estimators._fuzzy_cmeans import FuzzyCMeans
from graphpac.estimators._gpac import GPAC
from graphpac.estimators._ksums import KSums
from graphpac.estimators._loaded import LoadedClusterer
from graphpac.estimators._neighbor_transformer import NeighborTransformer
from graphpac.estimators._pac import PAC
from graphpac.estimators._rcc import RCC
from graphpac.estimators._saved import SavedModel, load, save
from graphpac.estimators._scan import SCANHead
from graphpac.estimators._self_csc import SelfCSC
from graphpac.estimators._spectral import NeighborSpectralClustering
from graphpac.estimators._spherical_kmeans import SphericalKMeans

__all__ = [
    "FINCH",
    "GPAC",
    "PAC",
    "RCC",
    "BalancedFuzzyGraph",
    "FuzzyCMeans",
    "KSums",
    "LoadedClusterer",
    "NeighborSpectralClustering",
    "NeighborTransformer",
    "SCANHead",
    "SavedModel",
    "SelfCSC",
    "SphericalKMeans",
    "estimate",
    "estimate_fit",
    "load",
    "save",
]
