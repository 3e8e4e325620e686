"""What a neighbor searcher is, and the ranking all of them end with."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from graphpac._typing import (
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    Metric,
    OffsetVector,
    Progress,
    RandomState,
)
from graphpac.graph.rows import Rows, csr_arrays
from graphpac.kernels import distances

METRIC_CODES: dict[Metric, int] = {
    "cosine": distances.COSINE,
    "euclidean": distances.EUCLIDEAN,
    "inner_product": distances.INNER_PRODUCT,
}


class Neighbors(NamedTuple):
    """Neighbors of each row, nearest first, ties by index.

    indices is -1 where there are fewer neighbors than asked for; values is infinite there (minus
    infinity under "inner_product").
    """

    indices: IntMatrix
    values: FloatMatrix

    def lists(self) -> tuple[OffsetVector, IntVector, FloatVector]:
        """Return where the list of each row begins, the neighbors of all rows and their values."""
        present = self.indices >= 0
        indptr: OffsetVector = np.zeros(present.shape[0] + 1, dtype=np.int64)
        np.cumsum(present.sum(axis=1), out=indptr[1:])
        return indptr, self.indices[present], self.values[present]


class NeighborIndex(Protocol):
    """Rows made ready for searching."""

    def neighbors(self, n_neighbors: int, progress: Progress | None = None) -> Neighbors:
        """Find the neighbors of every indexed row, itself excluded by its number."""

    def query(self, queries: Rows, n_neighbors: int) -> Neighbors:
        """Find the indexed rows nearest to new rows, prepared as the indexed ones were.

        The answer for a row does not depend on which other rows are asked for with it.
        """


class SearchCost(NamedTuple):
    """Bytes beside the rows and the answer, and seconds on the known machine (`graphpac._costs`).

    ``indexing`` is what is taken while rows are made ready, ``searching`` while neighbors of all of
    them are found, ``seconds`` the time of both.
    """

    indexing: float
    searching: float
    seconds: float


class NeighborSearcher(Protocol):
    """A way to find neighbors. Instances hold options only and may stand in place of a name.

    A searcher may also have a method ``cost(size, n_neighbors, n_jobs)`` that returns the
    `SearchCost` of rows of a `DataSize`; estimates of a fit ask for it. One without is taken to
    need no memory of its own, and the time of "auto".
    """

    def index(
        self, rows: Rows, *, metric: Metric, n_jobs: int, random_state: RandomState
    ) -> NeighborIndex:
        """Make rows, the result of `prepare_rows`, ready for searching."""


class Ranking:
    """The nearest neighbors of a block of queries found so far; candidates are added until done."""

    def __init__(
        self, rows: Rows, queries: Rows, own: IntVector, n_best: int, metric: Metric
    ) -> None:
        self._rows = rows
        self._queries = queries
        self.own = own
        self._metric = metric
        self.indices: IntMatrix = np.full((queries.shape[0], n_best), -1, dtype=np.int32)
        self.keys: FloatMatrix = np.full((queries.shape[0], n_best), np.inf, dtype=np.float32)

    def add(self, candidates: IntMatrix) -> None:
        """Measure the candidates of each query, -1 for none, and keep the nearest."""
        keys = np.empty(candidates.shape, dtype=np.float32)
        code = METRIC_CODES[self._metric]
        if sp.issparse(self._rows):
            distances.measure_sparse_pairs(
                *csr_arrays(self._rows), *csr_arrays(self._queries), candidates, code, keys
            )
        else:
            distances.measure_pairs(self._rows, self._queries, candidates, code, keys)
        bits, own_bits = keys.view(np.int32), self.keys.view(np.int32)
        distances.keep_nearest(candidates, bits, self.own, self.indices, own_bits)

    def rank_some(self, numbers: OffsetVector, add_to: Callable[[Ranking], None]) -> None:
        """Let candidates be added to a ranking of some of the queries only."""
        n_best = self.keys.shape[1]
        some = Ranking(self._rows, self._queries[numbers], self.own[numbers], n_best, self._metric)
        some.indices[:], some.keys[:] = self.indices[numbers], self.keys[numbers]
        add_to(some)
        self.indices[numbers], self.keys[numbers] = some.indices, some.keys

    def result(self) -> Neighbors:
        """Return what was kept."""
        # Not -self.keys: a product of zero would come out as -0.0.
        values = 0.0 - self.keys if self._metric == "inner_product" else self.keys
        return Neighbors(self.indices, values)


def stack(blocks: list[Neighbors], n_neighbors: int) -> Neighbors:
    """Join the answers of consecutive blocks of queries."""
    if not blocks:
        shape = (0, n_neighbors)
        return Neighbors(np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.float32))
    return Neighbors(
        np.concatenate([block.indices for block in blocks]),
        np.concatenate([block.values for block in blocks]),
    )
