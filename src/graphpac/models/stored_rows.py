"""The rows of a fit in as few bytes as `predict` can do with.

==================  ================================================================================
rows                are stored as
==================  ================================================================================
whole, -128 to 255  uint8 or int8 whatever their type was, exactly
exact in float16    float16, exactly
cosine, euclidean   float16, if that moves rows by less than a hundredth of the distance between
                    neighbors (root mean squares both); under "cosine" as rows of length one
inner_product       float16, if that changes products by less than a hundredth likewise; in either
                    case only if nearly all rows are large enough, beside the largest, to keep the
                    precision of float16, and no two of them become equal
all others          float32, which is what a search compares
==================  ================================================================================

Values that float16 rounds are divided by a power of two first, so that neither large nor small ones
leave its range. Sparse rows are rounded under "cosine" only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, Metric
from graphpac.graph.copies import find_copies
from graphpac.graph.rows import prepare_rows
from graphpac.prediction.rounding import FLOAT16, largest_stored

FLOAT32 = np.dtype(np.float32)
EXACT_TYPES = (np.dtype(np.uint8), np.dtype(np.int8), FLOAT16)
ROW_TYPES = (*EXACT_TYPES, FLOAT32)

_BLOCK_ENTRIES = 1 << 20
_TOP_EXPONENT = 15  # float16 ends at 2**16
_LEAST_EXPONENT = -1022  # of a float64 whose inverse is finite
_ROUNDING_ALLOWED = 0.01**2  # squared, as everything it is compared with
_COARSE = 2.0**-20  # squared: twice what rounding takes from any number that is normal in float16
_COARSE_ROWS_ALLOWED = 0.01  # of all rows: a few may be almost zero


class PackedRows(NamedTuple):
    """Values of rows, and what a one among them stands for; None if they are the caller's own."""

    values: Any
    unit: float | None


def pack_rows(X: Any, metric: Metric, *, scale: float, kernel_scale: float) -> PackedRows:
    """Choose the smallest form of the rows of a fit in which a search still finds the same.

    ``scale`` is the `row_scale` of the rows, ``kernel_scale`` the `local_scale` of their graph.
    """
    if sp.issparse(X):
        return _pack_sparse(X, metric, scale, kernel_scale)
    exact = exact_type(X)
    if exact is not None:
        return PackedRows(X.astype(exact, copy=False), None)
    unit = 1.0 if metric == "cosine" else _unit_of(X)
    lost, length = _squared_sizes(_in_units(X, metric, unit), X.shape[0], unit / scale)
    room = 1.0 / length if metric == "inner_product" else kernel_scale
    coarse = _count_coarse_rows(_in_units(X, metric, unit))
    if lost <= _ROUNDING_ALLOWED * room and coarse <= _COARSE_ROWS_ALLOWED * X.shape[0]:
        packed = _collected(_in_units(X, metric, unit), X.shape, FLOAT16, unit)
        if _count_kinds(packed, metric, scale / unit) == _count_kinds(X, metric, scale):
            return PackedRows(packed, unit)
    if X.dtype == FLOAT32:
        return PackedRows(X, None)
    return PackedRows(_collected(_in_units(X, metric, scale), X.shape, FLOAT32, scale), scale)


def _count_kinds(X: AnyArray, metric: Metric, scale: float) -> int:
    """Count the rows a search can tell apart."""
    rows = prepare_rows(X, metric, scale=scale)
    copies = find_copies(rows)
    return int(rows.shape[0] if copies is None else copies.originals.size)


def exact_type(values: AnyArray) -> np.dtype[Any] | None:
    """Return the smallest type that holds every value exactly, None if only a larger one does."""
    possible: tuple[np.dtype[Any], ...] = EXACT_TYPES
    for block in _blocks(values):
        with np.errstate(invalid="ignore", over="ignore"):
            possible = tuple(kind for kind in possible if (block.astype(kind) == block).all())
        if not possible:
            return None
    return possible[0]


def _pack_sparse(X: Any, metric: Metric, scale: float, kernel_scale: float) -> PackedRows:
    matrix = sp.csr_matrix(X, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if exact_type(matrix.data) is not None:
        return PackedRows(matrix.astype(np.float32), None)
    rows: Any = prepare_rows(matrix, metric, scale=scale)
    if metric == "cosine":
        lost, _ = _squared_sizes(_blocks(rows.data), X.shape[0], 1.0)
        if lost <= _ROUNDING_ALLOWED * kernel_scale:
            # scipy knows no float16, so these are float32 values that float16 holds.
            rows.data = rows.data.astype(FLOAT16).astype(np.float32)
    return PackedRows(rows, scale)


def _in_units(X: AnyArray, metric: Metric, unit: float) -> Iterator[AnyArray]:
    """Yield blocks of rows as they are to be stored, but for the rounding."""
    for block in _blocks(X):
        if metric == "cosine":
            yield prepare_rows(block, metric)
        else:
            yield block.astype(np.float64) / unit


def _collected(
    blocks: Iterator[AnyArray], shape: tuple[int, ...], dtype: np.dtype[Any], unit: float
) -> AnyArray:
    packed = np.empty(shape, dtype=dtype)
    largest = largest_stored(dtype, unit)
    start = 0
    for block in blocks:
        rounded = block.astype(dtype, copy=False)
        packed[start : start + block.shape[0]] = np.clip(rounded, -largest, largest)
        start += block.shape[0]
    return packed


def _unit_of(X: AnyArray) -> float:
    """Return the power of two that brings the largest value near the end of float16."""
    largest = max(max(float(block.max()), -float(block.min())) for block in _blocks(X))
    return math.ldexp(1.0, max(math.frexp(largest)[1] - _TOP_EXPONENT, _LEAST_EXPONENT))


def _squared_sizes(blocks: Iterator[AnyArray], n_rows: int, factor: float) -> tuple[float, float]:
    """Return the mean squared length of what float16 takes from rows, and of the rows.

    The factor turns their units into those of the search.
    """
    lost = length = 0.0
    for block in blocks:
        lost += float(np.square(block - block.astype(FLOAT16), dtype=np.float64).sum())
        length += float(np.square(block, dtype=np.float64).sum())
    return lost * factor**2 / n_rows, length * factor**2 / n_rows


def _count_coarse_rows(blocks: Iterator[AnyArray]) -> int:
    """Count rows of which float16 takes more than rounding: beside huge ones, all they are.

    The sizes of all rows together tell nothing of that, as the huge ones make them up.
    """
    count = 0
    for block in blocks:
        lost = np.square(block - block.astype(FLOAT16), dtype=np.float64).sum(axis=1)
        length = np.square(block, dtype=np.float64).sum(axis=1)
        count += int(np.count_nonzero(lost > _COARSE * length))
    return count


def _blocks(values: AnyArray) -> Iterator[AnyArray]:
    """Cut rows, or loose values, into blocks of about a million entries."""
    step = max(1, _BLOCK_ENTRIES // math.prod(values.shape[1:]))
    for start in range(0, values.shape[0], step):
        yield np.asarray(values[start : start + step])
