"""The likelihood of partitions against dense matrices, and moves that raise it."""

from math import log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac._threads import Workers
from graphpac.solvers import likelihood
from graphpac.solvers.likelihood import Fit, LinkGraph, Moving, raise_likelihood, sweep_once
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


def above_chance(A, labels):
    f, s = reference.shares(A, labels)
    return np.copysign(reference.likelihood(f, s), f - s)


@given(A=link_matrices(min_samples=2), n_clusters=st.integers(2, 5), seed=SEEDS)
def test_one_step_and_two_steps_are_those_of_the_definition(A, n_clusters, seed):
    assume(A.any())
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    graph = link_graph(A)
    walks = reference.two_step_walks(A)
    for matrix, fit in [
        (A, graph.fit(labels, n_clusters)),
        (walks, graph.fit_two_steps(labels, n_clusters)),
    ]:
        f, s = reference.shares(matrix, labels)
        assert (fit.inside, fit.chance) == pytest.approx((f, s))
        assert fit.n_ends == A.sum()
        if s < 1.0 - 1e-9:  # else all links are in one cluster
            assert fit.likelihood == pytest.approx(reference.likelihood(f, s), abs=1e-9)
        if 1e-9 < f < 1.0 - 1e-9:
            assert fit.resolution == pytest.approx(reference.gamma(f, s), rel=1e-6)
    assert graph.fit_two_steps(labels, n_clusters).inside >= reference.shares(A, labels)[1] - 1e-9


@given(
    f=st.sampled_from([0.0, 1e-300, 0.1, 0.5, 1.0 - 2**-53, 1.0]),
    s=st.sampled_from([0.0, 1e-300, 0.1, 0.5, 1.0 - 2**-53, 1.0, 1.0 + 2**-52]),
    n_ends=st.sampled_from([0.0, 1e-30, 1.0, 1e12]),
)
def test_likelihood_and_resolution_are_numbers_everywhere(f, s, n_ends):
    fit = Fit(f, s, n_ends)
    assert np.isfinite(fit.likelihood)
    assert np.isfinite(fit.resolution)
    assert fit.resolution > 0.0


@given(f=st.floats(0.0, 1.0), s=st.floats(0.01, 0.99))
def test_a_partition_tells_something_unless_it_is_like_chance(f, s):
    assert Fit(f, s, 100.0).likelihood >= -1e-15
    assert Fit(s, s, 100.0).likelihood == pytest.approx(0.0, abs=1e-15)


def test_the_true_partition_of_separate_groups_tells_all_there_is():
    A = np.kron(np.eye(4), np.ones((5, 5)) - np.eye(5))
    fit = link_graph(A).fit(np.repeat(np.arange(4, dtype=np.int32), 5), 4)
    assert (fit.inside, fit.chance) == (1.0, pytest.approx(0.25))
    assert fit.likelihood == pytest.approx(log(4.0))


@settings(max_examples=20)
@given(seed=SEEDS)
def test_a_move_with_a_gain_at_the_price_of_gamma_raises_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    A, groups = planted_links([8, 10, 12], rng, inside=4.0)
    labels = np.where(rng.random(30) < 0.3, rng.integers(0, 3, 30), groups)
    f, s = reference.shares(A, labels)
    assume(s < f < 1.0)
    price = reference.gamma(f, s) / A.sum()
    for i, label in zip(range(30), rng.integers(0, 3, 30), strict=True):
        moved = labels.copy()
        moved[i] = label
        if reference.gain(A, labels, i, label, price) > 0.0:
            assert reference.likelihood(*reference.shares(A, moved)) > reference.likelihood(f, s)


@given(
    A=link_matrices(min_samples=4, max_samples=20),
    n_clusters=st.integers(1, 6),
    price=st.sampled_from([1 / 64, 1 / 8]),
    n_blocks=st.integers(1, 20),
    n_jobs=st.sampled_from([1, 2]),
    seed=SEEDS,
)
def test_a_sweep_is_that_of_blocks_in_rounds(A, n_clusters, price, n_blocks, n_jobs, seed):
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    with Workers(n_jobs) as workers:
        graph = LinkGraph(links_from(A), workers)
        graph.bounds = np.linspace(0, len(A), n_blocks + 1).astype(np.int64)
        found, clusters = labels.copy(), graph.clusters(labels, n_clusters)
        sweep_once(graph, found, clusters, np.ones(len(A), np.uint8), price)
        for followed, expected in zip(clusters, graph.clusters(found, n_clusters), strict=True):
            assert_array_equal(followed, expected)
    expected = reference.sweep_in_rounds(A, labels, graph.bounds, likelihood.ROUND_BLOCKS, price)
    assert_array_equal(found, expected)
    assert set(found) == set(labels)


@given(
    A=link_matrices(min_samples=1, max_samples=20),
    n_clusters=st.integers(1, 6),
    seed=SEEDS,
)
def test_any_graph_keeps_its_clusters_and_its_likelihood(A, n_clusters, seed):
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    given_labels = labels.copy()
    found = raise_likelihood(link_graph(A), labels, n_clusters)
    assert_array_equal(labels, given_labels)
    assert found.dtype == np.int32
    assert set(found) == set(labels)
    if A.any() and reference.shares(A, labels)[1] < 1.0 - 1e-9:
        assert above_chance(A, found) >= above_chance(A, labels) - 1e-9


@settings(max_examples=20)
@given(n_groups=st.integers(2, 6), share_wrong=st.sampled_from([0.1, 0.3, 1.0]), seed=SEEDS)
def test_planted_graphs_get_likelier_with_the_same_bits_for_any_threads(
    n_groups, share_wrong, seed
):
    rng = np.random.default_rng(seed)
    A, groups = planted_links(rng.integers(20, 80, n_groups), rng)
    wrong = rng.random(groups.size) < share_wrong
    labels = np.where(wrong, rng.integers(0, n_groups, groups.size), groups).astype(np.int32)
    labels[:n_groups] = np.arange(n_groups)
    found = []
    for n_jobs in (1, 2, 4):
        with Workers(n_jobs) as workers:
            graph = LinkGraph(links_from(A), workers)
            found.append(raise_likelihood(graph, labels, n_groups))
    assert_array_equal(found[1], found[0])
    assert_array_equal(found[2], found[0])
    assert above_chance(A, found[0]) >= above_chance(A, labels) - 1e-12
    if share_wrong < 1.0:
        assert np.mean(found[0] == groups) > 0.9


@pytest.mark.parametrize("n_clusters", [1, 2, 5])
@pytest.mark.parametrize("A", ODD_MATRICES.values(), ids=ODD_MATRICES)
def test_odd_graphs_pass(A, n_clusters):
    labels = (np.arange(len(A)) % n_clusters).astype(np.int32)
    graph = link_graph(A)
    found = raise_likelihood(graph, labels, n_clusters)
    assert set(found) == set(labels)
    assert np.isfinite(graph.fit(found, n_clusters).likelihood)
    assert np.isfinite(graph.fit_two_steps(found, n_clusters).likelihood)


def test_clusters_emptied_by_two_blocks_together_get_a_sample_back():
    """The one given back was the only one where it went: that cluster is given one in its turn."""
    labels = np.array([0, 1, 2, 2, 2], np.int32)
    graph = link_graph(np.zeros((5, 5)))
    moved = np.array([1, 2, 2, 2, 2], np.int32)
    clusters, had = graph.clusters(moved, 3), np.bincount(labels)
    likelihood._give_back(graph.degrees, moved, 0, labels, had, clusters)
    assert_array_equal(moved, labels)
    assert_array_equal(clusters.counts, had)


@given(A=link_matrices(min_samples=4), n_clusters=st.integers(1, 5), seed=SEEDS)
def test_what_is_known_follows_the_moves(A, n_clusters, seed):
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    graph = link_graph(A)
    moving = Moving(graph, labels, n_clusters)
    for _ in range(3):
        moving.sweep(np.ones(len(A), np.uint8), 1 / 64)
        assert moving.fit == graph.fit(moving.labels, n_clusters)


def test_items_share_the_threads():
    A, groups = planted_links([40] * 3, np.random.default_rng(0))
    with Workers(5) as workers:
        graph = LinkGraph(links_from(A), workers)
        found = graph.map(lambda own, item: (own.workers.n_jobs, own.fit(groups, 3), item), "ab")
    assert found == [(2, link_graph(A).fit(groups, 3), item) for item in "ab"]


def test_a_cluster_that_was_empty_stays_so():
    A = 1.0 - np.eye(4)
    found = raise_likelihood(link_graph(A), np.array([0, 0, 3, 3], np.int32), 5)
    assert set(found) == {0, 3}


def test_sweeps_are_few_and_late_ones_look_at_few_samples(monkeypatch):
    A, groups = planted_links([150] * 4, np.random.default_rng(0))
    labels = np.random.default_rng(1).integers(0, 4, groups.size, dtype=np.int32)
    looked = []

    def counted(graph, labels, clusters, due, price):
        looked.append(int(due.sum()))
        return sweep_once(graph, labels, clusters, due, price)

    monkeypatch.setattr(likelihood, "sweep_once", counted)
    raise_likelihood(link_graph(A), labels, 4)
    assert len(looked) <= likelihood.MOST_SWEEPS
    assert looked[:2] == [600, 600]
    assert looked[-1] < 100


def test_sums_of_blocks_do_not_depend_on_threads():
    A, groups = planted_links([40] * 3, np.random.default_rng(0))
    A *= np.random.default_rng(1).uniform(0.1, 1.0, A.shape)
    A = (A + A.T).astype(np.float32).astype(np.float64)
    fits = []
    for n_jobs in (1, 3):
        with Workers(n_jobs) as workers:
            graph = LinkGraph(links_from(A), workers)
            fits.append((graph.fit(groups, 3), graph.fit_two_steps(groups, 3)))
    assert fits[0] == fits[1]
