"""How fuzzy a clustering is, from its memberships alone."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def fuzzy_partition_coefficient(memberships: Any, *, normalized: bool = False) -> float:
    """Return Bezdek's partition coefficient: the mean over samples of sum_j p_ij^2.

    Parameters
    ----------
    memberships : array-like or sparse matrix of shape (n_samples, n_clusters)
        Rows are non-negative and sum to 1.
    normalized : bool, default=False
        Map the range [1/c, 1] to [0, 1], so that different numbers of clusters c
        can be compared; 1 for a single cluster.

    Returns
    -------
    float
        1 for a hard clustering, 1/c (or 0) when every row is uniform.
    """
    entries, n_samples, n_clusters = _entries(memberships)
    coefficient = float(np.square(entries).sum() / n_samples)
    if not normalized:
        return coefficient
    return 1.0 if n_clusters == 1 else (n_clusters * coefficient - 1.0) / (n_clusters - 1.0)


def fuzzy_partition_entropy(memberships: Any, *, normalized: bool = False) -> float:
    """Return Bezdek's partition entropy: the mean over samples of -sum_j p_ij ln p_ij.

    Parameters
    ----------
    memberships : array-like or sparse matrix of shape (n_samples, n_clusters)
        Rows are non-negative and sum to 1.
    normalized : bool, default=False
        Divide by ln c, so that the range is [0, 1]; 0 for a single cluster.

    Returns
    -------
    float
        0 for a hard clustering, ln c (or 1) when every row is uniform.
    """
    entries, n_samples, n_clusters = _entries(memberships)
    positive = entries[entries > 0.0]
    # Rounding can leave a hard row at 1 + 1e-7, whose term would make the sum negative.
    entropy = max(0.0, float(-(positive * np.log(positive)).sum() / n_samples))
    if not normalized:
        return entropy
    return 0.0 if n_clusters == 1 else entropy / float(np.log(n_clusters))


def _entries(memberships: Any) -> tuple[NDArray[np.float64], int, int]:
    """Return the stored memberships in float64 and the shape; absent entries are zeros."""
    matrix = memberships.tocsr() if sp.issparse(memberships) else np.asarray(memberships)
    if matrix.ndim != 2 or 0 in matrix.shape:
        msg = (
            f"memberships has shape {matrix.shape} but must be (n_samples, n_clusters), "
            "both at least 1."
        )
        raise ValueError(msg)
    row_sums = np.asarray(matrix.sum(axis=1, dtype=np.float64)).ravel()
    stored: Any = matrix.data if sp.issparse(matrix) else matrix.ravel()
    entries = np.asarray(stored, dtype=np.float64)
    # Written so that NaN fails too.
    if not (np.all(entries >= 0.0) and np.allclose(row_sums, 1.0, rtol=0.0, atol=1e-3)):
        msg = (
            f"memberships must be non-negative with rows that sum to 1, got entries from "
            f"{entries.min(initial=0.0):.4g} and row sums from {row_sums.min():.4g} to "
            f"{row_sums.max():.4g}: divide each row by its sum."
        )
        raise ValueError(msg)
    return entries, int(matrix.shape[0]), int(matrix.shape[1])
