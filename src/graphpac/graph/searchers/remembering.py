"""A searcher that remembers what another one found, for many fits on the same rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from graphpac._typing import Metric, Progress, RandomState
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import Rows
from graphpac.graph.searchers.base import NeighborIndex, Neighbors, NeighborSearcher, SearchCost
from graphpac.graph.searchers.table import is_exact, resolve_searcher, search_cost


class Question(NamedTuple):
    """What the neighbors of rows depend on; a list found exactly contains all shorter ones."""

    digest: bytes
    metric: Metric
    n_neighbors: int | None  # None if the search is exact


@dataclass
class Answer:
    """The neighbors found so far; whoever holds the lock may search for more."""

    found: Neighbors | None = None
    lock: Any = field(default_factory=Lock)


class RememberingSearcher:
    """Finds neighbors by another searcher, once for the same rows, metric and number.

    For several methods, seeds or numbers of clusters on the same rows: pass one object to all of
    them. Copies that scikit-learn's ``clone`` makes share what is remembered; a pickled one
    remembers nothing. Rows are recognized by a digest of their values, so they may be loaded anew.

    If the inner searcher is exact, a longer list answers a request for a shorter one. Lists of
    an approximate searcher are kept for each number of neighbors, and are those of the first seed:
    later seeds are ignored, on purpose, so that fits with several seeds differ in everything but
    the graph. Rows to predict are searched for anew each time.

    Parameters
    ----------
    searcher : str or NeighborSearcher
        The one that searches: "auto", "exact", "lists", "faiss", "nndescent" or an object.

    Examples
    --------
    >>> from graphpac import GPAC, RememberingSearcher
    >>> from graphpac.datasets import load
    >>> X = load("digits").X
    >>> searcher = RememberingSearcher()
    >>> models = [GPAC(10, searcher=searcher, random_state=seed).fit(X) for seed in range(3)]
    >>> searcher.n_remembered
    1
    """

    def __init__(self, searcher: str | NeighborSearcher = "auto") -> None:
        self.searcher = searcher
        self._lock = Lock()
        self._answers: dict[Question, Answer] = {}

    def index(
        self, rows: Rows, *, metric: Metric, n_jobs: int, random_state: RandomState
    ) -> RememberingIndex:
        """Keep the rows; they are made ready for searching when nothing is remembered of them."""
        return RememberingIndex(self, rows, metric, n_jobs, random_state)

    def cost(self, size: DataSize, n_neighbors: int, n_jobs: int) -> SearchCost:
        """Tell what a search takes of which nothing is remembered."""
        return search_cost(self.searcher, size, n_neighbors, n_jobs)

    @property
    def n_remembered(self) -> int:
        """Number of searches that are remembered."""
        return len(self._answers)

    def forget(self) -> None:
        """Give back the memory of what is remembered."""
        with self._lock:
            self._answers.clear()

    def answer(self, question: Question) -> Answer:
        """Return the one answer to a question, with or without anything found yet."""
        with self._lock:
            return self._answers.setdefault(question, Answer())

    def __repr__(self) -> str:
        return f"RememberingSearcher(searcher={self.searcher!r})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return RememberingSearcher, (self.searcher,)


class RememberingIndex:
    """Rows whose neighbors are looked up in the memory of a searcher first."""

    def __init__(
        self,
        memory: RememberingSearcher,
        rows: Rows,
        metric: Metric,
        n_jobs: int,
        random_state: RandomState,
    ) -> None:
        self._memory = memory
        self._rows = rows
        self._metric: Metric = metric
        self._n_jobs = n_jobs
        self._random_state = random_state
        self._lock = Lock()
        self._inner: NeighborIndex | None = None

    def neighbors(self, n_neighbors: int, progress: Progress | None = None) -> Neighbors:
        """Find the neighbors of every indexed row, or remember them; the arrays are read-only."""
        exact = is_exact(self._memory.searcher, self._rows)
        number = None if exact else n_neighbors
        answer = self._memory.answer(Question(_digest(self._rows), self._metric, number))
        with answer.lock:
            if answer.found is None or answer.found.indices.shape[1] < n_neighbors:
                answer.found = self._built().neighbors(n_neighbors, progress)
            found = answer.found
        return Neighbors(*(_first_columns(part, n_neighbors) for part in found))

    def query(self, queries: Rows, n_neighbors: int) -> Neighbors:
        """Find the indexed rows nearest to new rows."""
        return self._built().query(queries, n_neighbors)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def _built(self) -> NeighborIndex:
        with self._lock:
            if self._inner is None:
                searcher = resolve_searcher(self._memory.searcher, self._rows)
                self._inner = searcher.index(
                    self._rows,
                    metric=self._metric,
                    n_jobs=self._n_jobs,
                    random_state=self._random_state,
                )
            return self._inner


def _first_columns(found: Any, n_columns: int) -> Any:
    """Cut lists to length; nobody may write into what others will be given."""
    part = np.ascontiguousarray(found[:, :n_columns]).view()
    part.flags.writeable = False
    return part


def _digest(rows: Any) -> bytes:
    """Recognize rows by their shape, type and values."""
    parts = (rows.indptr, rows.indices, rows.data) if sp.issparse(rows) else (rows,)
    digest = blake2b(
        repr((rows.shape, [part.dtype.str for part in parts])).encode(), digest_size=32
    )
    for part in parts:
        digest.update(np.ascontiguousarray(part).data)
    return digest.digest()
