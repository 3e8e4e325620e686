"""Exact search: matrix products in blocks, then ranking of all that could be among the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._costs import NANOSECOND
from graphpac._threads import map_in_threads, single_threaded_blas
from graphpac._typing import (
    FloatMatrix,
    FloatVector,
    IntVector,
    Metric,
    Progress,
    RandomState,
)
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import Rows, csr_arrays, squared_lengths
from graphpac.graph.searchers.base import Neighbors, Ranking, SearchCost, stack
from graphpac.graph.searchers.score_bounds import ScoreBounds
from graphpac.graph.searchers.tiles import RankedBlock, rank_mutually, rank_tile
from graphpac.kernels.distances import multiply_sparse_rows

BLOCK_ROWS = 512
_BLOCK_NANOSECONDS = 2.5e8  # who waits for Ctrl-C waits for a block, also on a slower machine
_TILE_ROWS = 4096  # 512 x 4096 scores are 8 MB, so the passes over them stay in the cache
_SPARSE_QUERY_ENTRIES = 1 << 23  # scores of sparse rows are made for all rows at once
_PAIRED_ROWS = 1008  # lines of scores 4,096 bytes apart would share a few lines of the cache
_PAIRED_SHARE = 16  # rows of a block for each neighbor, so that one block bounds them well


@dataclass(frozen=True, slots=True)
class ExactSearcher:
    """Finds the true neighbors, at a cost of n^2 d operations, half of that for all rows at once.

    The answer is exactly the k best by (value, index), also among any number of duplicates: the
    products of BLAS only rule out pairs that are too far by more than their rounding error.
    """

    def index(
        self,
        rows: Rows,
        *,
        metric: Metric,
        n_jobs: int,
        random_state: RandomState,  # noqa: ARG002 (nothing here is random)
    ) -> ExactIndex:
        """Keep the rows and what bounds the error of their products."""
        return ExactIndex(rows, metric, n_jobs)

    def cost(self, size: DataSize, n_neighbors: int, n_jobs: int) -> SearchCost:
        """Tell what it takes to compare all rows with all, in blocks of rows."""
        n, n_tasks = size.n_samples, -(-size.n_samples // BLOCK_ROWS)
        ranking = ranking_nanoseconds(n_neighbors, size.n_entries / n)
        if size.form == "sparse":
            # Rows by feature, made in two steps; and scores of a block with all rows.
            indexing = 12.0 * size.n_entries
            block = 4.0 * min(_SPARSE_QUERY_ENTRIES, BLOCK_ROWS * n)
            comparing = exact_sparse_nanoseconds(n, size.n_products / n)
        else:
            # Squared lengths; and of a tile the scores, what is ranked of them, centered rows.
            indexing = 4.0 * n
            comparing = exact_nanoseconds(n, size.n_features)
            tile_rows, n_queries = _TILE_ROWS, BLOCK_ROWS
            if _PAIRED_ROWS >= _PAIRED_SHARE * n_neighbors:
                comparing *= 0.54  # every product serves two rows
                tile_rows = n_queries = _PAIRED_ROWS
                n_blocks = -(-n // _PAIRED_ROWS)
                n_tasks = n_blocks * (n_blocks + 1) // 2
            block = 4.0 * min(n, tile_rows) * (n_queries + 90 + size.n_features)
        seconds = n * (comparing + ranking) / n_jobs * NANOSECOND
        return SearchCost(indexing, indexing + min(n_jobs, n_tasks) * block, seconds)


class ExactIndex:
    """Rows to compare everything with."""

    def __init__(self, rows: Rows, metric: Metric, n_jobs: int) -> None:
        self._rows = rows
        self._metric: Metric = metric
        self._n_jobs = n_jobs
        # Far from the origin the products of a Euclidean search would drown the distances.
        dense_euclidean = metric == "euclidean" and not sp.issparse(rows)
        self._center = _mean_row(rows) if dense_euclidean else None
        self._by_feature = csr_arrays(sp.csr_matrix(rows.T)) if sp.issparse(rows) else None
        self._squares = self._squared_lengths(rows)
        self._bounds = ScoreBounds(metric, rows.shape[1])

    def neighbors(self, n_neighbors: int, progress: Progress | None = None) -> Neighbors:
        """Find the neighbors of every indexed row, itself excluded."""
        step = self._rows_per_pair(n_neighbors)
        if self._by_feature is None and step >= _PAIRED_SHARE * n_neighbors:
            return self._search_pairs(n_neighbors, step, progress)
        own = np.arange(self._rows.shape[0], dtype=np.int32)
        return self.search(self._rows, own, n_neighbors, progress)

    def query(self, queries: Rows, n_neighbors: int) -> Neighbors:
        """Find the indexed rows nearest to new rows."""
        own = np.full(queries.shape[0], -1, dtype=np.int32)
        return self.search(queries, own, n_neighbors)

    def search(
        self,
        queries: Rows,
        own: IntVector,
        n_neighbors: int,
        progress: Progress | None = None,
    ) -> Neighbors:
        """Find the rows nearest to queries, leaving out row own[i] for query i (-1: none)."""
        squares = self._squares if queries is self._rows else self._squared_lengths(queries)
        n_rows = self._rows.shape[0]
        step, tile = self._rows_per_block(n_neighbors), _TILE_ROWS
        if self._by_feature is not None:
            step, tile = max(1, min(step, _SPARSE_QUERY_ENTRIES // n_rows)), n_rows

        def search_block(start: int) -> Neighbors:
            block = slice(start, start + step)
            ranking = Ranking(self._rows, queries[block], own[block], n_neighbors, self._metric)
            centered = self._centered(queries[block])
            # The tile of the queries themselves comes first: in data sorted by anything, their
            # neighbors are there, and the bound they give leaves little to measure elsewhere.
            tiles = range(0, n_rows, tile)
            shift = start // tile % len(tiles)
            for first in (*tiles[shift:], *tiles[:shift]):
                scores = self._scores(centered, first, min(first + tile, n_rows))
                row_squares = self._squares[first : first + tile]
                rank_tile(ranking, scores, self._bounds, squares[block], row_squares, first)
            return ranking.result()

        starts = range(0, queries.shape[0], step)
        with single_threaded_blas():
            return stack(map_in_threads(search_block, starts, self._n_jobs, progress), n_neighbors)

    def _search_pairs(self, n_neighbors: int, step: int, progress: Progress | None) -> Neighbors:
        """Compare every two blocks of rows once, for both of them.

        Threads may share the pairs as they like: whatever comes first, the nearest are the same.
        """
        n_rows = self._rows.shape[0]
        numbers = np.arange(n_rows, dtype=np.int32)
        blocks = [
            RankedBlock(
                start,
                self._squares[start : start + step],
                Ranking(self._rows, self._rows[some], numbers[some], n_neighbors, self._metric),
            )
            for start in range(0, n_rows, step)
            for some in (slice(start, start + step),)
        ]

        def rank_pair(pair: tuple[RankedBlock, RankedBlock]) -> None:
            one, other = pair
            queries = self._centered(self._rows[one.first : one.first + step])
            scores = self._scores(queries, other.first, min(other.first + step, n_rows))
            if one is other:
                one.add_own(scores, self._bounds)
            else:
                rank_mutually(scores, one, other, self._bounds)

        # Every block meets itself first: in data sorted by anything, neighbors are there, and the
        # bounds they give leave little to measure elsewhere.
        pairs = [
            (blocks[place], blocks[place + distance])
            for distance in range(len(blocks))
            for place in range(len(blocks) - distance)
        ]
        with single_threaded_blas():
            map_in_threads(rank_pair, pairs, self._n_jobs, progress)
        return stack([block.ranking.result() for block in blocks], n_neighbors)

    def _rows_per_pair(self, n_neighbors: int) -> int:
        n_features = self._rows.shape[1]
        most = (_BLOCK_NANOSECONDS / exact_nanoseconds(1, n_features)) ** 0.5
        ranked = _BLOCK_NANOSECONDS / (2 * ranking_nanoseconds(n_neighbors, n_features))
        return max(1, int(min(_PAIRED_ROWS, most, ranked)))

    def _rows_per_block(self, n_neighbors: int) -> int:
        n_rows, n_features = self._rows.shape
        if self._by_feature is None:
            comparing = exact_nanoseconds(n_rows, n_features)
            n_entries = float(n_features)
        else:
            counts = np.diff(self._by_feature[0]).astype(np.float64)
            comparing = exact_sparse_nanoseconds(n_rows, float(counts @ counts) / max(1, n_rows))
            n_entries = counts.sum() / max(1, n_rows)
        each = comparing + ranking_nanoseconds(n_neighbors, n_entries)
        return max(1, min(BLOCK_ROWS, int(_BLOCK_NANOSECONDS / each)))

    def _scores(self, queries: Any, first: int, stop: int) -> FloatMatrix:
        scores: FloatMatrix
        if self._by_feature is None:
            scores = queries @ self._centered(self._rows[first:stop]).T
        else:
            scores = np.empty((queries.shape[0], stop - first), dtype=np.float32)
            multiply_sparse_rows(*csr_arrays(queries), *self._by_feature, scores)
        return scores

    def _centered(self, rows: Any) -> Any:
        return rows if self._center is None else rows - self._center

    def _squared_lengths(self, rows: Rows) -> FloatVector:
        if sp.issparse(rows):
            return squared_lengths(rows).astype(np.float32, copy=False)
        squares: FloatVector = np.empty(rows.shape[0], dtype=np.float32)
        for start in range(0, rows.shape[0], _TILE_ROWS):
            block = self._centered(rows[start : start + _TILE_ROWS])
            squares[start : start + _TILE_ROWS] = squared_lengths(block)
        return squares


def exact_nanoseconds(n_rows: float, n_features: float) -> float:
    """About how long one row is compared with all, on one core of 2.3 GHz."""
    return 0.024 * n_rows * (n_features + 90.0)


def exact_sparse_nanoseconds(n_rows: float, n_products: float) -> float:
    """About as long for sparse rows, of which one has so many products with all together."""
    return 1.2 * n_products + 2.7 * n_rows


def ranking_nanoseconds(n_neighbors: float, n_entries: float) -> float:
    """About how long the neighbors of one row of so many entries are measured and put in order."""
    return n_neighbors * (400.0 + 0.5 * n_entries)


def complete(
    found: Neighbors, rows: Rows, queries: Rows, own: IntVector, metric: Metric, n_jobs: int
) -> Neighbors:
    """Search exactly for the queries of which an approximate search found too few neighbors."""
    available = rows.shape[0] - (own >= 0)
    expected = np.minimum(found.indices.shape[1], available)
    short = np.flatnonzero(np.sum(found.indices >= 0, axis=1) < expected)
    if short.size:
        again = ExactIndex(rows, metric, n_jobs).search(
            queries[short], own[short], found.indices.shape[1]
        )
        found.indices[short], found.values[short] = again
    return found


def _mean_row(rows: Any) -> FloatVector:
    total = np.zeros(rows.shape[1], dtype=np.float64)
    for start in range(0, rows.shape[0], _TILE_ROWS):
        total += rows[start : start + _TILE_ROWS].sum(axis=0, dtype=np.float64)
    mean: FloatVector = (total / max(1, rows.shape[0])).astype(np.float32)
    return mean
