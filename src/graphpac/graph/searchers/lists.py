"""Approximate search in lists of our own: principal components, near lists, exact ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._costs import NANOSECOND
from graphpac._random import as_generator
from graphpac._threads import map_in_threads, single_threaded_blas
from graphpac._typing import (
    AnyArray,
    FloatMatrix,
    IntMatrix,
    IntVector,
    Metric,
    Progress,
    RandomState,
)
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import Rows
from graphpac.graph.searchers.base import NeighborIndex, Neighbors, Ranking, SearchCost, stack
from graphpac.graph.searchers.exact import (
    ExactIndex,
    ExactSearcher,
    complete,
    ranking_nanoseconds,
)
from graphpac.graph.searchers.faiss_index import FaissSearcher
from graphpac.graph.searchers.grouping import find_centers, nearest_centers, store_lists
from graphpac.graph.searchers.projection import (
    TYPICAL_COORDINATES,
    fit_projection,
    sample_numbers,
    sample_size,
)
from graphpac.kernels.inverted_lists import find_in_lists, gather_lists, pick_nearest

_BLOCK_ROWS = 1024
_QUERY_ROWS = 32
_LIST_ROWS = 64
_LOOKED_AT_PER_NEIGHBOR = 20
_EXACT_SHARE = 20  # rows per candidate below which comparing with all of them takes less time


@dataclass(frozen=True, slots=True)
class ListsSearcher:
    """doc"""

    n_looked_at: int = 2500
    n_candidates: int | str = "auto"

    def candidates_of(self, n_neighbors: int) -> int:
        return 4 * (n_neighbors + 1) if self.n_candidates == "auto" else int(self.n_candidates)

    def lists_of(self, n_rows: int) -> int:
        """Count the lists so many rows are sorted into."""
        return max(1, min(n_rows // _LIST_ROWS, int(4.0 * n_rows**0.5)))

    def index(
        self, rows: Rows, *, metric: Metric, n_jobs: int, random_state: RandomState
    ) -> NeighborIndex:
        if metric == "inner_product":
            return FaissSearcher().index(
                rows, metric=metric, n_jobs=n_jobs, random_state=random_state
            )
        return ListsIndex(self, rows, metric, n_jobs, as_generator(random_state))


class ListsIndex:
    """Dense rows sorted into lists."""

    def __init__(
        self,
        options: ListsSearcher,
        rows: FloatMatrix,
        metric: Metric,
        n_jobs: int,
        rng: np.random.Generator,
    ) -> None:
        self._options = options
        self._rows = rows
        self._metric: Metric = metric
        self._n_jobs = n_jobs
        n_rows = rows.shape[0]
        with single_threaded_blas():
            sample = rows[sample_numbers(n_rows, sample_size(rows.shape[1]), rng)]
            self._projection = fit_projection(sample, "auto")
            del sample
            places = self._places()
            centers = find_centers(places, options.lists_of(n_rows), n_jobs, rng)
            chosen = nearest_centers(places, centers, n_jobs)
            self._lists = store_lists(places, chosen, centers.shape[0])

    def _places(self) -> FloatMatrix:
        """Project all rows."""
        n_rows = self._rows.shape[0]
        places = np.empty((n_rows, self._projection.components.shape[1]), dtype=np.float32)

        def fill(start: int) -> None:
            some = slice(start, start + _BLOCK_ROWS)
            places[some] = self._projection.apply(self._rows[some])

        map_in_threads(fill, range(0, n_rows, _BLOCK_ROWS), self._n_jobs)
        return places

    def neighbors(self, n_neighbors: int, progress: Progress | None = None) -> Neighbors:
        """Find the neighbors of every indexed row, itself excluded."""
        n_rows = self._rows.shape[0]
        shape = (n_rows, n_neighbors)
        found = Neighbors(np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.float32))
        begins = self._lists.begins

        def search_list(number: int) -> None:
            own = self._lists.numbers[begins[number] : begins[number + 1]]
            ranking = Ranking(self._rows, self._rows[own], own, n_neighbors, self._metric)
            ranking.add(self._candidates_of_list(number, n_neighbors))
            found.indices[own], found.values[own] = ranking.result()

        with single_threaded_blas():
            map_in_threads(search_list, range(begins.size - 1), self._n_jobs, progress)
        own = np.arange(n_rows, dtype=np.int32)
        return complete(found, self._rows, self._rows, own, self._metric, self._n_jobs)

    def _candidates_of_list(self, number: int, n_neighbors: int) -> IntMatrix:
        """Look for the rows of a list in the lists that are nearest to any of them."""
        lists = self._lists
        places = lists.places[lists.begins[number] : lists.begins[number + 1]]
        keys = (lists.center_halves - places @ lists.centers.T).T
        keys += np.einsum("ij,ij->i", places, places) / 2
        order = np.argsort(keys.min(axis=1), kind="stable")
        counts = np.diff(lists.begins)[order].cumsum()
        n_chosen = 1 + int(np.searchsorted(counts, min(self._looked_at(n_neighbors), counts[-1])))
        count = int(counts[n_chosen - 1])
        near = np.empty((count, places.shape[1]), dtype=np.float32)
        halves, numbers = np.empty(count, dtype=np.float32), np.empty(count, dtype=np.int32)
        gather_lists(lists, order[:n_chosen], near, halves, numbers)
        candidates = self._room(places.shape[0], n_neighbors)
        pick_nearest(places @ near.T, halves, numbers, candidates)
        return candidates

    def _looked_at(self, n_neighbors: int) -> int:
        return max(self._options.n_looked_at, _LOOKED_AT_PER_NEIGHBOR * n_neighbors)

    def _room(self, n_queries: int, n_neighbors: int) -> IntMatrix:
        count = min(self._options.candidates_of(n_neighbors), self._rows.shape[0])
        return np.empty((n_queries, count), dtype=np.int32)
