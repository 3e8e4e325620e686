"""The names of the searchers, and which one "auto" means."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import scipy.sparse as sp

from graphpac.graph.rows import Rows
from graphpac.graph.searchers.base import NeighborSearcher
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
    if searcher == "auto":
        return _automatic(rows)
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


def _automatic(rows: Rows) -> NeighborSearcher:
    n_rows, n_features = rows.shape
    if sp.issparse(rows):
        many = n_rows > _MANY_SPARSE_ROWS and find_spec("pynndescent") is not None
        return NNDescentSearcher() if many else ExactSearcher()
    # Roughly, on two cores: exact search takes n^2 (d + 90) times 9 picoseconds, the other
    # 0.3 s and 40 microseconds a row. Twice that time is well spent on missing no neighbor.
    return ExactSearcher() if n_rows**2 * (n_features + 90) <= 2e11 else FaissSearcher()
