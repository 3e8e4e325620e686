"""Simple work on rows of memberships, without the intermediate arrays NumPy makes."""

from __future__ import annotations

from graphpac._typing import AnyArray, FloatMatrix, IntVector, OffsetVector
from graphpac.kernels._jit import kernel


@kernel
def find_largest(rows: FloatMatrix, out: IntVector) -> None:
    """Write into out[i] where row i has its largest entry, the first of equals."""
    for i in range(rows.shape[0]):
        best, largest = 0, rows[i, 0]
        for k in range(1, rows.shape[1]):
            larger = rows[i, k] > largest
            best = k if larger else best
            largest = max(largest, rows[i, k])
        out[i] = best


@kernel
def find_inner(
    indptr: OffsetVector, indices: IntVector, labels: IntVector, inner: AnyArray
) -> None:
    """Write into inner[i] whether all neighbors of sample i have its label."""
    for i in range(labels.size):
        n_others = 0
        for edge in range(indptr[i], indptr[i + 1]):
            n_others += labels[indices[edge]] != labels[i]
        inner[i] = n_others == 0
