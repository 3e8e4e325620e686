"""The one entrance to neighbor search."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from graphpac._constraints import check_value, named, no_less_than
from graphpac._threads import resolve_n_jobs
from graphpac._typing import Metric, Progress, RandomState
from graphpac.graph.copies import Copies, find_copies, spread_over_copies
from graphpac.graph.neighbor_graph import NeighborGraph
from graphpac.graph.rows import Rows, is_hardly_sparse, prepare_rows, squared_lengths
from graphpac.graph.searchers import NeighborSearcher, resolve_searcher
from graphpac.graph.values import check_finite, unmasked


def build_neighbor_graph(
    X: Any,
    n_neighbors: int = 10,
    *,
    metric: Metric = "cosine",
    searcher: str | NeighborSearcher = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> NeighborGraph:
    """Connect every sample to its nearest neighbors.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Finite numbers of any real dtype. Not changed.
    n_neighbors : int
        Neighbors per sample, the sample itself not counted. At most n_samples - 1 exist; asking for
        more gives those.
    metric : {"cosine", "euclidean", "inner_product"}
        What near means. Under "cosine" a row of zeros is at distance 1 of everything.
    searcher : str or NeighborSearcher
        "auto" picks by size and dimension; "exact", "lists", "faiss", "nndescent", or an object
        such as ``ListsSearcher(n_looked_at=10_000)``.
    n_jobs : int, optional
        Number of threads, default all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed of the approximate searchers.
    progress : callable, optional
        Called with the numbers of finished and of all blocks of rows.

    Returns
    -------
    graph : NeighborGraph
        Values are computed from float32 rows in a fixed order. Neighbors are other rows: rows that
        are equal share the neighbors of the first of them, and each is linked to the next of its
        copies besides, at distance 0; see ``copy_of``.
    """
    check_metric(metric)
    n_samples = _checked_count(X)
    X = _numbers(X)
    check_finite(X)
    check_value("n_neighbors", n_neighbors, no_less_than(1))
    threads = resolve_n_jobs(n_jobs)
    if sp.issparse(X) and is_hardly_sparse(X.shape[0], X.shape[1], X.nnz):
        X = X.toarray()
    return graph_of_rows(
        prepare_rows(X, metric, n_jobs=threads),
        min(n_neighbors, n_samples - 1),
        metric=metric,
        searcher=searcher,
        n_jobs=threads,
        random_state=random_state,
        progress=progress,
    )


def graph_of_rows(
    rows: Rows,
    n_neighbors: int,
    *,
    metric: Metric,
    searcher: str | NeighborSearcher,
    n_jobs: int,
    random_state: RandomState,
    progress: Progress | None = None,
) -> NeighborGraph:
    """Connect rows that `prepare_rows` made, for callers that go on using all of them."""
    copies = find_copies(rows, n_jobs)
    return graph_of_originals(
        rows if copies is None else rows[copies.originals],
        copies,
        n_neighbors,
        metric=metric,
        searcher=searcher,
        n_jobs=n_jobs,
        random_state=random_state,
        progress=progress,
    )


def graph_of_originals(
    rows: Rows,
    copies: Copies | None,
    n_neighbors: int,
    *,
    metric: Metric,
    searcher: str | NeighborSearcher,
    n_jobs: int,
    random_state: RandomState,
    n_copy_links: int = 1,
    progress: Progress | None = None,
) -> NeighborGraph:
    """Connect samples of which each row is the first of its kind; no two rows are equal.

    ``copies`` tells which sample equals which row; None if there is a sample for each. A sample has
    ``n_copy_links`` links to copies of its own, beside its neighbors.
    """
    n_found = min(n_neighbors, rows.shape[0] - 1)
    chosen = resolve_searcher(searcher, rows)
    if n_found > 0:
        index = chosen.index(rows, metric=metric, n_jobs=n_jobs, random_state=random_state)
        graph = NeighborGraph(*index.neighbors(n_found, progress).lists(), metric)
    else:
        graph = NeighborGraph.from_edges(*np.empty((3, 0), np.int64), n_samples=1, kind=metric)
    if copies is None:
        return graph
    own_values = squared_lengths(rows) if metric == "inner_product" else np.zeros(rows.shape[0])
    return spread_over_copies(
        graph, copies, own_values.astype(np.float32), n_copy_links, n_neighbors
    )


def check_metric(metric: str) -> None:
    """Raise ValueError unless the metric is one a search knows."""
    check_value("metric", metric, named(*get_args(Metric)))


def _checked_count(X: Any) -> int:
    shape = np.shape(X) if not sp.issparse(X) else X.shape
    if len(shape) != 2:
        msg = f"X must have two dimensions (n_samples, n_features), got shape {shape}."
        raise ValueError(msg)
    if shape[0] < 2:
        msg = f"a neighbor graph needs at least 2 samples, got n_samples = {shape[0]}."
        raise ValueError(msg)
    return int(shape[0])


def _numbers(X: Any) -> Any:
    """Return an array or matrix of numbers; frames and lists have no type of their own."""
    X = unmasked(X)
    kind = getattr(getattr(X, "dtype", None), "kind", "O")
    return np.asarray(X, dtype=np.float64) if kind == "O" else X
