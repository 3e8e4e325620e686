"""Numbers by which equal rows are found in a single pass over all of them."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, BoolVector, FloatMatrix, FloatVector, IntVector, OffsetVector
from graphpac.kernels._jit import kernel

NEGATIVE_ZERO = np.uint32(1 << 31)


@kernel
def hash_rows(bits: AnyArray, factors: AnyArray, out: AnyArray) -> None:
    """Write into out[i] the sum of factors[j] times the bits of float32 j of row i, modulo 2^64.

    With random factors two different rows have the same number with a probability of about 2^-63.
    Sums of whole numbers may be taken in any order, so the compiler is free to use vectors.
    """
    for i in range(bits.shape[0]):
        total = np.uint64(0)
        for j in range(bits.shape[1]):
            word = np.uint32(0) if bits[i, j] == NEGATIVE_ZERO else bits[i, j]
            total += factors[j] * np.uint64(word)
        out[i] = total


@kernel
def hash_sparse_rows(
    indptr: OffsetVector, indices: IntVector, bits: AnyArray, factors: AnyArray, out: AnyArray
) -> None:
    """As hash_rows, for CSR rows: what is not stored is zero and adds nothing."""
    for i in range(out.size):
        total = np.uint64(0)
        for entry in range(indptr[i], indptr[i + 1]):
            word = np.uint32(0) if bits[entry] == NEGATIVE_ZERO else bits[entry]
            total += factors[indices[entry]] * np.uint64(word)
        out[i] = total


@kernel
def rows_equal(
    a: FloatMatrix, a_numbers: AnyArray, b: FloatMatrix, b_numbers: AnyArray, out: BoolVector
) -> None:
    """Write into out[x] whether row a_numbers[x] of a equals row b_numbers[x] of b."""
    for x in range(out.size):
        left, right = a[a_numbers[x]], b[b_numbers[x]]
        n_equal = 0
        for j in range(left.size):
            n_equal += left[j] == right[j]
        out[x] = n_equal == left.size


@kernel
def sparse_rows_equal(
    a_indptr: OffsetVector,
    a_indices: IntVector,
    a_data: FloatVector,
    a_numbers: AnyArray,
    b_indptr: OffsetVector,
    b_indices: IntVector,
    b_data: FloatVector,
    b_numbers: AnyArray,
    out: BoolVector,
) -> None:
    """As rows_equal, for CSR rows with sorted features and no stored zeros."""
    for x in range(out.size):
        first, stop = a_indptr[a_numbers[x]], a_indptr[a_numbers[x] + 1]
        begin, end = b_indptr[b_numbers[x]], b_indptr[b_numbers[x] + 1]
        same = stop - first == end - begin
        for entry in range(first, stop):
            if not same:
                break
            other = begin + entry - first
            same = a_indices[entry] == b_indices[other] and a_data[entry] == b_data[other]
        out[x] = same
