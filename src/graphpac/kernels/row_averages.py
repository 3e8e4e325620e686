"""Averages over neighbors: of memberships, kept as lists of their largest entries, and of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphpac._typing import FloatMatrix, IntMatrix, IntVector, OffsetVector
from graphpac.kernels._jit import kernel
from graphpac.kernels._prefetch import prefetch
from graphpac.kernels.batches import LocalGraph
from graphpac.kernels.sparse_rows import add_row, keep_largest

AHEAD = 2  # samples whose neighbors are asked for while one is averaged


@kernel
def average_lists(
    indptr: OffsetVector, indices: IntVector, rows: FloatMatrix, first: int, out: FloatMatrix
) -> None:
    """Write the mean of the rows on the list of each sample from ``first`` on."""
    mean = np.zeros(rows.shape[1], np.float32)  # the compiler need not fear that it is one of rows
    for x in range(out.shape[0]):
        i = first + x
        if i + AHEAD < indptr.size - 1:
            for entry in range(indptr[i + AHEAD], indptr[i + AHEAD + 1]):
                prefetch(rows, indices[entry])
        share = np.float32(1.0 / (indptr[i + 1] - indptr[i]))
        for entry in range(indptr[i], indptr[i + 1]):
            row = rows[indices[entry]]
            for f in range(mean.size):
                mean[f] += share * row[f]
        for f in range(mean.size):
            out[x, f] = mean[f]
            mean[f] = 0.0


@kernel
def average_rows(
    local: LocalGraph,
    clusters: IntMatrix,
    values: FloatMatrix,
    n_clusters: int,
    first: int,
    out_clusters: IntMatrix,
    out_values: FloatMatrix,
) -> None:
    """Write the local averages of the samples from ``first`` on; without neighbors a row stays."""
    indptr, indices, weights = local
    row = np.zeros(n_clusters, np.float32)
    touched = np.empty(n_clusters, np.int32)
    for x in range(out_values.shape[0]):
        i = first + x
        n_touched: Any = np.int64(0)  # not the same to the compiler as 0
        if i + AHEAD < indptr.size - 1:
            for edge in range(indptr[i + AHEAD], indptr[i + AHEAD + 1]):
                prefetch(clusters, indices[edge])
                prefetch(values, indices[edge])
        if indptr[i] == indptr[i + 1]:
            n_touched = add_row(clusters[i], values[i], np.float32(1.0), row, touched, n_touched)
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            n_touched = add_row(clusters[j], values[j], weights[edge], row, touched, n_touched)
        keep_largest(row, touched, n_touched, out_clusters[x], out_values[x])
