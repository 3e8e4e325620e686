"""Checks over the rows of a neighbor graph."""

from __future__ import annotations

import numpy as np

from graphpac._typing import FloatVector, IntVector, OffsetVector
from graphpac.kernels._jit import kernel

NO_FAULT = 0
OUT_OF_RANGE = 1
SELF_LOOP = 2
NOT_FINITE = 3
REPEATED = 4
OUT_OF_ORDER = 5


@kernel
def find_fault(
    indptr: OffsetVector, indices: IntVector, values: FloatVector, larger_is_nearer: bool
) -> tuple[int, int]:
    """Return the first row that is no proper list of neighbors, and what is wrong with it.

    Proper is nearest first and ties by index. The answer is (-1, NO_FAULT) when all rows are.
    """
    n_samples = indptr.size - 1
    seen_in = np.full(n_samples, -1, np.int32)
    for i in range(n_samples):
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            value = values[edge]
            if j < 0 or j >= n_samples:
                return i, OUT_OF_RANGE
            if j == i:
                return i, SELF_LOOP
            if not np.isfinite(value):
                return i, NOT_FINITE
            if seen_in[j] == i:
                return i, REPEATED
            seen_in[j] = i
            if edge > indptr[i]:
                before = values[edge - 1]
                nearer = before > value if larger_is_nearer else before < value
                if not (nearer or (before == value and indices[edge - 1] < j)):
                    return i, OUT_OF_ORDER
    return -1, NO_FAULT
