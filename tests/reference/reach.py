"""Hops again, by powers of a dense boolean matrix."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path


def step_matrix(graph):
    """Samples one hop apart, neighbors in either direction, and each sample itself."""
    n = graph.n_samples
    step = np.eye(n, dtype=bool)
    for i in range(n):
        step[i, graph.indices[graph.indptr[i] : graph.indptr[i + 1]]] = True
    return step | step.T


def walk(step, n_hops):
    """Samples at most n_hops steps apart, each sample itself included."""
    reached = np.eye(len(step), dtype=bool)
    for _ in range(n_hops):
        reached = (reached.astype(np.int64) @ step.astype(np.int64)) > 0
    return reached


def hop_matrix(graph, n_hops):
    """Eq. 3: [A^theta > 0] without its diagonal."""
    return walk(step_matrix(graph), n_hops) & ~np.eye(graph.n_samples, dtype=bool)


def lists_of(matrix):
    """Row offsets (int64) and column numbers (int32) of a boolean matrix."""
    matrix = sp.csr_matrix(matrix)
    matrix.sort_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)


def hop_distances(graph, seeds):
    """Hops from each of the seeds to every sample, infinity where no path leads."""
    return shortest_path(sp.csr_matrix(step_matrix(graph)), unweighted=True, indices=seeds)
