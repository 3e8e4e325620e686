"""Lists of samples made symmetric: who lists whom, and who lists either."""

from __future__ import annotations

import numpy as np

from graphpac._typing import FloatVector, IntVector, OffsetVector
from graphpac.kernels._jit import kernel


@kernel
def turn_lists(
    indptr: OffsetVector,
    indices: IntVector,
    values: FloatVector,
    out_indptr: OffsetVector,
    out_indices: IntVector,
    out_values: FloatVector,
) -> None:
    """List who lists each sample, in order; no values are carried along where there are none.

    Turned twice, lists are sorted: that takes no more steps than there are entries.
    """
    n_samples = indptr.size - 1
    for entry in range(indices.size):
        out_indptr[indices[entry] + 1] += 1
    for i in range(n_samples):
        out_indptr[i + 1] += out_indptr[i]
    place = out_indptr[:-1].copy()
    for i in range(n_samples):
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            out_indices[place[j]] = i
            if values.size > 0:
                out_values[place[j]] = values[entry]
            place[j] += 1


@kernel
def join_lists(
    a_indptr: OffsetVector,
    a_indices: IntVector,
    a_values: FloatVector,
    b_indptr: OffsetVector,
    b_indices: IntVector,
    b_values: FloatVector,
    with_self: bool,
    out_indptr: OffsetVector,
    out_indices: IntVector,
    out_values: FloatVector,
) -> None:
    """Join two sorted lists of each sample; of two values the larger counts, and none of zero.

    With ``with_self`` each sample is on its list. There must be room for all entries.
    """
    size = 0
    for i in range(a_indptr.size - 1):
        a, b = a_indptr[i], b_indptr[i]
        lacks_self = with_self
        while a < a_indptr[i + 1] or b < b_indptr[i + 1] or lacks_self:
            from_a = a_indices[a] if a < a_indptr[i + 1] else np.iinfo(np.int32).max
            from_b = b_indices[b] if b < b_indptr[i + 1] else np.iinfo(np.int32).max
            j = min(from_a, from_b)
            if lacks_self and i <= j:
                j, lacks_self = i, False
            value = np.float32(0.0 if a_values.size > 0 else 1.0)
            if from_a == j:
                value = max(value, a_values[a]) if a_values.size > 0 else value
                a += 1
            if from_b == j:
                value = max(value, b_values[b]) if a_values.size > 0 else value
                b += 1
            if value > 0.0:
                out_indices[size] = j
                if a_values.size > 0:
                    out_values[size] = value
                size += 1
        out_indptr[i + 1] = size
