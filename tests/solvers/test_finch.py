"""FINCH's levels and merging against the description without shortcuts."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph.build import graph_of_rows
from graphpac.graph.rows import prepare_rows
from graphpac.solvers import finch
from graphpac.solvers.finch import Clusters, FirstNeighbors, Hierarchy, find_hierarchy
from graphpac.solvers.finch_merging import merge_nearest
from tests.reference import finch as reference

both_metrics = pytest.mark.parametrize("metric", ["cosine", "euclidean"])


def connect(X, metric):
    rows = prepare_rows(X, metric)
    options = {"metric": metric, "searcher": "exact", "n_jobs": 1, "random_state": 0}
    return FirstNeighbors.of(rows, graph_of_rows(rows, 1, **options))


def hierarchy_of(X, metric, *, early_exit=False):
    return find_hierarchy(
        X, connect(X, metric), lambda means: connect(means, metric), early_exit=early_exit
    )


def groups(seed, n_samples=300, n_groups=12, spread=2.5):
    rng = np.random.default_rng(seed)
    centers = spread * rng.normal(size=(n_groups, 6))
    return centers[rng.integers(0, n_groups, n_samples)] + rng.normal(size=(n_samples, 6))


@both_metrics
@pytest.mark.parametrize("early_exit", [False, True])
@pytest.mark.parametrize("spread", [0.0, 2.5, 20.0])
def test_levels_are_those_of_the_matrix_product(metric, early_exit, spread, seed):
    for data_seed in range(seed, seed + 8):
        X = groups(data_seed, spread=spread)
        found = hierarchy_of(X, metric, early_exit=early_exit).partitions
        expected = reference.partitions(X, metric, early_exit)
        assert_array_equal(found, np.column_stack(expected))


def test_early_exit_looks_at_samples_that_share_a_neighbor_in_any_chunks(seed, monkeypatch):
    X = groups(seed, spread=20.0)
    expected = hierarchy_of(X, "euclidean", early_exit=True).partitions
    assert expected.max(axis=0)[-1] > hierarchy_of(X, "euclidean").partitions.max(axis=0)[-1]

    monkeypatch.setattr(finch, "_PAIR_ENTRIES", 10)

    assert_array_equal(hierarchy_of(X, "euclidean", early_exit=True).partitions, expected)


@both_metrics
def test_every_level_halves_and_contains_the_one_before(metric, seed):
    hierarchy = hierarchy_of(groups(seed), metric)
    sizes = (300, *hierarchy.sizes)
    assert all(2 * coarse <= fine for fine, coarse in pairwise(sizes))
    for fine, coarse in pairwise(hierarchy.partitions.T):
        assert len(np.unique(np.column_stack((fine, coarse)), axis=0)) == fine.max() + 1


@both_metrics
def test_clusters_are_numbered_by_their_first_samples(metric, seed):
    for labels in hierarchy_of(groups(seed), metric).partitions.T:
        firsts = np.unique(labels, return_index=True)[1]
        assert_array_equal(firsts, np.sort(firsts))


@both_metrics
@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_matrix])
def test_merging_is_that_of_means_computed_anew(metric, as_rows, seed):
    X = groups(seed)
    hierarchy = hierarchy_of(X, metric)
    labels, nearest = hierarchy.partitions[:, 0], hierarchy.graphs[1].indices
    for n_clusters in (hierarchy.sizes[0] - 1, 20, 3, 1):
        clusters = Clusters.of(as_rows(X), labels)
        found = merge_nearest(clusters, nearest, n_clusters, metric)
        assert_array_equal(found[labels], reference.merged(X, labels, n_clusters, metric))


@both_metrics
def test_merging_survives_equal_and_empty_means(metric):
    sums = np.array([[0.0, 0.0], [2.0, 2.0], [0.0, 0.0], [2.0, 2.0], [1.0, 0.0]])
    clusters = Clusters(sums, np.full(5, 2))
    nearest = connect(clusters.means(), metric).graph.indices
    found = [merge_nearest(clusters, nearest, c, metric) for c in range(1, 6)]
    assert [labels.max() + 1 for labels in found] == [1, 2, 3, 4, 5]
    assert found[3][1] == found[3][3] or found[3][0] == found[3][2]


def test_many_who_point_at_a_merged_cluster_look_again(seed):
    """A hundred on a circle around two: all of them have one of the two as first neighbor."""
    angles = np.linspace(0.0, 2.0 * np.pi, 100, endpoint=False)
    circle = 100.0 * np.column_stack((np.cos(angles), np.sin(angles)))
    offsets = np.random.default_rng(seed).normal(size=(100, 100))
    X = np.vstack((np.zeros((2, 102)), np.column_stack((circle, 200.0 * offsets))))
    X[1, 0] = 1.0
    nearest = connect(X, "euclidean").graph.indices
    assert np.sum(nearest <= 1) > 64
    found = merge_nearest(Clusters.of(X, np.arange(102)), nearest, 90, "euclidean")
    assert_array_equal(found, reference.merged(X, np.arange(102), 90, "euclidean"))


@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_matrix])
def test_means_are_of_the_samples_as_given(as_rows, seed):
    X = groups(seed)
    labels = np.arange(300, dtype=np.int32) % 7
    clusters = Clusters.of(as_rows(X), labels)
    found = clusters.means()
    assert_allclose(found.toarray() if sp.issparse(found) else found, reference.means(X, labels))
    halves = clusters.joined(np.arange(7) % 2).means()
    expected = reference.means(X, labels % 2)
    assert_allclose(halves.toarray() if sp.issparse(halves) else halves, expected)


@both_metrics
@pytest.mark.parametrize("value", [0.0, 3.0])
def test_equal_samples_are_one_cluster(metric, value):
    hierarchy = hierarchy_of(np.full((40, 3), value), metric, early_exit=True)
    assert hierarchy.sizes == (1,)
    assert hierarchy.outstanding_level() == 0


def test_the_level_that_stands_out_is_that_of_far_groups(seed):
    rng = np.random.default_rng(seed)
    X = 50.0 * np.eye(4)[np.arange(200) % 4] + rng.normal(size=(200, 4))
    hierarchy = hierarchy_of(X, "euclidean")
    assert hierarchy.sizes[hierarchy.outstanding_level()] == 4


def test_the_coarsest_level_with_enough_clusters():
    partitions = np.column_stack([np.arange(12) % size for size in (9, 5, 2)]).astype(np.int32)
    hierarchy = Hierarchy(partitions, ())
    assert [hierarchy.coarsest_level(c) for c in (1, 2, 3, 5, 6, 9, 10)] == [2, 2, 1, 1, 0, 0, 0]
