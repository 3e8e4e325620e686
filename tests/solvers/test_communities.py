"""Communities against modularity from its definition, and on graphs that have them."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from graphpac.solvers import communities
from graphpac.solvers.communities import (
    aggregate,
    find_communities,
    level_by_level,
    links_between,
    move_to_rest,
)
from tests.reference import likelihood as reference
from tests.strategies import (
    ODD_MATRICES,
    link_graph,
    link_matrices,
    links_from,
    planted_links,
    random_labels,
)

SEEDS = st.integers(0, 2**32 - 1)
RESOLUTIONS = st.sampled_from([0.1, 0.5, 1.0, 2.0, 10.0])


def numbered_without_gaps(labels):
    return labels.dtype == np.int32 and set(labels) == set(range(int(labels.max()) + 1))


@pytest.mark.parametrize("cells", [0, 1000], ids=["sparse", "whole"])
@given(A=link_matrices(), n_groups=st.integers(1, 5), seed=SEEDS)
def test_links_between_groups_are_those_of_the_matrix(cells, A, n_groups, seed):
    labels = random_labels(len(A), n_groups, np.random.default_rng(seed))
    member = np.eye(n_groups)[labels]
    with patch.object(communities, "MOST_CELLS_PER_LINK", cells):
        between = links_between(links_from(A), labels, n_groups)
    assert between.dtype == np.float64
    assert_array_equal(between.toarray(), member.T @ A @ member)


@pytest.mark.parametrize("cells", [0, 1000], ids=["sparse", "whole"])
def test_more_links_than_float32_can_count_are_counted(cells, monkeypatch):
    monkeypatch.setattr(communities, "MOST_CELLS_PER_LINK", cells)
    A = np.kron(np.eye(20), 1.0 - np.eye(2))
    A[0, 1] = A[1, 0] = 2.0**24
    total = links_between(links_from(A), np.zeros(40, np.int32), 1)[0, 0]
    assert total == 2.0**25 + 2 * 19


@given(A=link_matrices(min_samples=2), resolution=RESOLUTIONS, seed=SEEDS)
def test_modularity_of_groups_is_that_of_their_samples(A, resolution, seed):
    rng = np.random.default_rng(seed)
    labels = np.unique(random_labels(len(A), 5, rng), return_inverse=True)[1].astype(np.int32)
    groups = aggregate(link_graph(A), labels)
    assert groups.n_ends == A.sum()
    assert_array_equal(groups.degrees, np.bincount(labels, weights=A.sum(axis=1)))
    above = random_labels(groups.n_samples, 2, rng)
    again = aggregate(groups, np.unique(above, return_inverse=True)[1].astype(np.int32))
    assert again.n_ends == A.sum()
    if A.any():
        fit = groups.fit(above, 2)
        expected = reference.modularity(A, above[labels], resolution)
        assert fit.inside - resolution * fit.chance == pytest.approx(expected)


@given(A=link_matrices(), resolution=RESOLUTIONS)
def test_each_level_has_no_less_modularity_than_the_one_below(A, resolution):
    graph = link_graph(A)
    finest, levels = move_to_rest(graph, resolution), level_by_level(graph, resolution)
    assert numbered_without_gaps(finest)
    assert numbered_without_gaps(levels)
    if A.any():
        partitions = [np.arange(len(A)), finest, levels]
        values = [reference.modularity(A, labels, resolution) for labels in partitions]
        assert values[0] <= values[1] + 1e-12 <= values[2] + 2e-12


@given(A=link_matrices(), resolution=RESOLUTIONS)
def test_no_sample_gains_by_a_move_to_a_neighbor_at_rest(A, resolution):
    labels = move_to_rest(link_graph(A), resolution)
    price = resolution / max(A.sum(), 1.0)
    for i, j in zip(*np.nonzero(A), strict=True):
        assert reference.gain(A, labels, i, labels[j], price) <= 1e-9


@given(A=link_matrices(), resolution=RESOLUTIONS)
def test_merging_two_linked_communities_gains_nothing(A, resolution):
    labels = level_by_level(link_graph(A), resolution)
    price = resolution / max(A.sum(), 1.0)
    for a in range(labels.max() + 1):
        for b in range(a):
            if A[np.ix_(labels == a, labels == b)].any():
                merged = np.where(labels == a, b, labels)
                gain = reference.quality(A, merged, price) - reference.quality(A, labels, price)
                assert gain <= 1e-9


@given(A=link_matrices(), resolution=RESOLUTIONS, least=st.integers(0, 12))
def test_only_what_has_too_few_groups_ends_early(A, resolution, least):
    graph = link_graph(A)
    for find in (move_to_rest, level_by_level):
        whole, found = find(graph, resolution), find(graph, resolution, least)
        assert numbered_without_gaps(found)
        if whole.max() + 1 >= least:
            assert_array_equal(found, whole)
        else:
            assert whole.max() <= found.max() < least - 1


@settings(max_examples=50)
@given(A=link_matrices(max_samples=30), wanted=st.lists(st.integers(1, 12), min_size=1, max_size=3))
def test_as_many_as_wanted_where_the_finest_level_allows(A, wanted):
    graph = link_graph(A)
    finest = move_to_rest(graph, float(max(wanted)))
    found = find_communities(graph, wanted)
    assert len(found) == len(wanted)
    for labels, number in zip(found, wanted, strict=True):
        assert numbered_without_gaps(labels)
        n_finest = int(finest.max()) + 1
        assert min(number, n_finest) <= labels.max() + 1 <= n_finest
        pairs = np.unique(np.stack([finest, labels]), axis=1)
        assert pairs.shape[1] == n_finest  # communities are made of whole groups


@settings(max_examples=20)
@given(n_groups=st.integers(2, 6), seed=SEEDS)
def test_planted_communities_are_found(n_groups, seed):
    rng = np.random.default_rng(seed)
    A, groups = planted_links(rng.integers(60, 120, n_groups), rng, inside=20.0)
    coarse, fine = find_communities(link_graph(A), [n_groups, 6 * n_groups])
    assert coarse.max() + 1 == n_groups
    assert adjusted_rand_score(groups, coarse) > 0.9
    assert 6 * n_groups <= fine.max() + 1 <= 9 * n_groups


def test_parts_that_are_not_linked_are_never_one_community():
    A = np.kron(np.eye(12), 1.0 - np.eye(4))
    (found,) = find_communities(link_graph(A), [3])
    assert_array_equal(found, np.repeat(np.arange(12), 4))


@pytest.mark.parametrize("A", ODD_MATRICES.values(), ids=ODD_MATRICES)
def test_odd_graphs_pass(A):
    for labels in find_communities(link_graph(A), [1, 2, 50]):
        assert labels.shape == (len(A),)
        assert numbered_without_gaps(labels)


def test_the_graph_is_not_changed():
    A, _ = planted_links([20, 20], np.random.default_rng(0))
    graph = link_graph(A)
    before = [array.copy() for array in (*graph.links, graph.degrees)]
    find_communities(graph, [2, 4])
    for array, was in zip((*graph.links, graph.degrees), before, strict=True):
        assert_array_equal(array, was)


def test_all_samples_are_moved_at_the_finest_level_only(monkeypatch):
    """However many numbers are wanted, and however long a resolution is searched for."""
    A, _ = planted_links([60] * 5, np.random.default_rng(0))
    samples = []

    def counted(links, *arguments):
        samples.append(links.indptr.size - 1)
        return move_block(links, *arguments)

    move_block = communities.move_block
    monkeypatch.setattr(communities, "move_block", counted)
    find_communities(link_graph(A), [5, 6, 7, 8, 9, 10])
    assert samples.count(300) <= communities.MOST_SWEEPS
    assert max(set(samples) - {300}) <= 100


def test_weights_count():
    """Two pairs of samples in a ring, told apart by the weights of their links alone."""
    A = np.array([[0, 9, 0, 1], [9, 0, 1, 0], [0, 1, 0, 9], [1, 0, 9, 0]], float)
    (found,) = find_communities(link_graph(A), [2])
    assert_array_equal(found, [0, 0, 1, 1])
    assert_allclose(reference.modularity(A, found, 1.0), 0.4)
