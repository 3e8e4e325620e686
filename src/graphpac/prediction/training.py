"""The rows of a fit, as far as new rows are compared with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from graphpac._threads import resolve_n_jobs
from graphpac._typing import AnyArray, IntVector, Metric
from graphpac.graph.copies import KnownRows, keep_originals
from graphpac.graph.precomputed import nearest_columns
from graphpac.graph.rows import Rows, prepare_rows
from graphpac.graph.searchers import NeighborIndex, Neighbors, NeighborSearcher, resolve_searcher
from graphpac.prediction.rounding import FLOAT16, round_to_float16

_BLOCK_ENTRIES = 1 << 24
_FEWEST_BLOCK_ROWS = 1024
_LARGEST_RATIO = 2.0**55  # squares of larger float32 values would overflow in a sum


class TrainingData(Protocol):
    """What the rows of a fit were, as far as new rows are compared with them."""

    @property
    def n_neighbors(self) -> int:
        """Number of training rows that are looked for."""

    def known(self, X: Any) -> IntVector:
        """Find the training row that each row equals, the first of them; -1 where it is new."""

    def neighbors(self, X: Any) -> Neighbors:
        """Find the training rows nearest to new rows, each independently of the others."""


class _Index(NamedTuple):
    """Rows that were made ready, and which of the training rows they are; None for all."""

    known: KnownRows
    search: NeighborIndex
    samples: IntVector | None

    def sample_of(self, numbers: AnyArray) -> AnyArray:
        """Return the training rows of rows that were found, -1 where none was."""
        if self.samples is None:
            return numbers
        return np.where(numbers >= 0, self.samples[numbers], np.int32(-1))


class TrainingRows:
    """The rows of a fit, referenced, and an index over them that is built when first needed.

    The index is made by the searcher the fit used, whatever the number of rows asked for later,
    because what is found for a row must not depend on its company. Of rows that are equal the first
    stands for all, unless ``merge_copies`` is False.

    Rows of a model file are not as they were given: a one in them stands for ``unit``. New rows are
    then rounded as they were, where a row must be at the distance zero from itself.
    """

    def __init__(
        self,
        X: Any,
        n_neighbors: int,
        *,
        metric: Metric,
        scale: float,
        searcher: str | NeighborSearcher,
        seed: int,
        n_jobs: int | None,
        unit: float | None = None,
        merge_copies: bool = True,
    ) -> None:
        self.X = X
        self.n_neighbors = n_neighbors
        self.metric: Metric = metric
        self.scale = scale
        self.searcher = searcher
        self.seed = seed
        self.unit = unit
        self.n_jobs = n_jobs
        self.merge_copies = merge_copies
        self._index: _Index | None = None
        self._lock = Lock()

    def known(self, X: Any) -> IntVector:
        """Find the training row that each row equals, the first of them; -1 where it is new."""
        X = self._in_training_form(X)
        if self.unit is not None and not sp.issparse(X):
            X = self._rounded(X)
        index = self._built_index()
        found: IntVector = index.sample_of(index.known.find(self._prepared(X)))
        return found

    def neighbors(self, X: Any) -> Neighbors:
        """Find the training rows nearest to new rows, each independently of the others."""
        X = self._in_training_form(X)
        index = self._built_index()
        found = index.search.query(self._prepared(X), self.n_neighbors)
        return Neighbors(index.sample_of(found.indices), found.values)

    def as_given(self, some: slice) -> Any:
        """Return some of the rows in the units of new ones."""
        rows = self.X[some]
        return rows if self.unit is None else rows.astype(np.float64) * self.unit

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_index": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def _prepared(self, X: Any) -> Rows:
        return prepare_rows(X, self.metric, scale=self.scale, n_jobs=resolve_n_jobs(self.n_jobs))

    def _built_index(self) -> _Index:
        with self._lock:
            if self._index is None:
                n_jobs = resolve_n_jobs(self.n_jobs)
                scale = self.scale / (self.unit or 1.0)
                rows = prepare_rows(self.X, self.metric, scale=scale, n_jobs=n_jobs)
                samples = None
                known = KnownRows(rows, n_jobs)
                if self.merge_copies and (copies := known.copies()) is not None:
                    samples, rows = copies.originals, keep_originals(rows, copies)
                    known = KnownRows(rows, n_jobs)
                search = resolve_searcher(self.searcher, rows).index(
                    rows, metric=self.metric, n_jobs=n_jobs, random_state=self.seed
                )
                self._index = _Index(known, search, samples)
            return self._index

    def _in_training_form(self, X: Any) -> Any:
        """Make X dense if the training rows are, sparse if they are: the searchers do not mix."""
        if self.metric != "cosine":
            self._check_range(X)
        if sp.issparse(self.X):
            # scipy knows no float16.
            return sp.csr_matrix(X if X.dtype != FLOAT16 else X.astype(np.float32))
        X = X.toarray() if sp.issparse(X) else X
        return X if self.unit is None or self.metric != "euclidean" else self._rounded(X)

    def _rounded(self, X: AnyArray) -> AnyArray:
        """Round rows as those of the model file were."""
        if self.metric == "cosine":
            return np.asarray(self._prepared(X).astype(self.X.dtype))  # as rows of length one
        return round_to_float16(X, self.unit or 1.0) if self.X.dtype == FLOAT16 else X

    def _check_range(self, X: Any) -> None:
        values = X.data if sp.issparse(X) else X
        largest = max(abs(float(values.max())), abs(float(values.min()))) if values.size else 0.0
        if largest > _LARGEST_RATIO * self.scale:
            msg = (
                f"X has a value of {largest:g}, too far from the training rows to measure the "
                "distance in single precision: remove such rows."
            )
            raise ValueError(msg)


@dataclass(frozen=True)
class TrainingDistances:
    """Nothing but the number of neighbors: new rows come with their distances to the old ones."""

    n_neighbors: int

    def known(self, X: Any) -> IntVector:
        """Take all rows for new: only those at distance zero can be told from others."""
        return np.full(X.shape[0], -1, dtype=np.int32)

    def neighbors(self, X: Any) -> Neighbors:
        """Find the training rows nearest to new rows, each independently of the others."""
        return nearest_columns(X, self.n_neighbors)


def neighbors_in_blocks(training: TrainingData, X: Any) -> Iterator[Neighbors]:
    """Find the training rows nearest to new rows, block after block to bound the memory."""
    return map(training.neighbors, search_blocks(X))


def search_blocks(X: Any) -> Iterator[Any]:
    """Cut rows into blocks that bound the memory of a search."""
    step = max(_FEWEST_BLOCK_ROWS, _BLOCK_ENTRIES // X.shape[1])
    for start in range(0, X.shape[0], step):
        yield X[start : start + step]
