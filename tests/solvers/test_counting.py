"""How many clusters a graph has."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphpac import build_neighbor_graph
from graphpac._threads import Workers
from graphpac.solvers.counting import (
    LEAST_STABILITY,
    JudgedNumber,
    NumberJudge,
    best_number,
    count_clusters,
    mean_agreement,
    numbers_to_try,
)


def blobs(n_groups, *, spread=1.0, n_samples=400):
    X, _ = make_blobs(n_samples, 8, centers=n_groups, cluster_std=spread, random_state=3)
    return build_neighbor_graph(X.astype(np.float32), 10, metric="euclidean")


def judged(n_clusters, stability=0.9, modularity=0.8, likelihood=1.0, *, n_occupied=None):
    n_occupied = n_clusters if n_occupied is None else n_occupied
    return JudgedNumber(n_clusters, n_occupied, stability, modularity, likelihood)


@pytest.mark.parametrize("n_groups", [2, 3, 5, 9, 16])
def test_groups_that_are_apart_are_counted(n_groups):
    assert count_clusters(blobs(n_groups)) == n_groups


@pytest.mark.parametrize("n_kinds", [2, 5])
def test_kinds_of_equal_rows_are_counted(n_kinds):
    X = np.repeat(np.eye(8, dtype=np.float32)[:n_kinds], 40, axis=0)
    assert count_clusters(build_neighbor_graph(X, 10)) == n_kinds


@pytest.mark.parametrize(
    "X",
    [
        np.ones((30, 3), dtype=np.float32),
        np.random.default_rng(0).standard_normal((500, 16)).astype(np.float32),
    ],
    ids=["equal rows", "noise"],
)
def test_rows_without_groups_are_one_cluster(X):
    assert count_clusters(build_neighbor_graph(X, 10, metric="euclidean")) == 1


def test_the_number_does_not_depend_on_the_threads():
    graph = blobs(7, spread=4.0)
    with Workers(1) as one, Workers(3) as three:
        judges = [NumberJudge(graph, 12, [0, 1], workers) for workers in (one, three)]
        assert judges[0].judge(9) == judges[1].judge(9)


def test_what_is_found_about_a_number_does_not_depend_on_others():
    graph = blobs(7, spread=4.0)
    with Workers(1) as workers:
        alone = NumberJudge(graph, 5, [0, 1], workers).judge(5)
        judge = NumberJudge(graph, 30, [0, 1], workers)
        judge.judge(30)
        assert judge.judge(5) == alone


def test_progress_is_told_number_by_number():
    told = []
    count_clusters(blobs(3, n_samples=100), progress=lambda *at: told.append(at))
    assert told == [(done, 19) for done in range(1, 20)]


def test_numbers_that_are_tried():
    assert numbers_to_try(1) == []
    assert numbers_to_try(4) == [2, 3, 4]
    assert numbers_to_try(60) == list(range(2, 21))
    many = numbers_to_try(10**6)
    assert many[-1] == 500
    assert max(b / a for a, b in pairwise(many[18:])) < 1.12


def test_all_three_count():
    numbers = [
        judged(2, 1.0, 0.5, 0.7),
        judged(5, 0.95, 0.78, 1.5),
        judged(9, 0.7, 0.8, 1.8),
    ]
    assert best_number(numbers).n_clusters == 5
    assert best_number([judged(6), judged(4)]).n_clusters == 4


def test_empty_clusters_are_passed_over_unless_all_have_some():
    assert best_number([judged(4), judged(9, 1.0, n_occupied=5)]).n_clusters == 4
    assert best_number([judged(8, n_occupied=5), judged(9, 1.0, n_occupied=5)]).n_clusters == 9


@pytest.mark.parametrize(
    "number", [judged(3, LEAST_STABILITY - 0.01), judged(3, modularity=-0.1), judged(3, -0.2)]
)
def test_chance_is_no_number(number):
    assert best_number([number]) is None


@given(seed=st.integers(0, 2**32 - 1), n_clusters=st.lists(st.integers(1, 6), min_size=2))
def test_agreement_is_the_mean_over_pairs(seed, n_clusters):
    rng = np.random.default_rng(seed)
    labelings = [rng.integers(0, number, 30).astype(np.int32) for number in n_clusters]
    pairs = [adjusted_rand_score(a, b) for a, b in combinations(labelings, 2)]
    assert mean_agreement(labelings) == pytest.approx(np.mean(pairs), abs=1e-12)


def test_names_of_clusters_do_not_matter():
    labels = np.int32([0, 0, 1, 2, 2])
    assert mean_agreement([labels, 2 - labels]) == 1.0
