"""Samples as the searchers want them: float32 rows, of unit length under the cosine metric."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from graphpac._threads import map_in_threads
from graphpac._typing import AnyArray, FloatMatrix, Metric
from graphpac.graph.values import row_blocks

Rows: TypeAlias = FloatMatrix | sp.csr_matrix
"""What prepare_rows returns: a C-contiguous array or a CSR matrix with sorted features, float32."""

_BLOCK_ENTRIES = 1 << 16  # half a megabyte in float64: stays in the cache between the steps below
# A sum of a million squares of 2**50 is still below the float32 limit of 2**128.
_LARGEST_EXPONENT = 50
# Differences a million times smaller than 2**-30 still have non-zero squares.
_SMALLEST_EXPONENT = -30
# Where huge values are brought under "euclidean": as high as leaves room for new rows that are ten
# thousand times larger, so that next to an outlier the other rows keep squares above zero.
_HIGH_EXPONENT = 40


def row_scale(X: Any, metric: Metric) -> float:
    """Power of two `prepare_rows` divides by; 1.0 unless squares would leave the float32 range.

    Pass the scale of the training rows to `prepare_rows` for every row compared with them. The
    cosine metric needs none, because each row is divided by its own length.
    """
    if metric == "cosine":
        return 1.0
    largest = 0.0
    for block in [X.data] if sp.issparse(X) else (some for _, some in row_blocks(X)):
        values = np.asarray(block)
        largest = max(largest, float(values.max(initial=0)), -float(values.min(initial=0)))
    exponent = math.frexp(largest)[1]
    if largest == 0.0 or _SMALLEST_EXPONENT <= exponent <= _LARGEST_EXPONENT:
        return 1.0
    # A softmax of products would change with the size of rows, so they are brought to about one.
    is_high = metric == "euclidean" and exponent > _LARGEST_EXPONENT
    return math.ldexp(1.0, exponent - (_HIGH_EXPONENT if is_high else 1))


def is_hardly_sparse(n_samples: int, n_features: int, n_stored: int) -> bool:
    """Tell whether a sparse matrix stores an eighth of its numbers: as an array it costs less.

    With 8,000 rows of 64 to 4,000 features exact search took as long for sparse as for dense rows
    where a tenth to a sixth of the numbers was stored, and 8 to 40 times as long where all were.
    """
    return 8 * n_stored >= n_samples * n_features


def prepare_rows(X: Any, metric: Metric, *, scale: float | None = None, n_jobs: int = 1) -> Rows:
    """Copy samples to float32 rows for searching; the input is read in blocks and never changed.

    Under "cosine" rows get unit length (measured in float64); rows of zeros stay zero. Under the
    other metrics they are divided by the scale, default ``row_scale(X, metric)``: 1 for all but
    huge (2**50) or tiny (2**-30) values. The result is the same for any number of threads.
    """
    if scale is None:
        scale = row_scale(X, metric)
    if sp.issparse(X):
        return _prepare_sparse(X, metric, scale)
    n_samples, n_features = X.shape
    rows = np.empty((n_samples, n_features), dtype=np.float32)
    step = max(1, _BLOCK_ENTRIES // max(1, n_features))

    def fill(start: int) -> None:
        # Always through a C-ordered float64 block: the same bits from C or Fortran order, and no
        # overflow of float16 or integer sums.
        block = np.array(X[start : start + step], dtype=np.float64, order="C")
        if metric == "cosine":
            _to_unit_length(block)
        elif scale != 1.0:
            block /= scale
        rows[start : start + step] = block

    map_in_threads(fill, range(0, n_samples, step), n_jobs)
    return rows


def squared_lengths(rows: Any) -> AnyArray:
    """Squared length of each row, in the type of the rows."""
    if sp.issparse(rows):
        return np.asarray(rows.power(2).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


def csr_arrays(matrix: Any) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Offsets, feature numbers and values of a CSR matrix, in the types the kernels expect."""
    # scipy narrows offsets to int32 whenever it can.
    indptr = matrix.indptr.astype(np.int64, copy=False)
    return indptr, matrix.indices.astype(np.int32, copy=False), matrix.data


def _to_unit_length(block: AnyArray) -> None:
    """Divide each row by its Euclidean length, in place; rows of zeros stay."""
    with np.errstate(over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->i", block, block)
    extreme = ~((squares > 1e-250) & (squares < 1e250))
    if extreme.any():
        # Squares of these rows leave the float64 range, or the row is zero. Powers of two, so that
        # a row has the same bits as the same row of ordinary size.
        peaks = np.abs(block[extreme]).max(axis=1, initial=0.0)
        scaled = np.ldexp(block[extreme], -np.frexp(peaks)[1][:, np.newaxis])
        block[extreme] = scaled
        squares[extreme] = np.einsum("ij,ij->i", scaled, scaled)
        squares[squares == 0.0] = 1.0
    block /= np.sqrt(squares)[:, np.newaxis]


def _prepare_sparse(X: Any, metric: Metric, scale: float) -> sp.csr_matrix:
    matrix = sp.csr_matrix(X, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if metric == "cosine":
        counts = np.diff(matrix.indptr)
        peaks = np.ones(matrix.shape[0])
        filled = counts > 0
        starts = matrix.indptr[:-1][filled]
        if matrix.nnz:
            peaks[filled] = np.maximum.reduceat(np.abs(matrix.data), starts)
        matrix.data /= np.repeat(peaks, counts)
        lengths = np.ones_like(peaks)
        if matrix.nnz:
            lengths[filled] = np.sqrt(np.add.reduceat(np.square(matrix.data), starts))
        matrix.data /= np.repeat(lengths, counts)
    elif scale != 1.0:
        matrix.data /= scale
    return sp.csr_matrix(
        (
            matrix.data.astype(np.float32),
            matrix.indices.astype(np.int32),
            matrix.indptr.astype(np.int64),
        ),
        shape=matrix.shape,
    )
