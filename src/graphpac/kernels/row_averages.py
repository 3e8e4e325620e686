"""The local average of memberships, rows kept as lists of their largest entries."""

from __future__ import annotations

import numpy as np

from graphpac._typing import FloatMatrix, IntMatrix
from graphpac.kernels._jit import kernel
from graphpac.kernels.batches import LocalGraph
from graphpac.kernels.sparse_rows import add_row, keep_largest


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
        n_touched = 0
        if indptr[i] == indptr[i + 1]:
            n_touched = add_row(clusters[i], values[i], 1.0, row, touched, n_touched)
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            n_touched = add_row(clusters[j], values[j], weights[edge], row, touched, n_touched)
        keep_largest(row, touched, n_touched, out_clusters[x], out_values[x])
