"""Approximate search by nearest neighbor descent (pynndescent), for dense and sparse rows."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from graphpac._optional import require
from graphpac._random import as_generator
from graphpac._threads import map_in_threads
from graphpac._typing import AnyArray, IntVector, Metric, Progress, RandomState
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import Rows, squared_lengths
from graphpac.graph.searchers.base import Neighbors, Ranking, SearchCost, stack
from graphpac.graph.searchers.exact import ExactIndex, ExactSearcher, complete
from graphpac.graph.searchers.lift import lift, lift_heights

_BLOCK_ROWS = 1024
_FEW_ROWS = 512
_COMPILED_BYTES = 100e6
_COMPILING_SECONDS = 45.0
_SEARCH_WIDTH = 0.1  # pynndescent's own default
# Lifted queries lie far from all rows. Recall with .1, .2, .3: digits .947, .979, .996, 10,000 rows
# of MNIST .992, .999, 1.0; the time there is 1.3, 4.8 and 12 seconds.
_PRODUCT_SEARCH_WIDTH = 0.2

# numba's default layer ends the process when two threads enter pynndescent's loops at once.
_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, slots=True)
class NNDescentSearcher:
    """Finds most true neighbors by looking among the neighbors of neighbors.

    The way for sparse rows too many for exact search. Needs the extra ``nndescent``. Its code is
    compiled in every new process, which takes most of a minute. It runs on one thread, because its
    answer depends on their number; ranking uses all. Fewer than 512 rows are searched exactly.
    """

    def cost(self, size: DataSize, n_neighbors: int, n_jobs: int) -> SearchCost:
        """Tell what the candidates of all rows take, and the loops it compiles."""
        n = size.n_samples
        if n < _FEW_ROWS:
            return ExactSearcher().cost(size, n_neighbors, n_jobs)
        n_bytes = 36.0 * n * (n_neighbors + 10) + _COMPILED_BYTES
        return SearchCost(n_bytes, n_bytes, 1e-4 * n + _COMPILING_SECONDS)

    def index(
        self, rows: Rows, *, metric: Metric, n_jobs: int, random_state: RandomState
    ) -> NNDescentIndex:
        """Keep the rows; the search itself needs to know the number of neighbors."""
        seed = int(as_generator(random_state).integers(np.iinfo(np.int32).max))
        return NNDescentIndex(rows, metric, n_jobs, seed)


class NNDescentIndex:
    """Rows and, once it was needed, the search structure of pynndescent."""

    def __init__(self, rows: Rows, metric: Metric, n_jobs: int, seed: int) -> None:
        # Asked for here, so that a missing package is reported before anything is computed.
        require("pynndescent", extra="nndescent", needed_for='searcher="nndescent"')
        self._rows = rows
        self._metric: Metric = metric
        self._n_jobs = n_jobs
        self._seed = seed
        self._structure: Any = None

    def neighbors(self, n_neighbors: int, progress: Progress | None = None) -> Neighbors:
        """Find the neighbors of every indexed row, itself excluded."""
        n_rows = self._rows.shape[0]
        if n_rows < _FEW_ROWS:
            return ExactIndex(self._rows, self._metric, self._n_jobs).neighbors(n_neighbors)
        own = np.arange(n_rows, dtype=np.int32)
        candidates = self._looked_up(self._rows, n_neighbors)
        return self._ranked(self._rows, own, candidates, n_neighbors, progress)

    def query(self, queries: Rows, n_neighbors: int) -> Neighbors:
        """Find the indexed rows nearest to new rows."""
        if self._rows.shape[0] < _FEW_ROWS:
            return ExactIndex(self._rows, self._metric, self._n_jobs).query(queries, n_neighbors)
        candidates = self._looked_up(queries, n_neighbors)
        nobody = np.full(queries.shape[0], -1, dtype=np.int32)
        return self._ranked(queries, nobody, candidates, n_neighbors)

    def _looked_up(self, queries: Rows, n_neighbors: int) -> AnyArray:
        """Return candidates for each query."""
        lifted = self._metric == "inner_product"
        candidates: AnyArray
        with _ONE_AT_A_TIME:
            structure = self._built(n_neighbors)
            if queries is self._rows and not lifted:
                # Not neighbor_graph: that is None when a row found fewer neighbors than asked for.
                candidates = structure._neighbor_graph[0]
            else:
                # As a query a row has height 0, so the graph of the lifted rows is of no use.
                asked = lift(queries) if lifted else queries
                width = _PRODUCT_SEARCH_WIDTH if lifted else _SEARCH_WIDTH
                candidates = structure.query(asked, k=_enough(n_neighbors), epsilon=width)[0]
        return candidates

    def _built(self, n_neighbors: int) -> Any:
        if self._structure is None:
            pynndescent = require(
                "pynndescent", extra="nndescent", needed_for='searcher="nndescent"'
            )
            rows: Any = self._rows
            if self._metric == "inner_product":
                rows = lift(rows, lift_heights(squared_lengths(rows)))
            # Euclidean neighbors of unit rows are the cosine neighbors.
            self._structure = pynndescent.NNDescent(
                rows,
                metric="euclidean",
                n_neighbors=min(_enough(n_neighbors), rows.shape[0]),
                random_state=self._seed,
                n_jobs=1,
            )
        return self._structure

    def _ranked(
        self,
        queries: Rows,
        own: IntVector,
        candidates: AnyArray,
        n_neighbors: int,
        progress: Progress | None = None,
    ) -> Neighbors:
        candidates = np.ascontiguousarray(candidates, dtype=np.int32)

        def rank_block(start: int) -> Neighbors:
            block = slice(start, start + _BLOCK_ROWS)
            ranking = Ranking(self._rows, queries[block], own[block], n_neighbors, self._metric)
            ranking.add(candidates[block])
            return ranking.result()

        starts = range(0, queries.shape[0], _BLOCK_ROWS)
        found = stack(map_in_threads(rank_block, starts, self._n_jobs, progress), n_neighbors)
        return complete(found, self._rows, queries, own, self._metric, self._n_jobs)


def _enough(n_neighbors: int) -> int:
    """Return how many candidates to look for: the row itself is one, and some will be wrong."""
    return max(20, 2 * (n_neighbors + 1))
