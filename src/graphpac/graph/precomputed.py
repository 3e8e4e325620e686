"""Reading neighbors off a matrix of distances that the caller computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray
from graphpac.graph.neighbor_graph import NeighborGraph
from graphpac.graph.searchers import Neighbors
from graphpac.graph.searchers.base import stack

_BLOCK_ENTRIES = 1 << 22


def graph_of_distances(X: Any, n_neighbors: int) -> NeighborGraph:
    """Connect each sample to its nearest others in a square matrix of distances.

    In a sparse matrix what is not stored is no neighbor, and a stored zero is one.
    """
    if X.shape[0] != X.shape[1]:
        msg = (
            "metric='precomputed' needs the distances of all samples to each other, a square "
            f"matrix, but X has the shape {X.shape}: pass those, or choose another metric."
        )
        raise ValueError(msg)
    _check_not_negative(X)
    if sp.issparse(X):
        return NeighborGraph.from_distances(X, metric="euclidean", n_neighbors=n_neighbors)
    found = _nearest_in_dense(X, n_neighbors, leave_out_diagonal=True)
    return NeighborGraph.from_neighbors(*found, metric="euclidean")


def sorting_bytes(n_entries: int, *, dense: bool) -> float:
    """Bytes it takes beside the answer: a dense matrix is sorted in blocks, a sparse one whole."""
    return 20.0 * min(n_entries, _BLOCK_ENTRIES) if dense else 50.0 * n_entries


def nearest_columns(X: Any, n_neighbors: int) -> Neighbors:
    """Return the columns with the smallest distances in each row, ties by column."""
    _check_not_negative(X)
    if not sp.issparse(X):
        return _nearest_in_dense(X, n_neighbors, leave_out_diagonal=False)
    entries = sp.csr_matrix(X, copy=True)
    entries.sum_duplicates()
    rows = np.repeat(np.arange(X.shape[0]), np.diff(entries.indptr))
    values = _to_float32(entries.data)
    return _first_of_each_row(rows, entries.indices, values, X.shape[0], n_neighbors)


def _check_not_negative(X: Any) -> None:
    values = X.data if sp.issparse(X) else X
    if values.size and values.min() < 0:
        msg = (
            f"Negative values in data: metric='precomputed' needs distances, but X holds "
            f"{values.min():g}; of similarities make a graph with NeighborGraph.from_similarities."
        )
        raise ValueError(msg)


def _nearest_in_dense(X: AnyArray, n_neighbors: int, *, leave_out_diagonal: bool) -> Neighbors:
    n_rows, n_columns = X.shape
    step = max(1, _BLOCK_ENTRIES // n_columns)
    blocks = []
    for start in range(0, n_rows, step):
        block = _to_float32(X[start : start + step])
        if leave_out_diagonal:
            own = np.arange(start, start + block.shape[0])
            block[own - start, own] = np.inf
        farthest = np.partition(block, n_neighbors - 1, axis=1)[:, n_neighbors - 1, np.newaxis]
        rows, columns = np.nonzero(block <= farthest)
        values = block[rows, columns]
        blocks.append(_first_of_each_row(rows, columns, values, block.shape[0], n_neighbors))
    return stack(blocks, n_neighbors)


def _first_of_each_row(
    rows: AnyArray, columns: AnyArray, values: AnyArray, n_rows: int, n_neighbors: int
) -> Neighbors:
    """Sort loose entries by row, value and column, and keep the first of each row."""
    order = np.lexsort((columns, values, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    starts = np.searchsorted(rows, np.arange(n_rows))
    places = np.arange(rows.size) - starts[rows]
    keep = places < n_neighbors
    found = Neighbors(
        np.full((n_rows, n_neighbors), -1, dtype=np.int32),
        np.full((n_rows, n_neighbors), np.inf, dtype=np.float32),
    )
    found.indices[rows[keep], places[keep]] = columns[keep]
    found.values[rows[keep], places[keep]] = values[keep]
    return found


def _to_float32(values: AnyArray) -> AnyArray:
    with np.errstate(over="ignore"):  # what float32 cannot hold counts as infinitely far
        return np.array(values, dtype=np.float32)
