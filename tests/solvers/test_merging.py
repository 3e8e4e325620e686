"""Trees of merged communities, and their cuts."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.kernels.merging import AVERAGE, INFORMATION, LIKELIHOOD, Rule
from graphpac.solvers.merging import merge
from tests.reference import likelihood as exact
from tests.reference import merging as reference
from tests.strategies import link_graph, link_matrices, planted_links, random_labels

CRITERIA = ("likelihood", "average", "information")
SEEDS = st.integers(0, 2**32 - 1)


def some_groups(n_samples, n_groups, rng):
    labels = random_labels(n_samples, n_groups, rng)
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


@given(
    A=link_matrices(),
    criterion=st.sampled_from(CRITERIA),
    least=st.sampled_from([0.0, 2.0, 4.0]),
    families=st.booleans(),
    seed=SEEDS,
)
def test_the_tree_is_that_of_the_reference(A, criterion, least, families, seed):
    rng = np.random.default_rng(seed)
    labels = some_groups(len(A), 8, rng)
    n_groups = labels.max() + 1
    family = rng.integers(0, 3, n_groups, dtype=np.int32) if families else None
    resolution = 2.0 ** rng.integers(-2, 3)
    merges = merge(
        link_graph(A),
        labels,
        criterion=criterion,
        resolution=resolution,
        least=least,
        family=family,
    )
    member = np.eye(n_groups)[labels]
    sizes = member.sum(axis=0)
    links, degrees, n_ends = member.T @ A @ member, member.T @ A.sum(axis=1), max(A.sum(), 1.0)
    weights, cuts, rule = sizes, np.zeros(n_groups), Rule(AVERAGE, 0.0)
    if criterion == "likelihood":
        weights, rule = degrees, Rule(LIKELIHOOD, resolution / n_ends)
    elif criterion == "information":
        links, weights = links / n_ends, degrees / n_ends
        cuts = np.maximum(weights - links.diagonal(), 0.0)
        rule = Rule(INFORMATION, 1.0 + log(cuts.sum()) if cuts.any() else 0.0)
    family = np.zeros(n_groups) if family is None else family
    pairs, affinities = reference.merge(links, weights, cuts, sizes, family, rule, least)
    assert merges.pairs.tolist() == [list(pair) for pair in pairs]
    assert_array_equal(merges.affinities, affinities)


@given(A=link_matrices(), criterion=st.sampled_from(CRITERIA), seed=SEEDS)
def test_cuts_are_nested_and_have_as_many_clusters_as_wanted(A, criterion, seed):
    labels = some_groups(len(A), 8, np.random.default_rng(seed))
    n_groups = int(labels.max()) + 1
    merges = merge(link_graph(A), labels, criterion=criterion)
    assert merges.pairs.shape == (n_groups - 1, 2)
    assert np.isfinite(merges.affinities).all()
    finer = merges.cut(n_groups, n_groups)
    assert_array_equal(finer, np.arange(n_groups))
    for n_clusters in range(n_groups, 0, -1):
        cut = merges.cut(n_groups, n_clusters)
        assert cut.dtype == np.int32
        assert set(cut) == set(range(n_clusters))
        assert np.unique(np.stack([finer, cut]), axis=1).shape[1] == finer.max() + 1
        finer = cut


@pytest.mark.parametrize("criterion", CRITERIA)
def test_more_clusters_than_groups_are_the_groups(criterion):
    A, labels = planted_links([10, 10, 10], np.random.default_rng(0))
    merges = merge(link_graph(A), labels, criterion=criterion)
    assert_array_equal(merges.cut(3, 5), [0, 1, 2])


@given(A=link_matrices(min_samples=2), seed=SEEDS)
def test_a_merge_by_likelihood_gains_its_affinity(A, seed):
    labels = some_groups(len(A), 6, np.random.default_rng(seed))
    n_groups = int(labels.max()) + 1
    merges = merge(link_graph(A), labels, criterion="likelihood", resolution=2.0)
    price = 2.0 / max(A.sum(), 1.0)
    for n_clusters, gain in zip(range(n_groups, 1, -1), merges.affinities, strict=True):
        before = merges.cut(n_groups, n_clusters)[labels]
        after = merges.cut(n_groups, n_clusters - 1)[labels]
        difference = exact.quality(A, after, price) - exact.quality(A, before, price)
        assert gain == pytest.approx(difference, abs=1e-9)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_pieces_of_planted_groups_come_together_again(criterion):
    rng = np.random.default_rng(0)
    A, groups = planted_links([60, 60, 60], rng, inside=12.0)
    pieces = 4 * groups + rng.integers(0, 4, groups.size, dtype=np.int32)
    merges = merge(link_graph(A), pieces, criterion=criterion)
    assert_array_equal(merges.cut(12, 3), np.repeat([0, 1, 2], 4))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("density", [0.0, 1.0])
def test_a_thousand_equal_groups_merge(criterion, density):
    n_groups = 1000
    A = density * (1.0 - np.eye(n_groups))
    labels = np.arange(n_groups, dtype=np.int32)
    for least in (0.0, 3.0):
        merges = merge(link_graph(A), labels, criterion=criterion, least=least)
        assert np.isfinite(merges.affinities).all()
        assert np.unique(merges.pairs[:, 1]).size == n_groups - 1


@pytest.mark.parametrize("criterion", CRITERIA)
def test_one_group_is_a_tree_without_merges(criterion):
    merges = merge(link_graph(1.0 - np.eye(2)), np.zeros(2, np.int32), criterion=criterion)
    assert merges.pairs.shape == (0, 2)
    assert_array_equal(merges.cut(1, 1), [0])


def test_neither_labels_nor_families_are_changed():
    A, labels = planted_links([5, 5, 5], np.random.default_rng(0))
    family = np.array([0, 1, 1], np.int32)
    graph = link_graph(A)
    degrees = graph.degrees.copy()
    merge(graph, labels, criterion="likelihood", family=family)
    assert_array_equal(labels, np.repeat([0, 1, 2], 5))
    assert_array_equal(family, [0, 1, 1])
    assert_array_equal(graph.degrees, degrees)
