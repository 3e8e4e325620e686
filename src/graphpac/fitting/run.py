"""The way every fit goes: checked input, seeds, threads, a log, a checkpoint, a graph of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphpac._constraints import Constraint, check_parameters
from graphpac._threads import resolve_n_jobs, single_threaded_blas
from graphpac._typing import Metric
from graphpac.fitting.fits_memory import check_fit_fits
from graphpac.fitting.identity import identify
from graphpac.fitting.init import resolve_init
from graphpac.fitting.input import TrainingInput, check_training_input
from graphpac.fitting.problem import asked_clusters, check_sizes, searcher_of
from graphpac.fitting.progress import FitLog
from graphpac.fitting.resume import Folder, Kept, open_kept
from graphpac.fitting.seeds import Streams, draw_seeds
from graphpac.graph import NeighborGraph, as_neighbor_graph
from graphpac.graph.build import graph_of_originals
from graphpac.graph.copies import find_copies, keep_originals
from graphpac.graph.precomputed import graph_of_distances
from graphpac.graph.rows import Rows, prepare_rows, row_scale
from graphpac.io.parts import GRAPH, Part, Sizes
from graphpac.prediction.training import TrainingData, TrainingDistances, TrainingRows


class Connected(NamedTuple):
    """A graph, the rows it connects if more is to be made of them, and its search for new rows."""

    graph: NeighborGraph
    originals: Rows | None
    training: TrainingData


@dataclass(frozen=True)
class FitRun:
    """One fit under way, begun by `begin_fit`.

    ``X`` is what is clustered, rows or a NeighborGraph; ``attributes`` what scikit-learn wants
    remembered of its columns; ``init`` what `resolve_init` made of the estimator's, None if the
    starts of the method have names only; ``n_clusters`` 0 until they are counted.
    """

    estimator: Any
    X: Any
    attributes: dict[str, Any]
    init: Any
    streams: Streams
    log: FitLog
    kept: Kept
    n_jobs: int
    n_clusters: int

    @property
    def n_samples(self) -> int:
        """Number of rows, or of samples of the graph."""
        return _count_samples(self.X)

    def rows(self, metric: Metric) -> Rows:
        """Make float32 rows, of length one under the cosine metric."""
        return prepare_rows(self.X, metric, n_jobs=self.n_jobs)

    def connect(
        self,
        n_neighbors: int | Callable[[int], int],
        *,
        X: Any = None,
        n_copy_links: int = 1,
        rows_for: Part[Any] | None = None,
    ) -> Connected:
        """Find the neighbors of every row, timed as the stage "graph", or take a stored graph.

        Metric and searcher are those of the estimator, rows too unless X is given. The number of
        neighbors may depend on that of different rows. ``n_copy_links`` counts links of a row to
        copies of its own, beside its neighbors. Unless the part ``rows_for`` is stored, the rows it
        will be made of are returned: the first of each kind, as they were searched.
        """
        X = self.X if X is None else X
        most = X.shape[0] - 1
        count = n_neighbors if callable(n_neighbors) else lambda _: min(n_neighbors, most)
        metric = self.estimator.metric
        with self.log.stage("graph") as progress:
            if metric == "precomputed":
                n_nearest = count(X.shape[0])
                graph = self.kept.take(GRAPH, lambda: graph_of_distances(X, n_nearest))
                return Connected(graph, None, TrainingDistances(n_nearest))
            scale = row_scale(X, metric)
            originals: Any = None
            copies = None
            is_used_later = rows_for is not None and self.kept.lacks(rows_for)
            if is_used_later or self.kept.lacks(GRAPH):
                rows = prepare_rows(X, metric, scale=scale, n_jobs=self.n_jobs)
                copies = find_copies(rows, self.n_jobs)
                originals = keep_originals(rows, copies)
            graph = self.kept.take(
                GRAPH,
                lambda: graph_of_originals(
                    originals,
                    copies,
                    count(originals.shape[0]),
                    metric=metric,
                    searcher=searcher_of(self.estimator),
                    n_jobs=self.n_jobs,
                    random_state=self.streams.graph,
                    n_copy_links=n_copy_links,
                    progress=progress,
                ),
            )
        training = self.remember(X, count(graph.n_originals), scale=scale)
        return Connected(graph, originals if is_used_later else None, training)

    def remember(
        self, X: Any, n_neighbors: int, *, scale: float, merge_copies: bool = True
    ) -> TrainingRows:
        """Keep rows that new ones will be compared with, and how neighbors are found among them."""
        return TrainingRows(
            X,
            n_neighbors,
            metric=self.estimator.metric,
            scale=scale,
            searcher=searcher_of(self.estimator),
            seed=self.streams.graph,
            n_jobs=self.estimator.n_jobs,
            merge_copies=merge_copies,
        )


@contextmanager
def begin_fit(
    estimator: Any,
    constraints: Mapping[str, Constraint],
    X: Any,
    *,
    is_graph: bool = False,
    starts: tuple[str, ...] | None = None,
    checkpoint: Folder | None = None,
) -> Iterator[FitRun]:
    """Check parameters and rows, or a graph, and refuse what cannot fit into memory.

    ``starts`` are the names that ``init`` may be beside labels, memberships and fitted models; None
    if it may not be those. BLAS has one thread meanwhile: products are made block by block by our
    own threads, so their bits depend on no thread count.
    """
    check_parameters(estimator, constraints)
    data = (
        TrainingInput(as_neighbor_graph(X), {}) if is_graph else check_training_input(estimator, X)
    )
    X, n_samples = data.X, _count_samples(data.X)
    n_clusters = asked_clusters(estimator)
    check_sizes(n_samples, n_clusters or 1)
    init = None
    if starts is not None:
        rows = None if is_graph else X
        init = resolve_init(estimator.init, n_samples, n_clusters, rows, starts)
    # Drawn even if stored seeds are used, so that a generator of the caller moves on all the same.
    seeds = draw_seeds(estimator.random_state)
    with (
        single_threaded_blas(),
        FitLog(getattr(estimator, "verbose", 0)) as log,
        open_kept(
            checkpoint,
            log,
            seeds=seeds,
            sizes=Sizes(n_samples, n_clusters or 0),
            n_starts=getattr(estimator, "n_init", 1),
            identify=lambda: identify(estimator, init, X),
        ) as (kept, seeds),
    ):
        check_fit_fits(estimator, X, kept.remaining)
        yield FitRun(
            estimator,
            X,
            data.attributes,
            init,
            Streams.from_seeds(seeds),
            log,
            kept,
            resolve_n_jobs(estimator.n_jobs),
            n_clusters or 0,
        )


def _count_samples(X: Any) -> int:
    return int(X.n_samples if isinstance(X, NeighborGraph) else X.shape[0])
