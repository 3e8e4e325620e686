"""Spherical k-means one row and one cluster at a time."""

import numpy as np


def nearest(X, prototypes):
    """Find the prototype of the largest cosine of each row, and that cosine."""
    cosines = X @ prototypes.T
    return cosines.argmax(axis=1), cosines.max(axis=1)


def refill(X, labels, cosines, n_clusters):
    """Give each cluster without rows the worst fitting row that is not alone in its own."""
    labels = labels.copy()
    present = X.any(axis=1)
    moved = set()
    sizes = np.bincount(labels[present], minlength=n_clusters)
    for cluster in np.flatnonzero(sizes == 0):
        for row in np.argsort(cosines, kind="stable"):
            others = np.sum(labels[present] == labels[row])
            if present[row] and row not in moved and others > 1:
                labels[row] = cluster
                moved.add(row)
                break
    return labels


def directions(X, labels, prototypes):
    """Divide the sum of the rows of each cluster by its length; without a direction, keep."""
    moved = prototypes.copy()
    for cluster in range(len(prototypes)):
        total = X[labels == cluster].sum(axis=0)
        if np.linalg.norm(total) > 0.0:
            moved[cluster] = total / np.linalg.norm(total)
    return moved


def objective(X, labels, prototypes):
    """Sum the cosines between rows and their prototypes."""
    return sum(row @ prototypes[label] for row, label in zip(X, labels, strict=True))


def solve(X, prototypes, n_steps):
    """Make so many steps; return labels, prototypes and the objective after each step."""
    history = []
    for _ in range(n_steps):
        labels, cosines = nearest(X, prototypes)
        labels = refill(X, labels, cosines, len(prototypes))
        prototypes = directions(X, labels, prototypes)
        history.append(objective(X, labels, prototypes))
    labels, _ = nearest(X, prototypes)
    history[-1] = objective(X, labels, prototypes)
    return labels, prototypes, history
