"""Hubs keep their nearest links, and ordinary graphs all of theirs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from numpy.testing import assert_array_equal

from graphpac.graph import NeighborGraph, build_neighbor_graph, hubs
from graphpac.graph.hubs import hop_lists, most_links
from graphpac.graph.lists import either_direction
from tests.reference.copies import links_of
from tests.strategies import neighbor_graphs


def star(n_leaves, *, both_ways=False):
    """A graph in which every sample has one neighbor, the hub, at growing distance."""
    leaves = np.arange(1, n_leaves + 1)
    center = np.zeros(n_leaves, dtype=np.int64)
    sources, targets = (leaves, center)
    if both_ways:
        sources, targets = np.concatenate((leaves, center)), np.concatenate((center, leaves))
    distances = np.concatenate((leaves, leaves))[: sources.size]
    return NeighborGraph.from_edges(
        sources, targets, distances, n_samples=n_leaves + 1, kind="euclidean"
    )


def as_matrix(lists):
    n = lists.indptr.size - 1
    return sp.csr_array((np.ones(lists.indices.size), lists.indices, lists.indptr), (n, n))


@given(graph=neighbor_graphs(min_samples=3, max_samples=14, max_degree=8))
def test_links_beyond_the_limit_are_cut_at_both_ends(graph):
    limit = 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hubs, "most_links", lambda degrees, mean_neighbors: limit)
        lists = hop_lists(graph)

    kept = as_matrix(lists).toarray() > 0.0
    ranks = [links_of(graph, i) for i in range(graph.n_samples)]
    for i in range(graph.n_samples):
        for j in range(graph.n_samples):
            wanted = i == j or (j in ranks[i][:limit] and i in ranks[j][:limit])
            assert kept[i, j] == wanted


def test_an_ordinary_graph_keeps_every_link(digits):
    graph = build_neighbor_graph(digits.X)

    for found, expected in zip(hop_lists(graph), either_direction(graph), strict=True):
        assert_array_equal(found, expected)


@pytest.mark.parametrize("both_ways", [False, True])
def test_the_walks_through_a_star_grow_with_its_size_only(both_ways):
    sizes = []
    for n_leaves in (20_000, 40_000):
        step = as_matrix(hop_lists(star(n_leaves, both_ways=both_ways)))
        assert (abs(step - step.T)).nnz == 0
        sizes.append((step @ step).nnz / n_leaves)

    assert sizes[1] < 1.1 * sizes[0]
    assert step.indptr[1] - 1 == 1000
    assert step.indices[1] == 1  # the nearest leaf


def test_many_hubs_are_cut_further():
    """A thousand hubs of a thousand links each would make a million walks for every sample."""
    degrees = np.concatenate((np.full(99_000, 10), np.full(1_000, 2_000)))

    limit = most_links(degrees, 10.0)

    def mean_square(limit):
        return np.square(np.minimum(degrees, limit).astype(float)).mean()

    assert mean_square(limit) <= 100 * hubs.SQUARES_PER_SQUARE < mean_square(limit + 1)
