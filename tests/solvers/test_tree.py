"""The tree of a fit: nested cuts, SciPy's linkage, likelihoods without a pass over samples."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy

from graphpac._threads import Workers
from graphpac.exceptions import ParameterError
from graphpac.graph.links import as_links
from graphpac.metrics import clustering_accuracy
from graphpac.solvers import leaves as leaves_module
from graphpac.solvers import tree as tree_module
from graphpac.solvers.cuts import cut_memberships
from graphpac.solvers.likelihood import LinkGraph
from graphpac.solvers.tree import grow_tree
from tests.reference import tree as reference


@pytest.fixture(scope="module")
def workers():
    with Workers(1) as workers:
        yield workers


def planted(seed, n_samples=120, n_groups=9, inside=0.4, between=0.02, weighted=True):
    """Make a symmetric matrix of links that are denser inside groups, and the groups."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, n_groups, n_samples)
    chance = np.where(groups[:, np.newaxis] == groups, inside, between)
    linked = np.triu(rng.random((n_samples, n_samples)) < chance, 1)
    weights = rng.uniform(0.5, 1.5, linked.shape) if weighted else np.ones(linked.shape)
    upper = np.where(linked, weights, 0.0).astype(np.float32)
    return upper + upper.T, groups


def graph_of(matrix, workers):
    return LinkGraph(as_links(sp.csr_array(matrix)), workers)


def same_partition(labels, others):
    pairs = np.unique(np.column_stack((labels, others)), axis=0)
    return len(pairs) == np.unique(labels).size == np.unique(others).size


def is_union(coarse, fine):
    """Tell whether all samples of each fine cluster are in one coarse cluster."""
    pairs = np.unique(np.column_stack((fine, coarse)), axis=0)
    return len(pairs) == np.unique(fine).size


def n_of(labels):
    return np.unique(labels).size


@st.composite
def partitions(draw):
    """Draw links, maybe in pieces or none at all, and clusters that may be empty or mixed."""
    seed = draw(st.integers(0, 2**16))
    n_samples = draw(st.integers(1, 150))
    n_clusters = draw(st.integers(1, 12))
    inside, between = draw(st.sampled_from([(0.4, 0.02), (0.5, 0.0), (0.05, 0.0), (0.0, 0.0)]))
    matrix, groups = planted(seed, n_samples, 8, inside, between, weighted=draw(st.booleans()))
    rng = np.random.default_rng(seed)
    mixed = rng.random(n_samples) < draw(st.sampled_from([0.0, 0.2, 1.0]))
    numbers = rng.permutation(max(n_clusters, 8))  # of groups: some clusters stay empty
    labels = np.where(mixed, rng.integers(0, n_clusters, n_samples), numbers[groups] % n_clusters)
    return matrix, labels.astype(np.int32), n_clusters


@given(partitions())
def test_cuts_are_nested_and_at_c_the_fit(drawn):
    matrix, labels, n_clusters = drawn
    with Workers(1) as workers:
        tree = grow_tree(graph_of(matrix, workers), labels, n_clusters)
    n_filled, most = n_of(labels), max(tree.n_leaves, n_clusters)

    cuts = [tree.labels(n) for n in range(1, most + 1)]

    assert_array_equal(cuts[n_clusters - 1], labels)
    for n, (coarse, fine) in enumerate(pairwise(cuts), start=1):
        assert is_union(coarse, fine)
        if n_clusters <= n:  # one cluster more changes the labels of its samples only
            assert n_of(fine) == n + 1
            if n > n_clusters:
                assert_array_equal(np.unique(fine[fine != coarse]), [n])
    for n, cut in enumerate(cuts, start=1):
        assert cut.dtype == np.int32
        if n_filled <= n <= n_clusters:
            assert_array_equal(cut, labels)
        else:
            assert_array_equal(np.unique(cut), np.arange(n))


@given(partitions())
def test_linkage_is_scipys_and_cuts_as_the_tree_does(drawn):
    matrix, labels, n_clusters = drawn
    with Workers(1) as workers:
        tree = grow_tree(graph_of(matrix, workers), labels, n_clusters)
    Z, n_filled = tree.linkage, n_of(labels)

    assert Z.shape == (tree.n_leaves - 1, 4)
    assert n_of(tree.leaves) == tree.n_leaves == tree.likelihoods.size == tree.gains.size
    assert_array_equal(tree.leaf_clusters[tree.leaves], labels)
    assert tree.likelihoods[0] == tree.gains[0] == 0.0
    if tree.n_leaves == 1:
        return
    assert hierarchy.is_valid_linkage(Z)
    assert hierarchy.is_monotonic(Z)
    assert Z[-1, 3] == tree.n_leaves
    assert tree.sizes[-1] == labels.size
    assert_array_equal(tree.sizes[: tree.n_leaves], np.bincount(tree.leaves))
    assert np.all(Z[:, 2] < 1.0 + 1e-9)
    assert hierarchy.dendrogram(Z, no_plot=True)["leaves"]
    for n in [*range(1, n_filled + 1), *range(n_clusters + 1, tree.n_leaves + 1)]:
        cut = hierarchy.fcluster(Z, n, "maxclust")
        assert same_partition(cut[tree.leaves], tree.labels(n))


@given(seed=st.integers(0, 2**16), n_clusters=st.integers(1, 6))
@settings(max_examples=30)
def test_merges_heights_and_likelihoods_are_those_of_the_description(seed, n_clusters):
    matrix, groups = planted(seed, between=0.1)
    labels = (groups % n_clusters).astype(np.int32)
    with Workers(1) as workers:
        tree = grow_tree(graph_of(matrix, workers), labels, n_clusters)

    expected = reference.merges(matrix, tree.leaves, tree.leaf_clusters)

    nodes = [frozenset([leaf]) for leaf in range(tree.n_leaves)]
    for a, b in tree.linkage[:, :2].astype(int):
        nodes.append(nodes[a] | nodes[b])
    found = [frozenset([nodes[a], nodes[b]]) for a, b in tree.linkage[:, :2].astype(int)]
    assert found == [pair for pair, _, _ in expected]
    lift = np.array([value for _, value, _ in expected]) * len(matrix) ** 2 / matrix.sum()
    heights, between = 1 / (1 + np.maximum(lift, 0)), np.array([last for *_, last in expected])
    if between.any() and not between.all():
        heights[~between] = np.minimum(heights[~between], heights[between][0])
    assert_allclose(tree.linkage[:, 2], heights, rtol=1e-6)
    for n in range(1, tree.n_leaves + 1):
        assert_allclose(
            tree.likelihoods[n - 1], reference.likelihood(matrix, tree.labels(n)), atol=1e-6
        )


def test_communities_inside_a_cluster_are_its_leaves_and_parts(workers, seed):
    matrix, groups = planted(seed, n_samples=400, n_groups=8, inside=0.5, between=0.01)
    labels = (groups // 2).astype(np.int32)  # each cluster of two communities

    tree = grow_tree(graph_of(matrix, workers), labels, 4)

    assert clustering_accuracy(groups, tree.labels(8)) > 0.97
    assert tree.likelihoods.argmax() == 7
    assert tree.gains[8:].max() < 0.0 < tree.gains[1:8].min()


def test_crumbs_are_no_leaves(workers, seed):
    matrix, groups = planted(seed, n_samples=400, n_groups=4, inside=0.5, between=0.01)
    matrix[:20] = matrix[:, :20] = 0.0  # samples without links
    matrix[30:33] = matrix[:, 30:33] = 0.0
    matrix[[30, 31, 31, 32], [31, 30, 32, 31]] = 1.0  # a piece of three
    labels = groups.astype(np.int32)
    labels[30:33] = 2

    tree = grow_tree(graph_of(matrix, workers), labels, 5)

    assert np.bincount(tree.leaves).min() >= 0.1 * 400 / 16
    assert_array_equal(tree.leaf_clusters[tree.leaves], labels)
    assert n_of(tree.leaves[30:33]) == 1


def test_leaves_are_numbered_by_cluster_and_size(workers, seed):
    matrix, groups = planted(seed)
    tree = grow_tree(graph_of(matrix, workers), (groups % 3).astype(np.int32), 3)
    sizes = np.bincount(tree.leaves)

    assert np.all(np.diff(tree.leaf_clusters) >= 0)
    for cluster in range(3):
        assert np.all(np.diff(sizes[tree.leaf_clusters == cluster]) <= 0)


def test_the_tree_does_not_depend_on_threads(seed):
    matrix, groups = planted(seed, n_samples=500)
    trees = []
    for n_jobs in (1, 2):
        with Workers(n_jobs) as workers:
            trees.append(grow_tree(graph_of(matrix, workers), (groups % 4).astype(np.int32), 4))

    assert_array_equal(trees[0].linkage, trees[1].linkage)
    assert_array_equal(trees[0].leaves, trees[1].leaves)
    assert_array_equal(trees[0].likelihoods, trees[1].likelihoods)


def test_of_too_many_clusters_they_are_the_leaves_or_there_is_no_tree(workers, seed, monkeypatch):
    matrix, groups = planted(seed)
    labels = groups.astype(np.int32)
    monkeypatch.setattr(leaves_module, "MOST_LEAVES", 16)

    tree = grow_tree(graph_of(matrix, workers), labels, 9)

    assert_array_equal(tree.leaves, labels)
    assert tree.n_leaves == 9
    monkeypatch.setattr(tree_module, "MOST_LEAVES", 8)
    with pytest.raises(ParameterError, match=r"no tree over 9 clusters, only over up to 8: fit"):
        grow_tree(graph_of(matrix, workers), labels, 9)


@pytest.mark.parametrize("most", [18, 20, 25])
def test_there_are_never_more_leaves_than_may_be(workers, seed, monkeypatch, most):
    matrix, groups = planted(seed, n_samples=600, n_groups=36)
    monkeypatch.setattr(leaves_module, "MOST_LEAVES", most)

    tree = grow_tree(graph_of(matrix, workers), (groups // 4).astype(np.int32), 9)

    assert 9 < tree.n_leaves <= most


def test_copies_count(workers, seed):
    matrix, groups = planted(seed)
    tree = grow_tree(graph_of(matrix, workers), (groups % 3).astype(np.int32), 3)
    numbers = np.random.default_rng(seed).integers(0, len(groups), 1000).astype(np.int32)

    whole = tree.with_copies(numbers)

    assert whole.sizes[-1] == 1000
    assert_array_equal(whole.linkage, tree.linkage)
    for n in (1, 2, 3, 5):
        assert_array_equal(whole.labels(n), tree.labels(n)[numbers])


@pytest.mark.parametrize("given_number", [0, -1, 1000, 2.5, "3", None, True])
def test_a_number_out_of_range_is_told_with_what_is_allowed(workers, given_number):
    matrix, groups = planted(0)
    tree = grow_tree(graph_of(matrix, workers), (groups % 3).astype(np.int32), 3)

    with pytest.raises(ParameterError) as refused:
        tree.labels(given_number)

    assert str(refused.value) == (
        f"n_clusters={given_number!r} is not a cut of the tree of this fit: give a whole number "
        f"from 1 to {tree.n_leaves}, or fit again with an n_clusters above 3 for a finer tree"
    )


def fuzzy(labels, n_clusters, rng):
    """Make memberships with the largest entries at labels."""
    dense = rng.random((labels.size, n_clusters)) * (rng.random((labels.size, n_clusters)) < 0.5)
    dense[np.arange(labels.size), labels] = 1.5
    return dense / dense.sum(axis=1, keepdims=True)


@given(partitions())
@settings(max_examples=30)
def test_memberships_add_up_and_are_divided_by_links(drawn):
    matrix, labels, n_clusters = drawn
    memberships = fuzzy(labels, n_clusters, np.random.default_rng(0))
    with Workers(1) as workers:
        graph = graph_of(matrix, workers)
        tree = grow_tree(graph, labels, n_clusters)
    filled = np.unique(labels)
    of_filled = memberships[:, filled] / memberships[:, filled].sum(axis=1, keepdims=True)

    for n in range(1, max(tree.n_leaves, n_clusters) + 1):
        cut = tree.labels(n)
        found = cut_memberships(tree, graph.links, sp.csr_array(memberships), n)
        if filled.size <= n <= n_clusters:
            assert_allclose(found.toarray(), memberships, rtol=1e-6)
        elif n < filled.size:
            merged = [cut[labels == cluster][0] for cluster in filled]
            expected = np.zeros((labels.size, n))
            np.add.at(expected.T, merged, of_filled.T)
            assert_allclose(found.toarray(), expected, rtol=1e-5)
        else:
            expected = reference.divided(matrix, cut, labels, memberships)
            assert_allclose(found.toarray(), expected, rtol=1e-5, atol=1e-7)
        assert found.dtype == np.float32
        assert_allclose(found.sum(axis=1), 1.0, rtol=1e-5)
