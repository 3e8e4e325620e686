"""The sweep of PAC: every row in turn gets the memberships that are best for it."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix
from graphpac.kernels._jit import kernel, summing_kernel
from graphpac.kernels.powers import unnormalized_membership

ROUNDING = 1e-14  # scores below this part of what they are the difference of are nothing but noise
_SMALLEST = 1e-300  # a score of zero stands for this one: scores are divided by the smallest


@summing_kernel
def _dot(x: FloatMatrix, moment: AnyArray) -> float:
    total = 0.0
    for feature in range(x.shape[0]):
        total += x[feature] * moment[feature]
    return total


@kernel
def sweep_rows(
    rows: FloatMatrix,
    offsets: AnyArray,
    own_distances: AnyArray,
    memberships: AnyArray,
    weights: AnyArray,
    weighted_offsets: AnyArray,
    moments: AnyArray,
    fuzziness: float,
) -> float:
    """Minimize sum_l p_l^m g_l for one row after the other, g_l = sum_{j != i} d_ij p_jl^m.

    Distances have the form d_ij = a_i + a_j - x_i . x_j, so that g_l needs no more than sums over
    all rows, which follow every change: g_l = a_i S_l + A_l - x_i . M_l, less the row's own part.
    Of clusters that hold next to nothing but the row itself only rounding remains; the row may take
    any of them then, which changes the objective by no more than that.

    Parameters
    ----------
    rows : float32 array of shape (n_rows, n_features)
        The rows x.
    offsets, own_distances : float64 arrays of shape (n_rows,)
        The offsets a, and 2 a_i - x_i . x_i.
    memberships : float64 array of shape (n_rows, n_clusters)
        The memberships p, changed.
    weights, weighted_offsets, moments : float64 arrays, the last of shape (n_clusters, n_features)
        S_l = sum_j p_jl^m, A_l = sum_j p_jl^m a_j and M_l = sum_j p_jl^m x_j, changed.
    fuzziness : float
        The exponent m, above 1.

    Returns
    -------
    change : float
        Sum of the absolute changes of all memberships.
    """
    n_clusters = memberships.shape[1]
    exponent = 1.0 / (fuzziness - 1.0)
    powers = np.empty(n_clusters)
    scores = np.empty(n_clusters)
    change = 0.0
    for i in range(rows.shape[0]):
        least = np.inf
        for cluster in range(n_clusters):
            powers[cluster] = memberships[i, cluster] ** fuzziness
            apart = offsets[i] * weights[cluster] + weighted_offsets[cluster]
            score = apart - _dot(rows[i], moments[cluster]) - own_distances[i] * powers[cluster]
            scores[cluster] = max(score, ROUNDING * apart, _SMALLEST)
            least = min(least, scores[cluster])
        total = 0.0
        for cluster in range(n_clusters):
            scores[cluster] = unnormalized_membership(scores[cluster] / least, exponent)
            total += scores[cluster]
        for cluster in range(n_clusters):
            membership = scores[cluster] / total
            change += abs(membership - memberships[i, cluster])
            memberships[i, cluster] = membership
            step = membership**fuzziness - powers[cluster]
            weights[cluster] += step
            weighted_offsets[cluster] += step * offsets[i]
            for feature in range(rows.shape[1]):
                moments[cluster, feature] += step * rows[i, feature]
    return change
