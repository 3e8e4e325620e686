"""The spectral embedding again, by dense matrices and loops over edges."""

import numpy as np


def affinity(graph, kind):
    """Similarities of neighbors in either direction, the larger where both directions have one."""
    n = graph.n_samples
    values = graph.values.astype(np.float64)
    squares = values**2 if graph.kind == "euclidean" else 2.0 * values
    width = 2.0 * squares.mean() if squares.any() else 1.0
    matrix = np.zeros((n, n))
    for i in range(n):
        for edge in range(graph.indptr[i], graph.indptr[i + 1]):
            j = graph.indices[edge]
            weight = np.exp(-squares[edge] / width) if kind == "heat" else 1.0
            matrix[i, j] = matrix[j, i] = max(matrix[i, j], weight)
    return matrix


def normalized(matrix):
    """D^-1/2 W D^-1/2, with rows of samples without neighbors left at zero."""
    degrees = matrix.sum(axis=1)
    roots = np.sqrt(np.where(degrees > 0.0, degrees, 1.0))
    return matrix / np.outer(roots, roots)


def leading(matrix, n_vectors):
    """Largest eigenvalues, descending, and their eigenvectors."""
    values, vectors = np.linalg.eigh(matrix)
    return values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors]
