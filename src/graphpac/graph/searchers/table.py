"""The names of the searchers, and which one "auto" means."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import scipy.sparse as sp

from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import Rows
from graphpac.graph.searchers.base import NeighborSearcher, SearchCost
from graphpac.graph.searchers.exact import ExactSearcher
from graphpac.graph.searchers.faiss_index import FaissSearcher
from graphpac.graph.searchers.lists import ListsSearcher
from graphpac.graph.searchers.nndescent import NNDescentSearcher

_MANY_SPARSE_ROWS = 100_000  # below, exact search is done before pynndescent has compiled
_MANY_DENSE_ROWS = 300_000  # above, lists at half precision take less memory

BY_SIZE = ("auto", "published")  # the second searches as fits of the published method always did

SEARCHERS: dict[str, Callable[[], NeighborSearcher]] = {
    "exact": ExactSearcher,
    "lists": ListsSearcher,
    "faiss": FaissSearcher,
    "nndescent": NNDescentSearcher,
}


def resolve_searcher(searcher: str | NeighborSearcher, rows: Rows) -> NeighborSearcher:
    """Return the searcher a name stands for; an object with an ``index`` method stays as it is."""
    return _resolve(searcher, *rows.shape, sparse=sp.issparse(rows))


def search_cost(
    searcher: str | NeighborSearcher, size: DataSize, n_neighbors: int, n_jobs: int
) -> SearchCost:
    """Tell what a search of rows of some size takes."""
    sparse = size.form == "sparse"
    chosen: Any = _resolve(searcher, size.n_samples, size.n_features, sparse=sparse)
    if hasattr(chosen, "cost"):
        cost: SearchCost = chosen.cost(size, n_neighbors, n_jobs)
        return cost
    return SearchCost(0.0, 0.0, search_cost("auto", size, n_neighbors, n_jobs).seconds)


def _resolve(
    searcher: str | NeighborSearcher, n_rows: int, n_features: int, *, sparse: bool
) -> NeighborSearcher:
    if isinstance(searcher, str) and searcher in BY_SIZE:
        return _by_size(n_rows, n_features, sparse=sparse, published=searcher == "published")
    if isinstance(searcher, str) and searcher in SEARCHERS:
        return SEARCHERS[searcher]()
    if hasattr(searcher, "index") and not isinstance(searcher, str):
        return searcher
    names = ", ".join((*BY_SIZE, *SEARCHERS))
    msg = f"searcher={searcher!r} must be one of {names}, or an object with an index method."
    raise ValueError(msg)


def is_exact(searcher: str | NeighborSearcher, rows: Rows) -> bool:
    """Tell whether a searcher is known to find the true neighbors of these rows."""
    chosen = resolve_searcher(searcher, rows)
    inner = getattr(chosen, "searcher", None)  # of one that wraps another
    return isinstance(chosen, ExactSearcher) if inner is None else is_exact(inner, rows)


def _by_size(n_rows: int, n_features: int, *, sparse: bool, published: bool) -> NeighborSearcher:
    if sparse:
        many = n_rows > _MANY_SPARSE_ROWS and find_spec("pynndescent") is not None
        return NNDescentSearcher() if many else ExactSearcher()
    # Missing no neighbor is worth about twice the time of the approximate search.
    if n_rows**2 * (n_features + 90) <= 2e11:
        return ExactSearcher()
    return FaissSearcher() if published or n_rows > _MANY_DENSE_ROWS else ListsSearcher()
