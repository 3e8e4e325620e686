"""Layer 6: the scikit-learn face of the method."""

from graphpac.estimators._estimate import estimate, estimate_fit
from graphpac.estimators._gpac import GPAC, connect_rows
from graphpac.estimators._neighbor_transformer import NeighborTransformer

__all__ = ["GPAC", "NeighborTransformer", "connect_rows", "estimate", "estimate_fit"]
