"""Where a run begins."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph import build_neighbor_graph
from graphpac.solvers import make_start, seeding
from tests.reference.reach import hop_distances, step_matrix
from tests.strategies import membership_matrix, random_graph

SEEDED = ("smoothed", "k-means++")


@pytest.fixture
def blobs():
    """Four groups of forty samples on four axes, far apart."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(4), 40)
    rows = np.eye(4)[labels] + rng.normal(0.0, 0.05, (160, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32), labels


def started(init, n_clusters, *, rows=None, graph=None, seed=0, n_jobs=1):
    if graph is None:
        graph = build_neighbor_graph(rows, 5, n_jobs=1)
    rng = np.random.default_rng(seed)
    return make_start(init, n_clusters, rows=rows, graph=graph, rng=rng, n_jobs=n_jobs)


@pytest.mark.parametrize("init", SEEDED)
def test_seeds_of_far_groups_recover_them(init, blobs, seed):
    """Every group becomes one label: seeding alone, without an iteration of k-means."""
    rows, labels = blobs

    found = started(init, 4, rows=rows, seed=seed)

    assert found.memberships is None
    assert found.hard_labels.dtype == np.int32
    assert len(set(zip(labels, found.hard_labels, strict=True))) == 4


@pytest.mark.parametrize("n_features", [4, 50])
@pytest.mark.parametrize("init", SEEDED)
def test_sparse_rows_and_threads_make_no_difference(init, n_features, blobs, monkeypatch):
    rows = np.pad(blobs[0], ((0, 0), (0, n_features - 4)))
    monkeypatch.setattr(seeding, "_BLOCK_ROWS", 50)
    dense = started(init, 7, rows=rows)

    for other in (
        started(init, 7, rows=rows, n_jobs=3),
        started(init, 7, rows=sp.csr_matrix(rows), graph=build_neighbor_graph(rows, 5)),
    ):
        assert_array_equal(other.hard_labels, dense.hard_labels)


def test_smoothing_averages_over_hops_as_often_as_it_says():
    rng = np.random.default_rng(0)
    graph = random_graph(40, 4, rng)
    rows = rng.normal(size=(40, 3)).astype(np.float32)
    step = step_matrix(graph).astype(np.float64)
    average = step / step.sum(axis=1, keepdims=True)

    smoothed = seeding._smoothed_rows(rows, graph, rng, 1)

    expected = np.linalg.matrix_power(average, seeding.SMOOTHING_STEPS) @ rows
    assert_allclose(smoothed, expected, atol=1e-5)


def test_smoothing_may_leave_all_rows_alike():
    """Everybody is everybody's neighbor: seeds coincide, and labels are still labels."""
    rows = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
    graph = build_neighbor_graph(rows, 7, n_jobs=1)

    found = started("smoothed", 8, rows=rows, graph=graph).hard_labels

    assert np.all((found >= 0) & (found < 8))


def test_seeds_may_come_from_a_sample_of_the_rows(blobs, monkeypatch):
    rows, labels = blobs
    monkeypatch.setattr(seeding, "SAMPLED_ROWS", 50)
    monkeypatch.setattr(seeding, "SAMPLED_ROWS_PER_CLUSTER", 1)

    found = started("k-means++", 4, rows=rows)

    assert len(set(zip(labels, found.hard_labels, strict=True))) == 4


@pytest.mark.parametrize("init", ["k-means++", "smoothed"])
@pytest.mark.parametrize("n_clusters", [30, 100])
def test_many_seeds_are_drawn_in_groups(init, n_clusters, monkeypatch):
    """As many as are asked for, every one of them with samples, on any number of threads."""
    monkeypatch.setattr(seeding, "SEEDS_AT_ONCE", 20)
    monkeypatch.setattr(seeding, "SEEDS_PER_GROUP", 10)
    rows = np.random.default_rng(1).normal(size=(100, 4)).astype(np.float32)
    graph = build_neighbor_graph(rows, 3, n_jobs=1)

    found = [started(init, n_clusters, rows=rows, graph=graph, n_jobs=n) for n in (1, 3)]

    assert_array_equal(found[0].hard_labels, found[1].hard_labels)
    assert 0 <= found[0].hard_labels.min() <= found[0].hard_labels.max() < n_clusters
    if init == "k-means++":
        assert np.unique(found[0].hard_labels).size == n_clusters


def test_without_rows_seeds_are_spread_by_hops(blobs, seed):
    """Four parts that no edge connects: none is left without a seed."""
    rows, _ = blobs
    graph = build_neighbor_graph(rows, 5, n_jobs=1)

    found = started("k-means++", 4, graph=graph, seed=seed)

    assert np.unique(found.hard_labels).size == 4


def test_every_sample_gets_the_label_of_a_nearest_seed(monkeypatch):
    graph = random_graph(60, 3, np.random.default_rng(5))
    seeds = []
    lower = seeding.lower_hop_distances

    def recorded(indptr, indices, seed, *rest):
        seeds.append(seed)
        lower(indptr, indices, seed, *rest)

    monkeypatch.setattr(seeding, "lower_hop_distances", recorded)
    found = started("k-means++", 6, graph=graph).hard_labels

    distances = hop_distances(graph, seeds)
    reached = np.isfinite(distances.min(axis=0))
    assert len(set(seeds)) == 6
    assert_array_equal(found[reached], distances.argmin(axis=0)[reached])


def test_as_many_clusters_as_samples_give_each_its_own():
    graph = random_graph(12, 3, np.random.default_rng(1))

    assert_array_equal(np.sort(started("k-means++", 12, graph=graph).hard_labels), np.arange(12))


@pytest.mark.parametrize("n_clusters", [1, 3])
def test_isolated_samples_can_be_seeded(n_clusters):
    graph = random_graph(8, 0, np.random.default_rng(0))

    found = started("k-means++", n_clusters, graph=graph).hard_labels

    assert np.unique(found).size == n_clusters


def test_random_labels_come_from_the_generator():
    graph = random_graph(50, 3, np.random.default_rng(0))

    first, again, other = (started("random", 5, graph=graph, seed=s).hard_labels for s in (1, 1, 2))

    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert set(first.tolist()) == set(range(5))


def test_zeros_are_no_labels():
    graph = random_graph(5, 3, np.random.default_rng(0))

    assert_array_equal(started("zeros", 3, graph=graph).hard_labels, [-1] * 5)


def test_given_labels_are_taken_as_they_are():
    graph = random_graph(3, 2, np.random.default_rng(0))
    labels = np.array([2, 0, 1])

    found = started(labels, 3, graph=graph)

    assert_array_equal(found.hard_labels, labels)
    assert not np.shares_memory(found.hard_labels, labels)


def test_given_memberships_bring_their_largest_entry_as_label():
    graph = random_graph(20, 2, np.random.default_rng(0))
    P = membership_matrix(20, 4, np.random.default_rng(3))

    found = started(sp.csr_matrix(P), 4, graph=graph)

    assert_array_equal(found.hard_labels, P.argmax(axis=1))
    assert_array_equal(found.memberships.toarray(), P.astype(np.float32))
