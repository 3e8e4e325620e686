"""Sparse matrices as arrays of a file, and back, trusting nothing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray
from graphpac.io.checks import demand, vector

UNSIGNED = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32))
_NOT_ONE = 1e-4  # more than float32 rounds away in the longest of rows


def smallest_unsigned(numbers: AnyArray) -> AnyArray:
    """Return whole numbers from 0 up in the smallest type that holds them all."""
    largest = int(numbers.max(initial=0))
    return numbers.astype(next(kind for kind in UNSIGNED if largest <= np.iinfo(kind).max))


def pack_csr(matrix: sp.csr_matrix, values: AnyArray, prefix: str) -> dict[str, AnyArray]:
    """Return the lengths of the rows, the columns and the values of a matrix, named alike.

    Lengths and columns take a byte or two each where offsets and numbers of scipy take four.
    """
    return {
        f"{prefix}.lengths": smallest_unsigned(np.diff(matrix.indptr)),
        f"{prefix}.columns": smallest_unsigned(matrix.indices),
        f"{prefix}.values": values,
    }


def unpack_csr(
    arrays: Mapping[str, AnyArray], prefix: str, n_columns: int, dtypes: tuple[np.dtype, ...]
) -> sp.csr_matrix:
    """Make the matrix again, with float32 values; each row must name its columns in order."""
    lengths = vector(arrays, f"{prefix}.lengths", UNSIGNED)
    columns = vector(arrays, f"{prefix}.columns", UNSIGNED)
    values = vector(arrays, f"{prefix}.values", dtypes)
    offsets = np.zeros(lengths.size + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return checked_csr(offsets, columns, values.astype(np.float32, copy=False), n_columns)


def checked_csr(
    offsets: AnyArray, columns: AnyArray, values: AnyArray, n_columns: int
) -> sp.csr_matrix:
    """Make a matrix of one-dimensional arrays; raise ValueError if they do not fit together."""
    demand(
        offsets.size > 0
        and offsets[0] == 0
        and offsets[-1] == columns.size == values.size
        and bool((offsets[1:] >= offsets[:-1]).all()),
        "the rows of a sparse matrix do not fit together",
    )
    demand(
        bool((columns >= 0).all() and (columns < n_columns).all()),
        "a sparse matrix has entries outside of it",
    )
    demand(bool(np.isfinite(values).all()), "a sparse matrix holds values that are not finite")
    ascends = columns[1:] > columns[:-1]
    starts = offsets[1:-1]
    ascends[starts[(starts > 0) & (starts < columns.size)] - 1] = True  # from one row to the next
    demand(bool(ascends.all()), "the columns of a sparse matrix are not in order")
    shape = (offsets.size - 1, n_columns)
    return sp.csr_matrix((values, columns.astype(np.int32), offsets), shape=shape)


def check_shares(memberships: sp.csr_matrix) -> None:
    """Raise ValueError unless every row holds shares of one."""
    offsets, values = memberships.indptr, memberships.data
    demand(
        offsets.size > 1 and bool((np.diff(offsets) > 0).all()), "a row has no membership at all"
    )
    demand(bool((values >= 0.0).all()), "a membership is negative")
    sums = np.add.reduceat(values, offsets[:-1], dtype=np.float64)
    demand(bool((np.abs(sums - 1.0) < _NOT_ONE).all()), "memberships do not sum to one")
