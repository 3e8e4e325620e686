"""Symmetric similarities of samples, what cuts of a graph are measured with."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from graphpac.graph.neighbor_graph import NeighborGraph


def heat_affinity(graph: NeighborGraph) -> sp.csr_array:
    """Similarities w_ij = exp(-d_ij^2 / (2 s)) with s the mean of d^2 over all edges.

    Neighbors in either direction count. Under "cosine" d^2 = 2 (1 - cos), as between unit rows. The
    diagonal is empty, indices are sorted.
    """
    if graph.kind not in {"euclidean", "cosine"}:
        msg = f"a graph of kind {graph.kind!r} has no distances: use a euclidean or cosine one."
        raise ValueError(msg)
    values = graph.values.astype(np.float64)
    squares = values**2 if graph.kind == "euclidean" else 2.0 * values
    # Where all distances are zero any width gives equal weights.
    mean_square = float(squares.mean()) if squares.any() else 1.0
    weights = np.exp(-squares / (2.0 * mean_square))
    shape = (graph.n_samples, graph.n_samples)
    directed = sp.csr_array((weights, graph.indices, graph.indptr), shape=shape)
    affinity = sp.csr_array(directed.maximum(directed.T))
    affinity.sort_indices()
    return affinity
