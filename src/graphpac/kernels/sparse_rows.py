"""Rows of memberships kept as lists of their largest entries, and one dense row beside them.

touched[:n_touched] are the clusters of the dense row that are not zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphpac._typing import FloatVector, IntVector
from graphpac.kernels._jit import kernel

KEPT_SHARE = 1e-6  # of a row; averages of averages have long tails of less


@kernel
def add_row(
    clusters: IntVector,
    values: FloatVector,
    weight: Any,
    row: FloatVector,
    touched: IntVector,
    n_touched: int,
) -> int:
    """Add weight times a list of memberships to a dense row; note the clusters that were zero."""
    for e in range(values.size):
        share = np.float32(weight * values[e])
        if share == 0.0:  # the end of the list, or too little: it would be noted again and again
            break
        k = clusters[e]
        if row[k] == 0.0:
            touched[n_touched] = k
            n_touched += 1
        row[k] += share
    return n_touched


@kernel
def distance_to_row(
    clusters: IntVector,
    values: FloatVector,
    row: FloatVector,
    touched: IntVector,
    n_touched: int,
) -> float:
    """L1 distance of a list of memberships to a dense row; both are taken to sum to one.

    Then what is lost equals what is gained, and either is half of the distance. Beside a list of
    zeros, the uniform distribution, the row may sum to less: it is scaled as it will be when kept.
    """
    half = 0.0
    if values[0] == 0.0:
        total = 0.0
        for x in range(n_touched):
            total += row[touched[x]]
        uniform = 1.0 / row.size
        for x in range(n_touched):
            half += max(row[touched[x]] / total - uniform, 0.0)
    else:
        for e in range(values.size):
            half += max(values[e] - row[clusters[e]], np.float32(0.0))
    return 2.0 * half


@kernel
def keep_largest(
    row: FloatVector,
    touched: IntVector,
    n_touched: int,
    out_clusters: IntVector,
    out_values: FloatVector,
) -> float:
    """Move the largest entries of a dense row into a list, scaled to sum to one; clear the row.

    The list is sorted, largest first, ties to the lower cluster, and zero where unused. Return the
    share of the row that found no place.
    """
    total = 0.0
    for x in range(n_touched):
        total += row[touched[x]]
    # A share of the row, not a number: with the local weight next to 1 and neighbors without an
    # opinion the whole row is small, and nothing would be kept.
    negligible = KEPT_SHARE * total
    size = 0
    for x in range(n_touched):
        k = touched[x]
        value = row[k]
        row[k] = 0.0
        if value < negligible:
            continue
        e = size
        while e > 0 and (
            out_values[e - 1] < value or (out_values[e - 1] == value and out_clusters[e - 1] > k)
        ):
            e -= 1
        if e == out_values.size:
            continue
        size = min(size + 1, out_values.size)
        for later in range(size - 1, e, -1):
            out_values[later] = out_values[later - 1]
            out_clusters[later] = out_clusters[later - 1]
        out_values[e] = value
        out_clusters[e] = k
    kept = 0.0
    for e in range(size):
        kept += out_values[e]
    for e in range(size):
        out_values[e] = np.float32(out_values[e] / kept)
    for e in range(size, out_values.size):
        out_values[e] = 0.0
        out_clusters[e] = 0
    return 1.0 - kept / total
