"""What the fit of any estimator begins with: checked input, threads, randomness, a log, a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphpac._constraints import Constraint, check_parameters
from graphpac._threads import resolve_n_jobs, single_threaded_blas
from graphpac._typing import Metric
from graphpac.fitting.input import check_training_input
from graphpac.fitting.problem import check_sizes
from graphpac.fitting.progress import FitLog
from graphpac.fitting.seeds import Streams, draw_seeds
from graphpac.graph import NeighborGraph
from graphpac.graph.build import graph_of_rows
from graphpac.graph.rows import Rows, prepare_rows, row_scale
from graphpac.graph.searchers import NeighborSearcher
from graphpac.prediction.training import TrainingRows


class Connected(NamedTuple):
    """Rows as they were searched, their graph, and the search itself for rows still to come."""

    rows: Rows
    graph: NeighborGraph
    training: TrainingRows


@dataclass(frozen=True)
class FitRun:
    """One fit under way; exists inside `begin_fit` only."""

    X: Any
    attributes: dict[str, Any]
    streams: Streams
    log: FitLog
    n_jobs: int
    _asked_jobs: int | None

    def rows(self, metric: Metric) -> Rows:
        """Make float32 rows, of length one under the cosine metric."""
        return prepare_rows(self.X, metric, scale=row_scale(self.X, metric), n_jobs=self.n_jobs)

    def connect(
        self, n_neighbors: int, *, metric: Metric, searcher: str | NeighborSearcher
    ) -> Connected:
        """Find the neighbors of every row, timed as the stage "graph"."""
        n_neighbors = min(n_neighbors, self.X.shape[0] - 1)
        scale = row_scale(self.X, metric)
        with self.log.stage("graph") as progress:
            rows = prepare_rows(self.X, metric, scale=scale, n_jobs=self.n_jobs)
            graph = graph_of_rows(
                rows,
                n_neighbors,
                metric=metric,
                searcher=searcher,
                n_jobs=self.n_jobs,
                random_state=self.streams.graph,
                progress=progress,
            )
        training = TrainingRows(
            self.X,
            n_neighbors,
            metric=metric,
            scale=scale,
            searcher=searcher,
            seed=self.streams.graph,
            n_jobs=self._asked_jobs,
        )
        return Connected(rows, graph, training)


@contextmanager
def begin_fit(estimator: Any, constraints: Mapping[str, Constraint], X: Any) -> Iterator[FitRun]:
    """Check parameters and rows, and hold BLAS at one thread while the fit goes on.

    Products are made block by block by our own threads, so their bits depend on no thread count.
    """
    check_parameters(estimator, constraints)
    data = check_training_input(estimator, X)
    check_sizes(data.n_samples, getattr(estimator, "n_clusters", None) or 1)
    streams = Streams.from_seeds(draw_seeds(getattr(estimator, "random_state", 0)))
    with single_threaded_blas(), FitLog(estimator.verbose) as log:
        yield FitRun(
            data.X,
            data.attributes,
            streams,
            log,
            resolve_n_jobs(estimator.n_jobs),
            estimator.n_jobs,
        )
