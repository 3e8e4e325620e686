"""The rows of a fit in as few bytes as `predict` can do with.

==================  =================================================================
rows                are stored as
==================  =================================================================
whole, -128 to 255  uint8 or int8 whatever their type was, exactly
exact in float16    float16, exactly
cosine              float16 rows of length one
euclidean           float16, if rounding moves rows by less than a hundredth of the
                    distance between neighbors (root mean squares both)
inner_product       float16, if rounding changes products by less than 0.01 likewise
all others          float32, which is what a search compares
==================  =================================================================

Values that are not exact are divided by a power of two first, so that neither large nor small ones
leave the range of float16. Sparse rows are stored as float16 under "cosine" or if that is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, Metric
from graphpac.graph.rows import prepare_rows

FLOAT16, FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)
EXACT_TYPES = (np.dtype(np.uint8), np.dtype(np.int8), FLOAT16)
ROW_TYPES = (*EXACT_TYPES, FLOAT32)

_BLOCK_ENTRIES = 1 << 20
_TOP_EXPONENT = 15  # float16 ends at 2**16
_LEAST_EXPONENT = -1022  # of a float64 whose inverse is finite
_ROUNDING_ALLOWED = 0.01**2  # squared, as everything it is compared with


class PackedRows(NamedTuple):
    """Values of rows, and what a one among them stands for; None if they are the caller's own."""

    values: Any
    unit: float | None


def pack_rows(X: Any, metric: Metric, *, scale: float, kernel_scale: float) -> PackedRows:
    """Choose the smallest form of rows in which a search still finds the same.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
        The rows of a fit, as they were given.
    metric : {"cosine", "euclidean", "inner_product"}
        How they are compared.
    scale : float
        ``row_scale`` of the rows, the power of two they are divided by for the search.
    kernel_scale : float
        Mean squared distance between neighbors under "euclidean", in units of the scale.
    """
    if sp.issparse(X):
        return _pack_sparse(X, metric, scale)
    exact = exact_type(X)
    if exact is not None:
        return PackedRows(X.astype(exact, copy=False), None)
    if metric == "cosine":
        return PackedRows(_converted(X, metric, 1.0, FLOAT16), 1.0)
    unit = _unit_of(X)
    lost, length = _squared_sizes(X, unit, scale)
    room = kernel_scale if metric == "euclidean" else 1.0 / length
    if lost <= _ROUNDING_ALLOWED * room:
        return PackedRows(_converted(X, metric, unit, FLOAT16), unit)
    return PackedRows(_converted(X, metric, scale, FLOAT32), scale)


def round_to_float16(X: AnyArray, unit: float) -> AnyArray:
    """Round rows as packed ones were; values beyond their range stay as they are."""
    values = X.astype(np.float64) / unit
    with np.errstate(over="ignore"):
        rounded = values.astype(FLOAT16).astype(np.float64)
    return np.where(np.isfinite(rounded), rounded, values) * unit


def exact_type(values: AnyArray) -> np.dtype[Any] | None:
    """Return the smallest type that holds every value exactly, None if only a larger one does."""
    possible: tuple[np.dtype[Any], ...] = EXACT_TYPES
    for block in _blocks(values):
        with np.errstate(invalid="ignore", over="ignore"):
            possible = tuple(kind for kind in possible if (block.astype(kind) == block).all())
        if not possible:
            return None
    return possible[0]


def _pack_sparse(X: Any, metric: Metric, scale: float) -> PackedRows:
    matrix = sp.csr_matrix(X, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if exact_type(matrix.data) is not None:
        return PackedRows(matrix.astype(np.float32), None)
    rows: Any = prepare_rows(matrix, metric, scale=scale)
    if metric != "cosine":
        return PackedRows(rows, scale)
    # scipy knows no float16, so these are float32 values that float16 holds.
    rows.data = rows.data.astype(FLOAT16).astype(np.float32)
    return PackedRows(rows, 1.0)


def _converted(X: AnyArray, metric: Metric, unit: float, dtype: np.dtype[Any]) -> AnyArray:
    packed = np.empty(X.shape, dtype=dtype)
    start = 0
    for block in _blocks(X):
        stop = start + block.shape[0]
        if metric == "cosine":
            packed[start:stop] = prepare_rows(block, metric)
        else:
            packed[start:stop] = block.astype(np.float64) / unit
        start = stop
    return packed


def _unit_of(X: AnyArray) -> float:
    """Return the power of two that brings the largest value near the end of float16."""
    largest = max(max(float(block.max()), -float(block.min())) for block in _blocks(X))
    return math.ldexp(1.0, max(math.frexp(largest)[1] - _TOP_EXPONENT, _LEAST_EXPONENT))


def _squared_sizes(X: AnyArray, unit: float, scale: float) -> tuple[float, float]:
    """Return the mean squared length of what rounding takes from rows, and of the rows."""
    lost = length = 0.0
    for block in _blocks(X):
        values = block.astype(np.float64) / unit
        lost += float(np.square(values - values.astype(FLOAT16)).sum())
        length += float(np.square(values).sum())
    factor = (unit / scale) ** 2 / X.shape[0]
    return lost * factor, length * factor


def _blocks(values: AnyArray) -> Iterator[AnyArray]:
    """Cut rows, or loose values, into blocks of about a million entries."""
    step = max(1, _BLOCK_ENTRIES // math.prod(values.shape[1:]))
    for start in range(0, values.shape[0], step):
        yield np.asarray(values[start : start + step])
