"""Approximate search in lists of our own: principal components, near lists, exact ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from graphpac._costs import NANOSECOND
from graphpac._random import as_generator
from graphpac._threads import map_in_threads, single_threaded_blas
from graphpac._typing import FloatMatrix, IntMatrix, Metric, Progress, RandomState
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
from graphpac.graph.searchers.grouping import (
    LONGEST,
    TRAINING_ROWS,
    find_centers,
    nearest_centers,
    store_lists,
)
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
    """Finds almost all true neighbors of dense rows by matrix products with the rows around them.

    Rows are projected to their principal components and sorted into small lists around centers.
    The rows of a list are compared with those of the lists nearest to any of them in one matrix
    product; the nearest are measured exactly on the full rows, so a neighbor may be missing, and
    nothing else is approximate. Inner products are searched by `FaissSearcher`.

    Parameters
    ----------
    n_looked_at : int
        Rows that each row is compared with, at least; 20 times the neighbors asked for if those are
        more. New rows are looked for in lists of their own choice, which need half as many. More
        finds more and takes longer.
    n_candidates : int or "auto"
        Candidates measured exactly for each row, "auto" is 4 (n_neighbors + 1). Where that is a
        twentieth of all rows, all are compared instead.
    """

    n_looked_at: int = 5000
    n_candidates: int | str = "auto"

    def __post_init__(self) -> None:
        for name in ("n_looked_at", "n_candidates"):
            value = getattr(self, name)
            automatic = value == "auto" and name == "n_candidates"
            if not automatic and (not isinstance(value, int | np.integer) or value < 1):
                msg = f"ListsSearcher: {name}={value!r} must be a whole number from 1 up."
                raise ValueError(msg)

    def candidates_of(self, n_neighbors: int) -> int:
        """Count the candidates that are measured to find so many neighbors."""
        return 4 * (n_neighbors + 1) if self.n_candidates == "auto" else int(self.n_candidates)

    def compares_all(self, n_rows: int, n_neighbors: int) -> bool:
        """Tell whether so many neighbors of so many rows are found sooner by exact search."""
        automatic = self.n_candidates == "auto"
        return automatic and _EXACT_SHARE * self.candidates_of(n_neighbors) >= n_rows

    def lists_of(self, n_rows: int) -> int:
        """Count the lists so many rows are sorted into."""
        return max(1, min(n_rows // _LIST_ROWS, int(4.0 * n_rows**0.5)))

    def looked_at(self, n_rows: int, n_neighbors: int) -> int:
        """Count the rows each row is compared with."""
        return min(n_rows, max(self.n_looked_at, _LOOKED_AT_PER_NEIGHBOR * n_neighbors))

    def cost(self, size: DataSize, n_neighbors: int, n_jobs: int) -> SearchCost:
        """Tell what it takes to project rows, sort them into lists and compare near ones."""
        n, d = size.n_samples, size.n_features
        if self.compares_all(n, n_neighbors):
            return ExactSearcher().cost(size, n_neighbors, n_jobs)
        coordinates = min(d, TYPICAL_COORDINATES)
        n_lists, n_near = self.lists_of(n), self.looked_at(n, n_neighbors)
        places = 4.0 * n * (coordinates + 16)  # coordinates, and those being moved
        training = 4.0 * TRAINING_ROWS * n_lists * coordinates
        list_rows = LONGEST * n / n_lists
        sampled = 8.0 * min(n, sample_size(d)) * d  # and centered
        block = 4.0 * n_near * (coordinates + list_rows) + 4.0 * list_rows * (n_lists + d)
        compared = coordinates * (d + (2 + 4 * TRAINING_ROWS * n_lists / n) * n_lists + n_near)
        nanoseconds = 0.03 * compared + 2.5 * n_near
        nanoseconds += ranking_nanoseconds(self.candidates_of(n_neighbors), d)
        return SearchCost(
            max(sampled, places + training),
            places + n_jobs * block,
            n * nanoseconds / n_jobs * NANOSECOND,
        )

    def index(
        self, rows: Rows, *, metric: Metric, n_jobs: int, random_state: RandomState
    ) -> NeighborIndex:
        """Find the projection and the centers on samples, and sort the rows into the lists."""
        if sp.issparse(rows):
            msg = 'searcher="lists" needs dense rows: use "nndescent" or "exact" for sparse ones.'
            raise ValueError(msg)
        if metric == "inner_product":
            by_products = FaissSearcher(n_candidates=self.n_candidates)
            return by_products.index(rows, metric=metric, n_jobs=n_jobs, random_state=random_state)
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
            places = self._project_all()
            centers = find_centers(places, options.lists_of(n_rows), n_jobs, rng)
            chosen = nearest_centers(places, centers, n_jobs)
            self._lists = store_lists(places, chosen, centers.shape[0])

    def neighbors(self, n_neighbors: int, progress: Progress | None = None) -> Neighbors:
        """Find the neighbors of every indexed row, itself excluded."""
        n_rows = self._rows.shape[0]
        if self._options.compares_all(n_rows, n_neighbors):
            return self._exact().neighbors(n_neighbors, progress)
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

    def query(self, queries: Rows, n_neighbors: int) -> Neighbors:
        """Find the indexed rows nearest to new rows."""
        if self._options.compares_all(self._rows.shape[0], n_neighbors):
            return self._exact().query(queries, n_neighbors)
        nobody = np.full(queries.shape[0], -1, dtype=np.int32)

        def search_block(start: int) -> Neighbors:
            block = queries[start : start + _QUERY_ROWS]
            # A matrix product may round differently for another number of rows, so every block has
            # the same: what is found for a row must not depend on its company.
            padded = np.pad(block, ((0, _QUERY_ROWS - block.shape[0]), (0, 0)))
            places = self._projection.apply(padded)[: block.shape[0]]
            own = nobody[start : start + _QUERY_ROWS]
            ranking = Ranking(self._rows, block, own, n_neighbors, self._metric)
            ranking.add(self._candidates_of_places(places, n_neighbors))
            return ranking.result()

        starts = range(0, queries.shape[0], _QUERY_ROWS)
        with single_threaded_blas():
            found = stack(map_in_threads(search_block, starts, self._n_jobs), n_neighbors)
        return complete(found, self._rows, queries, nobody, self._metric, self._n_jobs)

    def _exact(self) -> ExactIndex:
        return ExactIndex(self._rows, self._metric, self._n_jobs)

    def _project_all(self) -> FloatMatrix:
        n_rows = self._rows.shape[0]
        places = np.empty((n_rows, self._projection.components.shape[1]), dtype=np.float32)

        def fill(start: int) -> None:
            some = slice(start, start + _BLOCK_ROWS)
            places[some] = self._projection.apply(self._rows[some])

        map_in_threads(fill, range(0, n_rows, _BLOCK_ROWS), self._n_jobs)
        return places

    def _candidates_of_list(self, number: int, n_neighbors: int) -> IntMatrix:
        """Look for the rows of a list in the lists nearest to any of them."""
        lists = self._lists
        some = slice(lists.begins[number], lists.begins[number + 1])
        places = lists.places[some]
        products = places @ lists.centers.T
        products -= lists.halves[some, np.newaxis]
        order = np.argsort(lists.center_halves - products.max(axis=0), kind="stable")
        counts = np.diff(lists.begins)[order].cumsum()
        n_near = self._options.looked_at(self._rows.shape[0], n_neighbors)
        n_chosen = 1 + int(np.searchsorted(counts, n_near))
        n_near = int(counts[n_chosen - 1])
        near = np.empty((n_near, places.shape[1]), dtype=np.float32)
        halves, numbers = np.empty(n_near, dtype=np.float32), np.empty(n_near, dtype=np.int32)
        gather_lists(lists, order[:n_chosen], near, halves, numbers)
        candidates = self._room(places.shape[0], n_neighbors)
        pick_nearest(places @ near.T, halves, numbers, candidates)
        return candidates

    def _candidates_of_places(self, places: FloatMatrix, n_neighbors: int) -> IntMatrix:
        """Look for each place in the lists nearest to it."""
        n_rows, n_lists = self._rows.shape[0], self._lists.begins.size - 1
        n_near = -(-self._options.looked_at(n_rows, n_neighbors) // 2)
        # Lists that hold so many rows even if they are half as long as others.
        most = min(n_lists, -(-2 * n_near * n_lists // n_rows))
        candidates = self._room(places.shape[0], n_neighbors)
        find_in_lists(places, self._lists, most, n_near, candidates)
        return candidates

    def _room(self, n_queries: int, n_neighbors: int) -> IntMatrix:
        count = min(self._options.candidates_of(n_neighbors), self._rows.shape[0])
        return np.empty((n_queries, count), dtype=np.int32)
