"""The names of the searchers, and which one "auto" means."""

from __future__ import annotations

from collections.abc import Callable

from graphpac.graph.rows import Rows
from graphpac.graph.searchers.base import NeighborSearcher
from graphpac.graph.searchers.exact import ExactSearcher

SEARCHERS: dict[str, Callable[[], NeighborSearcher]] = {"exact": ExactSearcher}


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


def _automatic(rows: Rows) -> NeighborSearcher:  # noqa: ARG001
    return ExactSearcher()
