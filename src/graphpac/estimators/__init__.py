"""Layer 6: the scikit-learn face of the method."""

from graphpac.estimators._estimate import estimate, estimate_fit
from graphpac.estimators._gpac import GPAC
from graphpac.estimators._neighbor_transformer import NeighborTransformer

__all__ = ["GPAC", "NeighborTransformer", "estimate", "estimate_fit"]
