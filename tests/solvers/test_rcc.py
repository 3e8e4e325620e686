"""Robust continuous clustering against a dense solver, its edges, and data without any lengths."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from graphpac._threads import Workers
from graphpac.graph import NeighborGraph, build_neighbor_graph
from graphpac.solvers import rcc_representatives
from graphpac.solvers.rcc import edge_strengths, length_scales, solve_rcc, spectral_norm
from graphpac.solvers.rcc_edges import Edges, find_edges
from tests.reference import rcc as reference
from tests.strategies import neighbor_graphs


def pairs_of(edges):
    """Edges as a list of pairs."""
    return list(zip(edges.first.tolist(), edges.second.tolist(), strict=True))


def solved(rows, edges, *, n_jobs=1, **options):
    """Run the solver with a seed of its own."""
    given_options = {"max_iter": 100, "rng": np.random.default_rng(0), **options}
    return solve_rcc(rows, edges, n_jobs=n_jobs, **given_options)


@pytest.fixture
def rows(seed):
    """Four groups of different density, with values far from zero and a constant feature."""
    rng = np.random.default_rng(seed)
    centers = np.repeat(10.0 * rng.normal(size=(4, 6)), 40, axis=0)
    X = 30.0 + centers + rng.normal(size=(160, 6)) * np.repeat([0.5, 1.0, 1.5, 2.0], 40)[:, None]
    X[:, 3] = 7.0
    return X.astype(np.float32)


@pytest.fixture
def graph(rows):
    return build_neighbor_graph(rows, 10, metric="euclidean", n_jobs=1)


def test_the_edges_of_kruskals_algorithm(graph):
    assert pairs_of(find_edges(graph)) == reference.edges(graph)


@given(graph=neighbor_graphs(kinds=("cosine", "euclidean")))
def test_edges_span_what_the_graph_does(graph):
    """Equal distances leave a choice of forests, but all of them connect the same samples."""
    edges = find_edges(graph)
    pairs = pairs_of(edges)
    expected = reference.edges(graph)
    assert pairs == sorted(set(pairs))
    assert all(first < second for first, second in pairs)
    n_parts, parts = edges.components(np.ones(len(pairs), dtype=bool))
    assert_array_equal(parts, reference.components(expected, graph.n_samples))
    assert n_parts == graph.n_components
    neighbors = [
        set(graph.indices[graph.indptr[i] : graph.indptr[i + 1]]) for i in range(len(parts))
    ]
    for i, j in expected:
        if i in neighbors[j] and j in neighbors[i]:
            assert (i, j) in pairs


def test_duplicates_keep_their_edge():
    # Sample 2 is nobody's neighbor, and at distance zero from its own only neighbor.
    graph = NeighborGraph.from_edges(
        np.arange(4),
        np.array([1, 0, 0, 0]),
        np.array([0.0, 0.0, 0.0, 1.0]),
        n_samples=4,
        kind="euclidean",
    )
    assert pairs_of(find_edges(graph)) == [(0, 1), (0, 2), (0, 3)]


def test_weights_and_laplacian(graph):
    edges = find_edges(graph)
    degrees = np.zeros(graph.n_samples)
    for pair in pairs_of(edges):
        degrees[list(pair)] += 1
    expected = [degrees.mean() / np.sqrt(degrees[i] * degrees[j]) for i, j in pairs_of(edges)]
    assert_allclose(edges.weights, expected)
    assert_allclose(
        edges.laplacian(edges.weights).toarray(),
        reference.laplacian(pairs_of(edges), expected, graph.n_samples),
        atol=1e-12,
    )


def test_order_names_every_sample_once(graph):
    assert_array_equal(np.sort(find_edges(graph).order()), np.arange(graph.n_samples))


def test_the_spectral_norm_is_numpys(rows):
    with Workers(1) as workers:
        found = spectral_norm(rows, np.random.default_rng(0), workers)
    assert found == pytest.approx(np.linalg.norm(rows.astype(np.float64), 2), rel=1e-6)


def test_scales_leave_near_duplicates_out():
    lengths = np.concatenate((np.full(50, 0.001), np.arange(1.0, 351.0)))
    scales = length_scales(lengths, n_features=4)
    assert scales == (350.0, 2.5, 2.5)  # four edges are a hundredth of all
    many = length_scales(np.arange(1.0, 40_001.0), n_features=4)
    assert many == (40_000.0, 125.5, 200.5)
    assert length_scales(lengths[:50], n_features=4) is None


def test_strengths_are_the_best_for_given_lengths():
    lengths, mu = np.array([0.0, 0.5, 3.0]), 2.0
    best = edge_strengths(lengths, mu)

    def penalty(strengths):
        return strengths * lengths**2 + mu * (np.sqrt(strengths) - 1) ** 2

    for other in (0.99 * best, np.minimum(1.01 * best, 1.0), np.full(3, 0.5)):
        assert np.all(penalty(best) <= penalty(other))
    assert best[0] == 1.0


def test_the_result_of_a_dense_solver(rows, graph, monkeypatch):
    monkeypatch.setattr(rcc_representatives, "TOLERANCE", 1e-5)
    edges = find_edges(graph)
    result = solved(rows, edges)
    labels, representatives, history, mus = reference.solve(rows, pairs_of(edges))
    assert len(result.history) == history.size
    assert_allclose(result.history, history, rtol=1e-3)
    assert_allclose(result.representatives, representatives, atol=2e-3)
    assert_array_equal(result.labels, labels)
    assert result.n_clusters == labels.max() + 1
    assert result.converged
    same_mu = np.diff(mus) == 0
    assert same_mu.any()
    assert np.all(np.diff(result.history)[same_mu] <= 1e-6 * history[0])


def test_labels_of_digits_agree_with_a_dense_solver(digits):
    """With the tolerance that fits use."""
    rows = (digits.X[:300] / 16).astype(np.float32)
    edges = find_edges(build_neighbor_graph(rows, 10, metric="cosine", n_jobs=1))
    labels, representatives, _, _ = reference.solve(rows, pairs_of(edges))
    result = solved(rows, edges)
    assert np.mean(result.labels == labels) > 0.98
    assert_allclose(result.representatives, representatives, atol=0.05)


def test_labels_follow_from_the_representatives(rows, graph):
    edges = find_edges(graph)
    result = solved(rows, edges)
    with Workers(1) as workers:
        joined = length_scales(edges.lengths(rows, workers), rows.shape[1]).joined
    pairs = [
        (i, j)
        for i, j in pairs_of(edges)
        if np.linalg.norm(result.representatives[i] - result.representatives[j]) <= joined
    ]
    assert_array_equal(result.labels, reference.components(pairs, len(rows)))
    assert result.representatives.dtype == np.float32
    assert_array_equal(result.representatives[:, 3], rows[:, 3])


def test_the_same_bits_on_any_threads(rows, graph, monkeypatch):
    monkeypatch.setattr(rcc_representatives, "_FEATURE_ENTRIES", 1 << 19)
    monkeypatch.setattr("graphpac.solvers.row_blocks._MOST_ROWS", 50)
    edges = find_edges(graph)
    one, three = (solved(rows, edges, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert_array_equal(one.representatives, three.representatives)
    assert one.history == three.history


def test_parts_without_an_edge_between_them_stay_apart(rows):
    """Also when they are the same twice, so that the Laplacian has double eigenvalues."""
    half = find_edges(build_neighbor_graph(rows, 5, metric="euclidean", n_jobs=1))
    n = len(rows)
    both = Edges(
        np.concatenate((half.first, half.first + n)).astype(np.int32),
        np.concatenate((half.second, half.second + n)).astype(np.int32),
        2 * n,
    )
    result = solved(np.vstack((rows, rows)), both)
    assert not set(result.labels[:n]) & set(result.labels[n:])
    assert_array_equal(result.labels[:n], result.labels[n:] - result.n_clusters // 2)


def test_near_duplicates_all_over_are_joined_along_all_edges():
    rows = np.full((6, 2), 3.0, dtype=np.float32)
    edges = Edges(np.array([0, 1, 3], np.int32), np.array([1, 2, 4], np.int32), 6)
    result = solved(rows, edges)
    assert_array_equal(result.labels, [0, 0, 0, 1, 1, 2])
    assert_array_equal(result.representatives, rows)
    assert result.converged


def test_iterations_end_and_are_watched(rows, graph):
    seen = []
    result = solved(
        rows,
        find_edges(graph),
        max_iter=3,
        watch=lambda number, value: seen.append((number, value)),
    )
    assert not result.converged
    assert seen == list(enumerate(result.history, start=1))
    assert len(seen) == 3
