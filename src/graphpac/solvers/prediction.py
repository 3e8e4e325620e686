"""Memberships of new samples from those of their neighbors."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from graphpac._typing import FloatMatrix, IntMatrix


def average_memberships(
    indices: IntMatrix, weights: FloatMatrix, memberships: sp.csr_matrix
) -> sp.csr_matrix:
    """Average the memberships of each row's neighbors; a row without neighbors is uniform.

    Parameters
    ----------
    indices : int32 array of shape (n_queries, n_neighbors)
        Fitted samples, -1 for none.
    weights : float32 array of shape (n_queries, n_neighbors)
        Row-normalized weights, ignored where there is no neighbor.
    memberships : CSR matrix of shape (n_samples, n_clusters)

    Returns
    -------
    memberships : float32 CSR matrix of shape (n_queries, n_clusters)
        Rows sum to one.
    """
    n_queries = indices.shape[0]
    n_samples, n_clusters = memberships.shape
    found = (indices >= 0) & (weights > 0.0)
    indptr = np.concatenate(([0], np.cumsum(found.sum(axis=1))))
    shape = (n_queries, n_samples)
    shares = sp.csr_matrix((weights[found].astype(np.float64), indices[found], indptr), shape)
    averages = sp.csr_matrix(shares @ memberships)
    averages.sort_indices()
    alone = ~found.any(axis=1)
    if alone.any():
        uniform = sp.csr_matrix(np.outer(alone, np.full(n_clusters, 1.0 / n_clusters)))
        averages = sp.csr_matrix(averages + uniform)
    sums = np.asarray(averages.sum(axis=1)).ravel()
    averages.data /= np.repeat(sums, np.diff(averages.indptr))
    return averages.astype(np.float32)
