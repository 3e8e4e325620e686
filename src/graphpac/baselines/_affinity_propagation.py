"""Affinity propagation of scikit-learn, kept from sizes it cannot handle."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import AffinityPropagation

_LARGEST = 1e150
MOST_SAMPLES = 15_000  # three float64 matrices with a cell for every pair: 5.4 GB


class SmallAffinityPropagation(AffinityPropagation):  # type: ignore[misc]
    """scikit-learn's AffinityPropagation, which refuses more rows than it has memory for.

    Its time and memory grow with the square of the number of rows.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X, at most 15,000 of them."""
        n_samples = np.shape(X)[0]
        if n_samples > MOST_SAMPLES:
            needed = 3 * 8 * n_samples**2 / 1e9
            msg = (
                f"affinity propagation of {n_samples:,} samples needs three matrices with a cell "
                f"for every pair, {needed:,.0f} GB: pass at most {MOST_SAMPLES:,} samples, or use "
                "GPAC or FINCH, which need no such matrix."
            )
            raise ValueError(msg)
        super().fit(_with_squares(X), y)
        return self


def _with_squares(X: Any) -> Any:
    """Return floats as float64; refuse those whose squares are no numbers, or all zero."""
    X = X if sp.issparse(X) else np.asarray(X)
    if X.dtype.kind != "f":
        return X
    X = X.astype(np.float64, copy=False)
    largest = float(abs(X).max()) if X.shape[0] else 0.0
    if _LARGEST < largest < np.inf or 0.0 < largest < 1.0 / _LARGEST:
        msg = (
            f"the largest value of X is {largest:g}, the square of which float64 cannot hold: "
            "multiply X by a number that brings it to about 1."
        )
        raise ValueError(msg)
    return X
