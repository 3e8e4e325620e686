"""Ways to find neighbors, one file each, one contract."""

from graphpac.graph.searchers.base import NeighborIndex, Neighbors, NeighborSearcher, SearchCost
from graphpac.graph.searchers.exact import ExactSearcher
from graphpac.graph.searchers.faiss_index import FaissSearcher
from graphpac.graph.searchers.lists import ListsSearcher
from graphpac.graph.searchers.nndescent import NNDescentSearcher
from graphpac.graph.searchers.remembering import RememberingSearcher
from graphpac.graph.searchers.table import (
    BY_SIZE,
    SEARCHERS,
    is_exact,
    resolve_searcher,
    search_cost,
)

__all__ = [
    "BY_SIZE",
    "SEARCHERS",
    "ExactSearcher",
    "FaissSearcher",
    "ListsSearcher",
    "NNDescentSearcher",
    "NeighborIndex",
    "NeighborSearcher",
    "Neighbors",
    "RememberingSearcher",
    "SearchCost",
    "is_exact",
    "resolve_searcher",
    "search_cost",
]
