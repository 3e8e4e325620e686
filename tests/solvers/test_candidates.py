"""Partitions that compete: how they are judged, made and chosen."""

from itertools import permutations
from math import log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.solvers import candidates
from graphpac.solvers.candidates import (
    Candidate,
    Contender,
    block_information,
    choose,
    improved,
    merged_communities,
    numbered_like,
)
from tests.reference import likelihood as reference
from tests.strategies import link_graph, link_matrices, planted_links, random_labels

SEEDS = st.integers(0, 2**32 - 1)
EVEN, UNEVEN, SAME = (50, 50), (90, 10), (40, 60)
JUDGED = st.tuples(
    st.integers(0, 3), st.integers(0, 3), st.sampled_from((EVEN, UNEVEN, SAME, (100, 0)))
)


def candidate(two_step_likelihood, block_information, sizes=EVEN, origin="ramp"):
    return Candidate(origin, 0.0, two_step_likelihood, block_information, sizes, 0.0)


def contenders(judged, origin):
    return [Contender(candidate(*each, origin=origin), np.zeros(1, np.int32)) for each in judged]


def entropy(sizes):
    shares = [size / sum(sizes) for size in sizes if size]
    return -sum(share * log(share) for share in shares)


def relative(judged, x):
    _, information, sizes = judged
    return information / entropy(sizes) ** x if entropy(sizes) else 0.0


@pytest.mark.parametrize(
    ("judged", "wins"),
    [
        ((2, 2), True),
        ((2, 1), False),
        ((1, 2), False),
        ((0, 9), False),
        ((0, 0.99, UNEVEN), True),  # a little less information at far less entropy
        ((0, 0.80, UNEVEN), False),
        ((9, 0.80, UNEVEN), False),
    ],
)
def test_more_information_wins_and_evenness_has_to_be_likelier_too(judged, wins):
    assert candidate(*judged).beats(candidate(1, 1)) is wins


@given(judged=JUDGED)
def test_no_partition_beats_one_that_is_judged_the_same(judged):
    assert not candidate(*judged).beats(candidate(*judged))


def test_where_links_tell_nothing_uneven_sizes_do_not_win():
    assert not candidate(1, 0.0, UNEVEN).beats(candidate(1, 0.0, EVEN))
    assert not candidate(1, 0.0, (100, 0)).beats(candidate(1, 0.0, EVEN))


@given(ramps=st.lists(JUDGED, min_size=1, max_size=3), others=st.lists(JUDGED, max_size=5))
def test_the_choice_is_the_likeliest_ramp_or_the_most_informative_that_beats_it(ramps, others):
    chosen, _ = choose(contenders(ramps, "ramp"), contenders(others, "other"))
    ramp = next(r for r in ramps if r[0] == max(r[0] for r in ramps))
    better = [
        o
        for o in others
        if (
            relative(o, 0.25) > relative(ramp, 0.25) + 1e-12
            if entropy(o[2]) < entropy(ramp[2]) - 1e-12
            else o[0] > ramp[0] and o[1] > ramp[1]
        )
    ]
    most = max((relative(b, 0.6) for b in better), default=0.0)
    expected = next((o for o in better if relative(o, 0.6) >= most - 1e-12), ramp)
    assert (chosen.two_step_likelihood, chosen.block_information) == expected[:2]
    assert chosen.origin == ("other" if better else "ramp")


@given(A=link_matrices(min_samples=2), n_clusters=st.integers(1, 5), seed=SEEDS)
def test_block_information_is_that_of_the_definition(A, n_clusters, seed):
    assume(A.any())
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    found = block_information(link_graph(A), labels, n_clusters)
    assert found == pytest.approx(reference.block_information(A, labels), abs=1e-9)
    assert found >= -1e-12


def test_no_links_tell_nothing():
    assert block_information(link_graph(np.zeros((4, 4))), np.array([0, 1, 0, 1], np.int32), 2) == 0


@given(n_clusters=st.integers(1, 4), n_samples=st.integers(1, 15), seed=SEEDS)
def test_as_many_samples_as_possible_keep_their_number(n_clusters, n_samples, seed):
    rng = np.random.default_rng(seed)
    labels, model = rng.integers(0, n_clusters, (2, n_samples), dtype=np.int32)
    found = numbered_like(labels, model, n_clusters)
    assert found.dtype == np.int32
    numbers = [np.array(p)[labels] for p in permutations(range(n_clusters))]
    assert any(np.array_equal(found, each) for each in numbers)
    assert np.sum(found == model) == max(np.sum(each == model) for each in numbers)


def test_a_renumbered_partition_gets_its_numbers_back():
    model = np.array([0, 0, 1, 2, 2, 2], np.int32)
    assert_array_equal(numbered_like(np.array([2, 0, 1], np.int32)[model], model, 3), model)


@settings(max_examples=50)
@given(A=link_matrices(max_samples=30), n_clusters=st.integers(1, 6))
def test_merged_communities_are_as_many_as_the_clusters(A, n_clusters):
    for origin, labels, _, spent in merged_communities(link_graph(A), n_clusters, 1.5):
        assert set(labels) == set(range(n_clusters))
        assert labels.shape == (len(A),)
        assert labels.dtype == np.int32
        assert "communities, merged by" in origin
        assert spent > 0.0


def test_planted_groups_are_among_the_merged_communities():
    A, groups = planted_links([50, 60, 70], np.random.default_rng(0), inside=15.0)
    graph = link_graph(A)
    found = merged_communities(graph, 3, 1.5)
    assert len(found) == len(candidates.COMMUNITIES_PER_CLUSTER) * len(candidates.CRITERIA)
    agreeing = [np.mean(numbered_like(labels, groups, 3) == groups) for _, labels, *_ in found]
    assert max(agreeing) > 0.95


@pytest.mark.parametrize(
    ("n_samples", "n_clusters", "n_candidates"), [(2, 2, 0), (7, 3, 4), (300, 2, 6)]
)
def test_samples_without_links_pass(n_samples, n_clusters, n_candidates):
    """Each is a community: small ones merge first, whatever the criterion."""
    graph = link_graph(np.zeros((n_samples, n_samples)))
    found = merged_communities(graph, n_clusters, 1.0)
    assert len(found) <= n_candidates
    for each in found:
        judged, _ = improved(graph, *each)
        assert judged.block_information == judged.two_step_likelihood == 0.0
        assert min(judged.cluster_sizes) >= 1


def test_more_communities_than_a_square_matrix_holds_are_left_out(monkeypatch):
    monkeypatch.setattr(candidates, "MOST_COMMUNITIES", 20)
    graph = link_graph(np.zeros((21, 21)))
    assert not merged_communities(graph, 2, 1.0)  # 21 samples without links
    assert merged_communities(link_graph(np.zeros((20, 20))), 2, 1.0)


@given(A=link_matrices(min_samples=6), seed=SEEDS)
def test_an_improved_candidate_tells_what_its_labels_are(A, seed):
    assume(A.any())
    labels = random_labels(len(A), 3, np.random.default_rng(seed))
    graph = link_graph(A)
    judged, found = improved(graph, "ramp", labels, 3, 0.0)
    assert judged.cluster_sizes == tuple(np.bincount(found, minlength=3))
    assert min(judged.cluster_sizes) >= 1
    assert judged.likelihood == graph.fit(found, 3).likelihood
    assert judged.two_step_likelihood == graph.fit_two_steps(found, 3).likelihood
    assert judged.block_information == block_information(graph, found, 3)
