"""Fuzzy c-means again, row by row, as the formulas are written."""

import numpy as np

from graphpac.solvers.schedules import local_weight_at


def distances(X, centers):
    """Squared Euclidean distances of all rows to all centers."""
    return np.array([[np.sum((x - v) ** 2) for v in centers] for x in X])


def memberships(X, centers, m):
    """p_il = 1 / sum_r (d_il / d_ir)^(1/(m-1)); no row may lie on a center."""
    d = distances(X, centers)
    return np.array([[1.0 / np.sum((d_l / row) ** (1.0 / (m - 1.0))) for d_l in row] for row in d])


def centers(X, p, m):
    """v_l = sum_i p_il^m x_i / sum_i p_il^m."""
    return np.array([np.average(X, axis=0, weights=column**m) for column in p.T])


def objective(X, v, p, m):
    """sum_il p_il^m |x_i - v_l|^2."""
    return np.sum(p**m * distances(X, v))


def solve(X, v, m, max_iter, weights=None, share=0.0):
    """Run all iterations; return memberships, the centers they came from and the objectives."""
    p, history = None, []
    for iteration in range(max_iter):
        v = v if p is None else centers(X, p, m)
        new = memberships(X, v, m)
        if weights is not None and p is not None:
            lam = local_weight_at(iteration, max_iter, share)
            new = (1.0 - lam) * new + lam * weights @ p
        p = new
        history.append(objective(X, v, p, m))
    return p, v, history
