"""Layer 2: from samples to a weighted neighbor graph."""

from graphpac.graph.build import build_neighbor_graph
from graphpac.graph.interop import as_neighbor_graph
from graphpac.graph.neighbor_graph import NeighborGraph

__all__ = ["NeighborGraph", "as_neighbor_graph", "build_neighbor_graph"]
