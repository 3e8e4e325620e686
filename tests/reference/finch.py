"""FINCH and its merging as they are described, with all distances at once and no shortcut."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components


def all_distances(rows, metric):
    """Distances between all rows, infinite to themselves; zeros are at cosine distance 1."""
    rows = np.asarray(rows, dtype=np.float64)
    if metric == "cosine":
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit = rows / np.where(lengths > 0, lengths, 1.0)
        distances = 1.0 - unit @ unit.T
    else:
        distances = np.linalg.norm(rows[:, np.newaxis] - rows[np.newaxis], axis=2)
    np.fill_diagonal(distances, np.inf)
    return distances


def means(X, labels):
    return np.array([X[labels == label].mean(axis=0) for label in range(labels.max() + 1)])


def partitions(X, metric="cosine", early_exit=False):
    """List the labels of each level, links by the matrix product (I + K)(I + K)^T."""
    labels, found, limit = np.arange(len(X)), [], None
    while labels.max() > 0:
        distances = all_distances(means(X, labels), metric)
        n = len(distances)
        nearest = sp.csr_matrix((np.ones(n), (np.arange(n), distances.argmin(axis=1))), (n, n))
        links = ((nearest + sp.eye(n)) @ (nearest + sp.eye(n)).T).toarray()
        np.fill_diagonal(links, 0.0)
        lengths = np.where(links > 0, links * np.where(links > 0, distances, 0.0), 0.0)
        if early_exit and limit is not None:
            links[lengths > limit] = 0.0
        limit = lengths.max() if limit is None else limit
        n_parts, parts = connected_components(sp.csr_matrix(links), directed=False)
        if found and (n_parts == 1 or n - n_parts <= 1):
            break
        labels = parts[labels]
        found.append(labels)
    return found


def merged(X, labels, n_clusters, metric="cosine"):
    """Merge the two nearest means until so many clusters are left, everything computed anew."""
    while labels.max() + 1 > n_clusters:
        distances = all_distances(means(X, labels), metric)
        one, other = sorted(np.unravel_index(distances.argmin(), distances.shape))
        labels = np.unique(np.where(labels == other, one, labels), return_inverse=True)[1]
    return labels
