"""Partitions whose clusters differ a lot in size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.metrics import normalized_mutual_info_score

from graphpac._threads import Workers
from graphpac.solvers import candidates
from graphpac.solvers.likelihood import LinkGraph, raise_likelihood
from graphpac.solvers.uneven import (
    PRICE_OF_CHANCE,
    choose_uneven,
    normalized_cut,
    settle,
    uneven_candidates,
)
from tests.strategies import (
    link_graph,
    link_matrices,
    links_from,
    planted_links,
    random_labels,
)

SEEDS = st.integers(0, 2**32 - 1)
SIZES = (600, 200, 80, 40, 30)


@given(A=link_matrices(), n_clusters=st.integers(1, 6), seed=SEEDS)
def test_the_normalized_cut_is_that_of_the_definition(A, n_clusters, seed):
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    expected = 0.0
    for cluster in range(n_clusters):
        of_cluster = A[labels == cluster]
        if of_cluster.sum() > 0:
            expected += of_cluster[:, labels != cluster].sum() / of_cluster.sum()
    assert normalized_cut(link_graph(A), labels, n_clusters) == pytest.approx(expected)


@given(A=link_matrices(), n_clusters=st.integers(1, 5))
@settings(deadline=None)
def test_candidates_have_as_many_clusters_as_wanted(A, n_clusters):
    for facts, labels in uneven_candidates(link_graph(A), n_clusters):
        assert labels.shape == (len(A),)
        assert facts.cluster_sizes == tuple(np.bincount(labels, minlength=n_clusters))
        assert len(facts.cluster_sizes) == n_clusters
        assert min(facts.cluster_sizes) > 0
        assert "merged by information" in facts.origin


@given(A=link_matrices(min_samples=2), n_clusters=st.integers(1, 4), seed=SEEDS)
def test_settling_raises_links_inside_less_half_of_chance(A, n_clusters, seed):
    graph = link_graph(A)
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    before, given_labels = graph.fit(labels, n_clusters), labels.copy()
    settled = settle(graph, labels, n_clusters)
    after = graph.fit(settled, n_clusters)
    price = PRICE_OF_CHANCE * before.resolution
    assert after.inside - price * after.chance >= before.inside - price * before.chance - 1e-12
    assert_array_equal(labels, given_labels)
    assert set(settled) == set(labels)


def test_groups_of_very_different_size_are_found():
    for seed in range(3):
        A, groups = planted_links(SIZES, np.random.default_rng(seed), inside=12.0, between=0.5)
        graph = link_graph(A)
        best = choose_uneven(graph, uneven_candidates(graph, len(SIZES)))
        assert normalized_mutual_info_score(groups, best.labels) > 0.9


def test_a_giant_keeps_its_edge_where_likelihood_gives_it_to_a_dwarf():
    """Samples of the giant with few more links into it than into a dwarf stay."""
    rng = np.random.default_rng(0)
    A, groups = planted_links((900, 60), rng, inside=8.0, between=0.0)
    edge = rng.choice(900, 30, replace=False)
    for sample in edge:
        n_links = int(A[sample].sum())
        others = 900 + rng.choice(60, max(n_links - 2, 0), replace=False)
        A[sample, others] = A[others, sample] = 1.0
    graph = link_graph(A)
    stay = [int(np.sum(f(graph, groups, 2)[edge] == 0)) for f in (settle, raise_likelihood)]
    assert stay[0] > stay[1]


def test_the_smallest_normalized_cut_is_chosen():
    A, _ = planted_links(SIZES, np.random.default_rng(1), inside=6.0, between=2.0)
    graph = link_graph(A)
    contenders = uneven_candidates(graph, 5)
    cuts = [normalized_cut(graph, each.labels, 5) for each in contenders]
    assert len(contenders) > 1
    assert choose_uneven(graph, contenders) is contenders[int(np.argmin(cuts))]


def test_threads_do_not_change_the_result():
    A, _ = planted_links(SIZES, np.random.default_rng(2), inside=6.0, between=2.0)
    alone = [each.labels for each in uneven_candidates(link_graph(A), 5)]
    with Workers(2) as workers:
        graph = LinkGraph(links_from(A), workers)
        together = [each.labels for each in uneven_candidates(graph, 5)]
    assert len(alone) == len(together)
    for labels, others in zip(alone, together, strict=True):
        assert_array_equal(labels, others)


@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_too_few_samples_have_no_candidates_or_valid_ones(n_samples):
    for each in uneven_candidates(link_graph(np.zeros((n_samples, n_samples))), 3):
        assert min(each.facts.cluster_sizes) > 0


def test_more_communities_than_a_square_matrix_holds_are_left_out(monkeypatch):
    monkeypatch.setattr(candidates, "MOST_COMMUNITIES", 20)
    assert not uneven_candidates(link_graph(np.zeros((21, 21))), 2)
    assert uneven_candidates(link_graph(np.zeros((20, 20))), 2)
