"""Affinity propagation of scikit-learn, kept from sizes it cannot handle."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.cluster import AffinityPropagation

MOST_SAMPLES = 15_000  # three float64 matrices with a cell for every pair: 5.4 GB


class SmallAffinityPropagation(AffinityPropagation):  # type: ignore[misc]
    """scikit-learn's AffinityPropagation, which refuses more rows than it has memory for.

    Its time and memory grow with the square of the number of rows.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X, at most 15,000 of them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            As scikit-learn takes it.
        y : ignored
            Present by convention.

        Returns
        -------
        self
            Fitted.
        """
        n_samples = np.shape(X)[0]
        if n_samples > MOST_SAMPLES:
            needed = 3 * 8 * n_samples**2 / 1e9
            msg = (
                f"affinity propagation of {n_samples:,} samples needs three matrices with a cell "
                f"for every pair, {needed:,.0f} GB: pass at most {MOST_SAMPLES:,} samples, or use "
                "GPAC or FINCH, which need no such matrix."
            )
            raise ValueError(msg)
        super().fit(X, y)
        return self
