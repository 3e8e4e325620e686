"""K-sums: the graph as savings, the starts, the descent and the rule for new samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph import build_neighbor_graph
from graphpac.solvers import ksums
from graphpac.solvers.ksums import (
    PairSavings,
    cheapest_clusters,
    graph_start,
    random_start,
    solve_ksums,
    within_cost,
)
from tests.reference import ksums as reference
from tests.strategies import neighbor_graphs, random_graph


def dense(pairs):
    """Distances in units of dbar, from the savings."""
    n = pairs.indptr.size - 1
    distances = 1.0 - np.eye(n)
    for i in range(n):
        edges = slice(pairs.indptr[i], pairs.indptr[i + 1])
        distances[i, pairs.indices[edges]] -= pairs.savings[edges].astype(np.float64)
    return distances


@pytest.fixture
def graph(seed):
    """Neighbors of a hundred normal rows: no two costs are equal but for those of no neighbors."""
    rows = np.random.default_rng(seed).normal(size=(100, 3))
    return build_neighbor_graph(rows, 9, metric="euclidean", n_jobs=1)


@given(graph=neighbor_graphs(kinds=("cosine", "euclidean")))
def test_savings_say_the_same_as_dense_distances(graph):
    pairs = PairSavings.of(graph)

    distances, longest = reference.dense_distances(graph)
    assert pairs.longest == longest
    assert_allclose(longest * dense(pairs), distances, atol=1e-6)
    assert pairs.savings.dtype == np.float32
    assert np.all((pairs.savings > 0.0) & (pairs.savings <= 1.0))
    assert_array_equal(dense(pairs), dense(pairs).T)


def test_making_savings_leaves_the_graph_alone(graph):
    before = graph.indices.copy(), graph.values.copy()
    PairSavings.of(graph)
    assert_array_equal(graph.indices, before[0])
    assert_array_equal(graph.values, before[1])


def test_cost_is_the_sum_of_distances_inside_clusters(graph, seed, monkeypatch):
    monkeypatch.setattr("graphpac.solvers.row_blocks._MOST_ROWS", 30)
    labels = random_start(100, 7, np.random.default_rng(seed))
    pairs = PairSavings.of(graph)

    cost = within_cost(pairs, labels, np.bincount(labels, minlength=7))

    assert_allclose(cost, reference.objective(dense(pairs), labels), rtol=1e-12)


@pytest.mark.parametrize("n_clusters", [1, 4, 30, 100])
@pytest.mark.parametrize("init", ["graph", "random"])
def test_the_descent_is_that_of_the_reference(graph, n_clusters, init, seed):
    rng = np.random.default_rng(seed)
    start = (
        graph_start(graph, n_clusters, rng)
        if init == "graph"
        else random_start(100, n_clusters, rng)
    )
    pairs = PairSavings.of(graph)
    given = start.copy()
    seen = []

    result = solve_ksums(
        pairs, start, n_clusters, max_iter=100, watch=lambda *told: seen.append(told)
    )

    labels, history = reference.solve(dense(pairs), start, n_clusters, 100)
    assert_array_equal(result.labels, labels)
    assert_allclose(result.history, pairs.longest * np.array(history), rtol=1e-9, atol=1e-9)
    assert np.all(np.diff(result.history) <= 0.0)
    assert_array_equal(result.sizes, np.bincount(labels, minlength=n_clusters))
    assert result.converged
    assert seen == list(enumerate(result.history, start=1))
    assert_array_equal(start, given)


@given(graph=neighbor_graphs(min_samples=2, kinds=("cosine", "euclidean")), data=st.data())
def test_no_sample_can_lower_the_sum_at_the_end(graph, data):
    n_clusters = data.draw(st.integers(1, graph.n_samples))
    start = random_start(graph.n_samples, n_clusters, np.random.default_rng(0))
    pairs = PairSavings.of(graph)

    result = solve_ksums(pairs, start, n_clusters, max_iter=100)

    assert result.converged
    distances = dense(pairs)
    for i, label in enumerate(result.labels):
        costs = reference.costs(distances[i], result.labels, n_clusters)
        assert costs[label] <= costs.min() + 1e-9


def test_a_descent_can_be_cut_short(graph, seed):
    start = random_start(100, 5, np.random.default_rng(seed))
    pairs = PairSavings.of(graph)
    whole = solve_ksums(pairs, start, 5, max_iter=100)

    cut = solve_ksums(pairs, start, 5, max_iter=2)

    assert not cut.converged
    assert cut.history == whole.history[:2]


def test_a_cluster_without_samples_takes_one(graph):
    start = np.zeros(100, dtype=np.int32)
    result = solve_ksums(PairSavings.of(graph), start, 6, max_iter=100)
    assert result.sizes.min() >= 10


def test_where_all_rows_coincide_everything_costs_nothing():
    graph = build_neighbor_graph(np.ones((12, 2)), 5, metric="euclidean", n_jobs=1)
    pairs = PairSavings.of(graph)
    result = solve_ksums(pairs, random_start(12, 3, np.random.default_rng(0)), 3, max_iter=100)
    assert pairs.longest == 0.0
    assert result.converged
    assert set(result.history) == {0.0}


def groups_by_hand(graph, n_clusters):
    """Groups of the graph start, as sets."""
    free, groups = set(range(graph.n_samples)), []
    for founder in range(graph.n_samples):
        if founder in free:
            neighbors = graph.indices[graph.indptr[founder] : graph.indptr[founder + 1]].tolist()
            joining = [j for j in neighbors if j in free]
            groups.append({founder, *joining[: graph.n_samples // n_clusters - 1]})
            free -= groups[-1]
    return groups


@pytest.mark.parametrize("n_clusters", [1, 4, 11, 60])
def test_the_graph_start_makes_the_largest_groups_clusters(n_clusters, seed):
    graph = random_graph(60, 8, np.random.default_rng(seed))

    labels = graph_start(graph, n_clusters, np.random.default_rng(seed))

    groups = groups_by_hand(graph, n_clusters)
    assert len(groups) >= n_clusters
    assert all(np.unique(labels[list(group)]).size == 1 for group in groups)
    largest = sorted(groups, key=len, reverse=True)[:n_clusters]
    assert [labels[min(group)] for group in largest] == list(range(n_clusters))
    assert labels.dtype == np.int32


def test_starts_come_from_the_generator(graph):
    def starts(seed):
        rng = np.random.default_rng(seed)
        return random_start(100, 5, rng), graph_start(graph, 5, rng)

    for first, again, other in zip(starts(1), starts(1), starts(2), strict=True):
        assert_array_equal(first, again)
        assert not np.array_equal(first, other)


@given(data=st.data())
def test_new_samples_go_where_the_reference_sends_them(data):
    """Distances are eighths of the longest, so that costs and their ties are exact."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(4, size=20, dtype=np.int32)
    neighbors = np.array([rng.choice(20, 6, replace=False) for _ in range(5)])
    squares = rng.integers(9, size=(5, 6)).astype(np.float64)

    found = cheapest_clusters(
        labels[neighbors], ksums.pair_savings(squares, 8.0), np.bincount(labels, minlength=4)
    )

    expected = [
        reference.predict(*row, labels, 4, 8.0) for row in zip(neighbors, squares, strict=True)
    ]
    assert_array_equal(found, expected)
