"""Layer 4: the scikit-learn face."""

from graphpac.estimators._estimate import estimate, estimate_fit
from graphpac.estimators._gpac import GPAC

__all__ = ["GPAC", "estimate", "estimate_fit"]
