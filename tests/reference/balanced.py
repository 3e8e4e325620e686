"""Balanced fuzzy cuts, again with dense matrices and no running sums."""

import numpy as np

from tests.reference.simplex import project


def cut_objective(W, F, lam):
    """Tr(F^T L F) + lam |F^T 1|^2, with L = D - W."""
    laplacian = np.diag(W.sum(axis=1)) - W
    return np.trace(F.T @ laplacian @ F) + lam * np.sum(F.sum(axis=0) ** 2)


def anchor_objective(B, G, lam):
    """Tr(G^T B^T B G) - lam |G^T B^T 1|^2."""
    return np.trace(G.T @ B.T @ B @ G) - lam * np.sum((B @ G).sum(axis=0) ** 2)


def sweep(A, own, masses, lam, F):
    """Minimize sum_i own_i |f_i|^2 - sum_{i != j} a_ij f_i . f_j + lam |w^T F|^2, row by row."""
    F = F.copy()
    for i in range(len(F)):
        others = np.arange(len(F)) != i
        pull = A[i, others] @ F[others] - lam * masses[i] * (masses[others] @ F[others])
        curvature = own[i] + lam * masses[i] ** 2
        best = project(pull / curvature) if curvature > 0.0 else np.eye(F.shape[1])[pull.argmax()]
        old, new = (curvature * f @ f - 2.0 * pull @ f for f in (F[i], best))
        if new < old:
            F[i] = best
    return F


def anchor_weights(squares, n_nearest):
    """Weights of the nearest anchors of one row, from squared distances to all."""
    order = np.lexsort((np.arange(squares.size), squares))
    limit = squares[order[n_nearest]]
    weights = np.zeros(squares.size)
    for j in order[:n_nearest]:
        weights[j] = limit - squares[j]
    if not weights.any():
        weights[order[:n_nearest]] = 1.0
    return weights / weights.sum()
