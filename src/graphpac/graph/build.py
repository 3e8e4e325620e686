"""The one entrance to neighbor search."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from graphpac._threads import resolve_n_jobs
from graphpac._typing import Metric, Progress, RandomState
from graphpac.graph.neighbor_graph import NeighborGraph
from graphpac.graph.rows import Rows, is_hardly_sparse, prepare_rows
from graphpac.graph.searchers import Neighbors, NeighborSearcher, resolve_searcher
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
        "auto" picks by size and dimension; "exact", "faiss", "nndescent", or an object such as
        ``FaissSearcher(n_probe=32)``.
    n_jobs : int, optional
        Number of threads, default all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed of the approximate searchers.
    progress : callable, optional
        Called with the numbers of finished and of all blocks of rows.

    Returns
    -------
    graph : NeighborGraph
        Values are computed from float32 rows in a fixed order.
    """
    check_metric(metric)
    n_samples = _checked_shape(X)[0]
    X = unmasked(X)
    check_finite(X)
    if n_neighbors < 1:
        msg = f"n_neighbors={n_neighbors} must be at least 1."
        raise ValueError(msg)
    threads = resolve_n_jobs(n_jobs)
    if sp.issparse(X) and is_hardly_sparse(X.shape[0], X.shape[1], X.nnz):
        X = X.toarray()
    rows = prepare_rows(X, metric, n_jobs=threads)
    return graph_of_rows(
        rows,
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
    """Connect rows that `prepare_rows` made, for callers that go on using them."""
    chosen = resolve_searcher(searcher, rows)
    index = chosen.index(rows, metric=metric, n_jobs=n_jobs, random_state=random_state)
    return _to_graph(index.neighbors(n_neighbors, progress), metric)


def check_metric(metric: str) -> None:
    """Raise ValueError unless the metric is one a search knows."""
    if metric not in get_args(Metric):
        msg = f"metric={metric!r} must be one of {', '.join(get_args(Metric))}."
        raise ValueError(msg)


def _checked_shape(X: Any) -> tuple[int, int]:
    shape = np.shape(X) if not sp.issparse(X) else X.shape
    if len(shape) != 2:
        msg = f"X must have two dimensions (n_samples, n_features), got shape {shape}."
        raise ValueError(msg)
    if shape[0] < 2:
        msg = f"a neighbor graph needs at least 2 samples, got n_samples = {shape[0]}."
        raise ValueError(msg)
    return shape[0], shape[1]


def _to_graph(found: Neighbors, metric: Metric) -> NeighborGraph:
    present = found.indices >= 0
    indptr = np.zeros(present.shape[0] + 1, dtype=np.int64)
    np.cumsum(present.sum(axis=1), out=indptr[1:])
    return NeighborGraph(indptr, found.indices[present], found.values[present], metric)
