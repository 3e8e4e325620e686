"""Anchor graphs: every row as a mixture of a few of its nearest anchors."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, Metric
from graphpac.graph.searchers import Neighbors


def anchor_graph(nearest: Neighbors, metric: Metric, n_anchors: int) -> sp.csr_array:
    """Weights b_j = (e_{k+1} - e_j) / sum_{r <= k} (e_{k+1} - e_r) of the k nearest anchors.

    Parameters
    ----------
    nearest : Neighbors
        The k + 1 nearest anchors of each row, nearest first.
    metric : {"euclidean", "cosine"}
        Whether their values are distances, of which e are the squares, or 1 - cos, half of e.
    n_anchors : int
        Number of all anchors.

    Returns
    -------
    graph : CSR float64 array of shape (n_rows, n_anchors)
        Rows sum to one. Where all distances of a row are equal, so are its weights.
    """
    values = nearest.values.astype(np.float64)
    squares = np.square(values) if metric == "euclidean" else values
    gaps = squares[:, -1:] - squares[:, :-1]
    gaps[~gaps.any(axis=1)] = 1.0
    weights = gaps / gaps.sum(axis=1, keepdims=True)
    n_rows, n_nearest = weights.shape
    indptr = np.arange(n_rows + 1, dtype=np.int64) * n_nearest
    entries = (weights.ravel(), nearest.indices[:, :-1].ravel(), indptr)
    graph = sp.csr_array(entries, shape=(n_rows, n_anchors))
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def spread_to_anchors(graph: sp.csr_array, memberships: AnyArray) -> AnyArray:
    """Give each anchor the mean of the memberships of its rows, a uniform row where it has none."""
    masses = np.asarray(graph.sum(axis=0)).ravel()
    sums = np.asarray(graph.T @ memberships)
    sums[masses == 0.0] = 1.0
    means: AnyArray = sums / sums.sum(axis=1, keepdims=True)
    return means
