"""Layer 4: the scikit-learn face."""

from graphpac.estimators._estimate import estimate, estimate_fit
from graphpac.estimators._gpac import GPAC
from graphpac.estimators._spherical_kmeans import SphericalKMeans

__all__ = ["GPAC", "SphericalKMeans", "estimate", "estimate_fit"]
