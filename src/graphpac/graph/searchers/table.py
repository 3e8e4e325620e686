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
from graphpac.graph.searchers.nndescent import NNDescentSearcher

_MANY_SPARSE_ROWS = 100_000  # below, exact search is done before pynndescent has compiled

SEARCHERS: dict[str, Callable[[], NeighborSearcher]] = {
    "exact": ExactSearcher,
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
    if searcher == "auto":
        return _automatic(n_rows, n_features, sparse=sparse)
    if isinstance(searcher, str) and searcher in SEARCHERS:
        return SEARCHERS[searcher]()
    if hasattr(searcher, "index") and not isinstance(searcher, str):
        return searcher
    names = ", ".join(("auto", *SEARCHERS))
    msg = f"searcher={searcher!r} must be one of {names}, or an object with an index method."
    raise ValueError(msg)


def is_exact(searcher: str | NeighborSearcher, rows: Rows) -> bool:
    """Tell whether a searcher is known to find the true neighbors of these rows."""
    chosen = resolve_searcher(searcher, rows)
    inner = getattr(chosen, "searcher", None)  # of one that wraps another
    return isinstance(chosen, ExactSearcher) if inner is None else is_exact(inner, rows)


def _automatic(n_rows: int, n_features: int, *, sparse: bool) -> NeighborSearcher:
    if sparse:
        many = n_rows > _MANY_SPARSE_ROWS and find_spec("pynndescent") is not None
        return NNDescentSearcher() if many else ExactSearcher()
    # Roughly, on two cores: exact search takes n^2 (d + 90) times 9 picoseconds, the other
    # 0.3 s and 40 microseconds a row. Twice that time is well spent on missing no neighbor.
    return ExactSearcher() if n_rows**2 * (n_features + 90) <= 2e11 else FaissSearcher()
