"""One sweep over fuzzy rows that want to agree with their links, and clusters to be of one size."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, IntVector, OffsetVector
from graphpac.kernels._jit import kernel
from graphpac.kernels.simplex import project_to_simplex


@kernel
def sweep_balanced_rows(
    indptr: OffsetVector,
    indices: IntVector,
    weights: AnyArray,
    curvatures: AnyArray,
    masses: AnyArray,
    balance: float,
    memberships: AnyArray,
) -> float:
    """Give each row in turn the best memberships beside those of all others; return the decrease.

    As far as row i goes, the objective is q |f|^2 - 2 p . f with
    p = sum_j a_ij f_j - lam w_i sum_{j != i} w_j f_j.

    Parameters
    ----------
    indptr, indices, weights : arrays
        Symmetric links a_ij in CSR form, float64, none of a row to itself.
    curvatures : float64 array of shape (n_rows,)
        The factor q of each row.
    masses : float64 array of shape (n_rows,)
        The weight w_i a row has in the size of a cluster.
    balance : float
        The factor lam of the squared sizes.
    memberships : float64 array of shape (n_rows, n_clusters)
        Rows f_i, changed in place.
    """
    n_rows, n_clusters = memberships.shape
    sizes = np.zeros(n_clusters)
    for i in range(n_rows):
        for k in range(n_clusters):
            sizes[k] += masses[i] * memberships[i, k]
    pull = np.empty(n_clusters)
    best = np.empty(n_clusters)
    decrease = 0.0
    for i in range(n_rows):
        row = memberships[i]
        mass = masses[i]
        for k in range(n_clusters):
            pull[k] = -balance * mass * (sizes[k] - mass * row[k])
        for edge in range(indptr[i], indptr[i + 1]):
            other = memberships[indices[edge]]
            for k in range(n_clusters):
                pull[k] += weights[edge] * other[k]
        curvature = curvatures[i]
        if curvature > 0.0:
            for k in range(n_clusters):
                best[k] = pull[k] / curvature
            project_to_simplex(best)
        else:  # concave: best at a corner, and |f|^2 is one at all of them
            best[:] = 0.0
            best[np.argmax(pull)] = 1.0
        gain = 0.0
        for k in range(n_clusters):
            gain += (row[k] - best[k]) * (curvature * (row[k] + best[k]) - 2.0 * pull[k])
        if gain > 0.0:  # rounding may deny a row that is best already
            decrease += gain
            for k in range(n_clusters):
                sizes[k] += mass * (best[k] - row[k])
                row[k] = best[k]
    return decrease
