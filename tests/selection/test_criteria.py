"""What tells a good number of clusters from others."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from graphpac import NeighborGraph
from graphpac.selection.criteria import graph_modularity, half_of_edges, mean_agreement
from tests.strategies import neighbor_graphs


def two_cliques():
    """Two triangles with one edge from the first to the second."""
    edges = [(a, b) for part in ((0, 1, 2), (3, 4, 5)) for a in part for b in part if a != b]
    sources, targets = np.array([*edges, (2, 3)]).T
    ones = np.ones(sources.size)
    return NeighborGraph.from_edges(sources, targets, ones, n_samples=6, kind="euclidean")


def dense_modularity(graph, labels):
    """The formula as it stands in books, with a cell for every pair."""
    adjacency = graph.to_scipy().toarray()
    if graph.kind != "similarity":
        adjacency = np.zeros_like(adjacency)
        adjacency[np.repeat(np.arange(graph.n_samples), graph.degrees), graph.indices] = 1.0
    total = adjacency.sum()
    expected = np.outer(adjacency.sum(axis=1), adjacency.sum(axis=0)) / total
    same = labels[:, np.newaxis] == labels
    return ((adjacency - expected) * same).sum() / total


def test_modularity_of_two_cliques():
    graph = two_cliques()

    # 12 of 13 edges inside; 7 and 6 leave the cliques, 6 and 7 lead to them.
    assert graph_modularity(graph, np.int32([0, 0, 0, 1, 1, 1])) == pytest.approx(
        12 / 13 - (7 * 6 + 6 * 7) / 13**2
    )
    assert graph_modularity(graph, np.zeros(6, dtype=np.int32)) == pytest.approx(0.0)


@given(graph=neighbor_graphs(), data=st.data())
def test_modularity_is_that_of_the_dense_formula(graph, data):
    n_samples = graph.n_samples
    chosen = data.draw(st.lists(st.integers(0, 4), min_size=n_samples, max_size=n_samples))
    labels = np.array(chosen, dtype=np.int32)

    found = graph_modularity(graph, labels)

    if graph.n_edges == 0:
        assert found == 0.0
    else:
        assert_allclose(found, dense_modularity(graph, labels), atol=1e-6)
        # Names of clusters do not matter.
        assert_allclose(graph_modularity(graph, 4 - labels), found, atol=1e-12)


def test_agreement_is_the_mean_over_pairs(seed):
    rng = np.random.default_rng(seed)
    labelings = [rng.integers(0, 3, 50).astype(np.int32) for _ in range(4)]

    pairs = [adjusted_rand_score(a, b) for a, b in combinations(labelings, 2)]

    assert mean_agreement(labelings) == pytest.approx(np.mean(pairs))
    assert mean_agreement([labelings[0], 2 - labelings[0]]) == 1.0


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
    graph = two_cliques()
    halves = {
        tuple(half_of_edges(graph, np.random.default_rng(seed)).indices) for seed in range(20)
    }

    assert len(halves) > 5
