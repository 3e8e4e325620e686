"""Random halves of a graph, which show what of it is chance."""

from __future__ import annotations

import numpy as np

from graphpac.graph.neighbor_graph import NeighborGraph


def half_of_edges(graph: NeighborGraph, rng: np.random.Generator) -> NeighborGraph:
    """Keep a random half of the neighbors of each sample, of an odd number the larger half."""
    sources = np.repeat(np.arange(graph.n_samples), graph.degrees)
    order = np.lexsort((rng.random(graph.n_edges), sources))
    places = np.arange(graph.n_edges) - np.repeat(graph.indptr[:-1], graph.degrees)
    kept = np.sort(order[places < np.repeat((graph.degrees + 1) // 2, graph.degrees)])
    indptr = np.zeros_like(graph.indptr)
    np.cumsum((graph.degrees + 1) // 2, out=indptr[1:])
    return NeighborGraph(indptr, graph.indices[kept], graph.values[kept], graph.kind, graph.copy_of)
