"""K-sums with all distances in one dense matrix and the plain smallest cost of all clusters."""

import numpy as np


def dense_distances(graph):
    """Squared distances of neighbors in either direction, 0 to itself, dbar for all other pairs."""
    n = graph.n_samples
    stored = np.full((n, n), np.nan)
    for i in range(n):
        for edge in range(graph.indptr[i], graph.indptr[i + 1]):
            value = float(graph.values[edge])
            stored[i, graph.indices[edge]] = 2 * value if graph.kind == "cosine" else value**2
    longest = np.max(stored[~np.isnan(stored)], initial=0.0)
    distances = np.fmin(stored, stored.T)
    distances[np.isnan(distances)] = longest
    np.fill_diagonal(distances, 0.0)
    return distances, longest


def objective(distances, labels):
    """Sum the distances over all ordered pairs inside clusters."""
    return distances[labels[:, None] == labels].sum()


def costs(distances, labels, n_clusters):
    """Sum the distances of one sample to all samples of each cluster."""
    return np.array([distances[labels == cluster].sum() for cluster in range(n_clusters)])


def sweep(distances, labels, n_clusters):
    """Move each sample in turn to the cluster of least cost, if it costs less than its own."""
    labels = labels.copy()
    for i in range(labels.size):
        found = costs(distances[i], labels, n_clusters)
        if found.min() < found[labels[i]]:
            labels[i] = found.argmin()
    return labels


def solve(distances, labels, n_clusters, max_iter):
    """Sweep until nothing moves; return the labels and the objective after each sweep."""
    history = []
    for _ in range(max_iter):
        before, labels = labels, sweep(distances, labels, n_clusters)
        history.append(objective(distances, labels))
        if np.array_equal(before, labels):
            break
    return labels, history


def predict(neighbors, squares, labels, n_clusters, longest):
    """Find the cluster of least cost for a new sample, from its neighbors and their distances."""
    distances = np.full(labels.size, max(longest, squares.max()))
    distances[neighbors] = squares
    return costs(distances, labels, n_clusters).argmin()
