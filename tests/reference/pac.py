"""PAC again, with all pairs of rows in one dense matrix."""

import numpy as np


def distances(rows, metric):
    """1 - x . y, or half the squared Euclidean distance; no row has a distance to itself."""
    rows = rows.astype(np.float64)
    if metric == "cosine":
        d = 1.0 - rows @ rows.T
    else:
        d = 0.5 * np.array([[np.sum((x - y) ** 2) for y in rows] for x in rows])
    np.fill_diagonal(d, 0.0)
    return d


def objective(d, p, m):
    """1/2 sum_ij d_ij sum_l p_il^m p_jl^m."""
    q = p**m
    return 0.5 * np.sum(d * (q @ q.T))


def best_memberships(scores, m):
    """p_l ~ g_l^(-1/(m-1))."""
    shares = (scores / scores.min()) ** (-1.0 / (m - 1.0))
    return shares / shares.sum()


def sweep(d, p, m):
    """Give every row in turn its best memberships; return all of them."""
    p = p.copy()
    for i in range(len(p)):
        p[i] = best_memberships(d[i] @ p**m, m)
    return p
