"""Random halves of a graph."""

import numpy as np
from hypothesis import given
from numpy.testing import assert_array_equal

from graphpac.graph.halving import half_of_edges
from tests.strategies import neighbor_graphs, random_graph


@given(graph=neighbor_graphs())
def test_half_of_the_edges_is_half_of_every_list(graph):
    half = half_of_edges(graph, np.random.default_rng(0))

    assert_array_equal(half.degrees, (graph.degrees + 1) // 2)
    assert half.kind == graph.kind
    rows = np.repeat(np.arange(graph.n_samples), graph.degrees)
    edges = dict(zip(zip(rows, graph.indices, strict=True), graph.values, strict=True))
    kept_rows = np.repeat(np.arange(half.n_samples), half.degrees)
    kept = dict(zip(zip(kept_rows, half.indices, strict=True), half.values, strict=True))
    assert kept.items() <= edges.items()


def test_halves_are_random():
    graph = random_graph(12, 6, np.random.default_rng(0))
    halves = {
        tuple(half_of_edges(graph, np.random.default_rng(seed)).indices) for seed in range(20)
    }

    assert len(halves) > 5
