"""Layer 2: from samples to a weighted neighbor graph."""

from graphpac.graph.build import build_neighbor_graph
from graphpac.graph.neighbor_graph import NeighborGraph

__all__ = ["NeighborGraph", "build_neighbor_graph"]
