"""Approximate search with faiss: principal components, inverted lists, then exact ranking."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
    FloatVector,
    IntMatrix,
    IntVector,
    Metric,
    Progress,
    RandomState,
)
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import Rows
from graphpac.graph.searchers.base import Neighbors, Ranking, SearchCost, stack
from graphpac.graph.searchers.exact import (
    ExactIndex,
    ExactSearcher,
    complete,
    ranking_nanoseconds,
)
from graphpac.graph.searchers.lift import lift, lift_heights
from graphpac.graph.searchers.projection import (
    TYPICAL_COORDINATES,
    fit_projection,
    sample_numbers,
    sample_size,
)

_BLOCK_ROWS = 1024
_QUERY_ROWS = 32
# Blocks of more candidates have fewer rows, so that none takes a second.
_BLOCK_CANDIDATES = 1 << 19
_LOOKED_AT_PER_NEIGHBOR = 20  # in lists with fewer rows, many neighbors stand elsewhere
_EXACT_SHARE = 20  # rows per candidate below which comparing with all of them takes less time
_ADD_ROWS = 1 << 16  # projected rows held at a time while the lists are filled
_LIST_ROWS = 280
_TRAIN_ROWS_PER_LIST = 40  # faiss complains below 39
_TRAIN_ITERATIONS = 10


@dataclass(frozen=True, slots=True)
class FaissSearcher:
    """Finds almost all true neighbors of dense rows in little time.

    Rows are projected to their principal components, sorted into lists around centroids, and looked
    for in the lists nearest to the query, at half precision. The candidates found are
    measured exactly on the full rows, so what is returned is approximate in one way only: a
    neighbor may be missing. MNIST (70,000 x 784, two cores): 3.1 s in all, and 99.4 % of 10
    neighbors found.

    Parameters
    ----------
    n_components : int or "auto"
        Coordinates a row is projected to; "auto" keeps 84 % of the variance in 32 to 128.
    n_lists : int or "auto"
        Number of lists; "auto" is one per 280 rows, at most 2.5 sqrt(n), which keeps the time
        for training them in proportion: 250 for 70,000 rows, 2,850 for 1.3 million.
    n_probe : int
        Lists looked into for each row, at least; as many as hold 20 times the neighbors asked for
        if those are more. More finds more and takes longer.
    n_candidates : int or "auto"
        Candidates measured exactly for each row, "auto" is 4 (n_neighbors + 1). Where that is a
        twentieth of all rows, all are compared instead.
    """

    n_components: int | str = "auto"
    n_lists: int | str = "auto"
    n_probe: int = 16
    n_candidates: int | str = "auto"

    def __post_init__(self) -> None:
        for name in ("n_components", "n_lists", "n_probe", "n_candidates"):
            value = getattr(self, name)
            automatic = value == "auto" and name != "n_probe"
            if not automatic and (not isinstance(value, int | np.integer) or value < 1):
                allowed = 'a whole number from 1 up, or "auto"'
                msg = f"FaissSearcher: {name}={value!r} must be {allowed}."
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
        n_lists = self.n_lists
        if n_lists == "auto":
            n_lists = min(n_rows // _LIST_ROWS, int(2.5 * n_rows**0.5))
        return max(1, min(int(n_lists), n_rows // _TRAIN_ROWS_PER_LIST))

    def probes_of(self, n_rows: int, n_lists: int, n_neighbors: int) -> tuple[int, int]:
        """Count the lists looked into for a row, and the rows in each."""
        list_rows = max(_LIST_ROWS, n_rows // n_lists)
        return max(self.n_probe, -(-_LOOKED_AT_PER_NEIGHBOR * n_neighbors // list_rows)), list_rows

    def cost(self, size: DataSize, n_neighbors: int, n_jobs: int) -> SearchCost:
        """Tell what it takes to project rows, sort them into lists and look into some of these."""
        n, d = size.n_samples, size.n_features
        if self.compares_all(n, n_neighbors):
            return ExactSearcher().cost(size, n_neighbors, n_jobs)
        auto = self.n_components == "auto"
        coordinates = min(d, TYPICAL_COORDINATES if auto else int(self.n_components))
        n_lists = self.lists_of(n)
        n_probe, list_rows = self.probes_of(n, n_lists, n_neighbors)
        # The rows trained on, these centered, and their coordinates.
        training = _TRAIN_ROWS_PER_LIST * n_lists * (8.0 * d + 4 * coordinates)
        # Half precision and a number of 8 bytes, a third more because lists grow by doubling; and
        # the rows that are being added.
        lists = 1.3 * n * (2 * coordinates + 8) + 4.0 * coordinates * min(n, _ADD_ROWS)
        # Projected twice, compared with all centroids twice and with the rows of some lists.
        compared = coordinates * (2 * d + 2 * n_lists + n_probe * list_rows)
        ranking = ranking_nanoseconds(self.candidates_of(n_neighbors), d)
        return SearchCost(training, lists, n * (0.07 * compared + ranking) / n_jobs * NANOSECOND)

    def index(
        self, rows: Rows, *, metric: Metric, n_jobs: int, random_state: RandomState
    ) -> FaissIndex:
        """Train the projection and the lists on samples, and sort the rows into the lists."""
        if sp.issparse(rows):
            msg = 'searcher="faiss" needs dense rows: use "nndescent" or "exact" for sparse ones.'
            raise ValueError(msg)
        return FaissIndex(self, rows, metric, n_jobs, as_generator(random_state))


class FaissIndex:
    """Dense rows sorted into lists."""

    def __init__(
        self,
        options: FaissSearcher,
        rows: FloatMatrix,
        metric: Metric,
        n_jobs: int,
        rng: np.random.Generator,
    ) -> None:
        import faiss  # before the guard: it holds only the libraries that are loaded

        self._options = options
        self._rows = rows
        self._metric: Metric = metric
        self._n_jobs = n_jobs
        self._heights: FloatVector | None = None
        with single_threaded_blas(), _one_thread(faiss):
            sample = rows[sample_numbers(rows.shape[0], sample_size(rows.shape[1]), rng)]
            lifted = metric == "inner_product"
            # Moving the origin changes which products are largest, but no distance.
            self._projection = fit_projection(sample, options.n_components, center=not lifted)
            if lifted:
                # Lifted after they are projected, products keep their order as far as they can:
                # recall on raw MNIST .95 instead of .72.
                self._heights = lift_heights(self._squared_lengths())
            self._lists = self._train(faiss, rng)
            self._fill(faiss)

    def neighbors(self, n_neighbors: int, progress: Progress | None = None) -> Neighbors:
        """Find the neighbors of every indexed row, itself excluded."""
        n_rows = self._rows.shape[0]
        if self._options.compares_all(n_rows, n_neighbors):
            return self._exact().neighbors(n_neighbors, progress)
        most = _BLOCK_CANDIDATES // self._options.candidates_of(n_neighbors)
        step = max(_QUERY_ROWS, min(_BLOCK_ROWS, most))
        own = np.arange(n_rows, dtype=np.int32)
        return self._search(self._rows, own, n_neighbors, step, progress=progress)

    def query(self, queries: Rows, n_neighbors: int) -> Neighbors:
        """Find the indexed rows nearest to new rows."""
        if self._options.compares_all(self._rows.shape[0], n_neighbors):
            return self._exact().query(queries, n_neighbors)
        nobody = np.full(queries.shape[0], -1, dtype=np.int32)
        # A matrix product may round differently for another number of rows, so every block has the
        # same: what is found for a row must not depend on its company.
        return self._search(queries, nobody, n_neighbors, _QUERY_ROWS, padded=True)

    def _search(
        self,
        queries: FloatMatrix,
        own: IntVector,
        n_neighbors: int,
        step: int,
        *,
        padded: bool = False,
        progress: Progress | None = None,
    ) -> Neighbors:
        """Search in blocks of so many rows, the last of them filled up with zeros if padded."""
        import faiss

        def search_block(start: int) -> Neighbors:
            block = asked = queries[start : start + step]
            if padded:
                asked = np.pad(block, ((0, step - block.shape[0]), (0, 0)))
            with _one_thread(faiss):
                candidates = self._candidates(faiss, asked, n_neighbors)[: block.shape[0]]
            own_block = own[start : start + step]
            ranking = Ranking(self._rows, block, own_block, n_neighbors, self._metric)
            ranking.add(candidates)
            return ranking.result()

        starts = range(0, queries.shape[0], step)
        with single_threaded_blas():
            found = stack(map_in_threads(search_block, starts, self._n_jobs, progress), n_neighbors)
        return complete(found, self._rows, queries, own, self._metric, self._n_jobs)

    def __getstate__(self) -> dict[str, Any]:
        import faiss

        return {**self.__dict__, "_lists": faiss.serialize_index(self._lists)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        import faiss

        self.__dict__.update(state, _lists=faiss.deserialize_index(state["_lists"]))

    def _exact(self) -> ExactIndex:
        return ExactIndex(self._rows, self._metric, self._n_jobs)

    def _coordinates(self, numbers: AnyArray | slice) -> FloatMatrix:
        """Return the place of indexed rows among the lists."""
        coordinates = self._projection.apply(self._rows[numbers])
        if self._heights is not None:
            coordinates = lift(coordinates, self._heights[numbers])
        return _aligned(coordinates)

    def _squared_lengths(self) -> AnyArray:
        """Return the squared lengths of the projected rows."""

        def measure_block(start: int) -> AnyArray:
            block = self._projection.apply(self._rows[start : start + _BLOCK_ROWS])
            squares: AnyArray = np.einsum("ij,ij->i", block, block, dtype=np.float64)
            return squares

        starts = range(0, self._rows.shape[0], _BLOCK_ROWS)
        return np.concatenate(map_in_threads(measure_block, starts, self._n_jobs))

    def _train(self, faiss: Any, rng: np.random.Generator) -> Any:
        n_rows = self._rows.shape[0]
        n_lists = self._options.lists_of(n_rows)
        numbers = sample_numbers(n_rows, _TRAIN_ROWS_PER_LIST * n_lists, rng)
        coordinates = self._coordinates(numbers)
        n_coordinates = coordinates.shape[1]
        lists = faiss.IndexIVFScalarQuantizer(
            faiss.IndexFlatL2(n_coordinates),
            n_coordinates,
            n_lists,
            faiss.ScalarQuantizer.QT_fp16,
            faiss.METRIC_L2,
            False,  # codes of the rows themselves, not of their difference from the centroid
        )
        lists.cp.niter = _TRAIN_ITERATIONS
        lists.cp.seed = int(rng.integers(np.iinfo(np.int32).max))
        lists.train(coordinates)
        return lists

    def _fill(self, faiss: Any) -> None:
        n_rows = self._rows.shape[0]

        def assign_block(start: int) -> tuple[FloatMatrix, AnyArray]:
            with _one_thread(faiss):
                block = slice(start, min(start + _BLOCK_ROWS, n_rows))
                coordinates = self._coordinates(block)
                return coordinates, self._lists.quantizer.search(coordinates, 1)[1].ravel()

        for first in range(0, n_rows, _ADD_ROWS):
            starts = range(first, min(first + _ADD_ROWS, n_rows), _BLOCK_ROWS)
            # Threads find the lists, one of them appends: rows stand in the lists by number.
            for coordinates, numbers in map_in_threads(assign_block, starts, self._n_jobs):
                pointers = (faiss.swig_ptr(coordinates), None, faiss.swig_ptr(numbers))
                self._lists.add_core(coordinates.shape[0], *pointers)

    def _candidates(self, faiss: Any, queries: FloatMatrix, n_neighbors: int) -> IntMatrix:
        n_rows = self._rows.shape[0]
        n_probe, list_rows = self._options.probes_of(n_rows, self._lists.nlist, n_neighbors)
        limits = faiss.SearchParametersIVF(
            nprobe=n_probe,
            # Rows that are all alike end in one list; without a limit each would meet all others.
            max_codes=4 * n_probe * list_rows,
        )
        coordinates = self._projection.apply(queries)
        if self._heights is not None:
            coordinates = lift(coordinates)
        count = min(self._options.candidates_of(n_neighbors), n_rows)
        found = self._lists.search(_aligned(coordinates), count, params=limits)[1]
        candidates: IntMatrix = found.astype(np.int32)
        return candidates


def _aligned(coordinates: FloatMatrix) -> FloatMatrix:
    """Append zeros up to a multiple of 16: faiss takes three times as long for other widths."""
    missing = -coordinates.shape[1] % 16
    return np.pad(coordinates, ((0, 0), (0, missing))) if missing else coordinates


@contextmanager
def _one_thread(faiss: Any) -> Iterator[None]:
    """Keep faiss in the calling thread; its number of threads is a setting of each thread."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
