"""Euclidean projection on the simplex: the nearest of all rows of shares that sum to one."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray
from graphpac.kernels._jit import kernel


@kernel
def project_to_simplex(row: AnyArray) -> None:
    """Replace a float64 row by the nearest one without negative entries that sums to one.

    The nearest is [row - t]+ with one t for all entries. With the largest entries u_1 >= ... >= u_c
    in order, t = (u_1 + ... + u_k - 1) / k for the largest k with u_k > t: one sort finds it.
    """
    ascending = np.sort(row)
    # Measured from the largest entry: beside huge entries the one to share would be rounded away.
    peak = ascending[-1]
    total = 0.0
    threshold = 0.0
    for count in range(1, row.size + 1):
        entry = ascending[row.size - count] - peak
        total += entry
        candidate = (total - 1.0) / count
        if entry <= candidate:
            break
        threshold = candidate
    for column in range(row.size):
        row[column] = max(row[column] - peak - threshold, 0.0)
