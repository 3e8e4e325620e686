"""Places in the plane: near is near, for any graph, by the same bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_array_equal

from graphpac import NeighborGraph, build_neighbor_graph
from graphpac.report import layout
from graphpac.report.layout import N_ROUNDS, both_directions, lay_out_graph, spectral_coordinates
from tests.strategies import neighbor_graphs


def groups(rng, centers, size=60):
    return np.concatenate([rng.normal(center, size=(size, 8)) for center in centers])


def test_neighbors_are_nearer_than_strangers(seed):
    rng = np.random.default_rng(seed)
    graph = build_neighbor_graph(groups(rng, (-5.0, 0.0, 5.0)), 8, metric="euclidean")

    coordinates = lay_out_graph(graph, seed)

    assert coordinates.shape == (180, 2)
    assert np.isfinite(coordinates).all()
    sources = np.repeat(np.arange(180), graph.degrees)
    to_neighbors = np.linalg.norm(coordinates[sources] - coordinates[graph.indices], axis=1)
    to_anyone = np.linalg.norm(coordinates[:, np.newaxis] - coordinates, axis=2)
    assert np.median(to_neighbors) < 0.3 * np.median(to_anyone)


def test_digits_are_next_to_their_like(digits, seed):
    coordinates = lay_out_graph(build_neighbor_graph(digits.X, 10), seed)
    graph = build_neighbor_graph(coordinates, 10, metric="euclidean")
    same = digits.y[graph.indices].reshape(-1, 10) == digits.y[:, np.newaxis]
    assert same.mean() > 0.95


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_the_same_bits_for_any_number_of_threads(digits, n_jobs):
    graph = build_neighbor_graph(digits.X, 8)
    once = lay_out_graph(graph, 1, n_jobs=1)
    assert_array_equal(once, lay_out_graph(graph, 1, n_jobs=n_jobs))
    assert not np.array_equal(once, lay_out_graph(graph, 2, n_jobs=1))


@settings(max_examples=25)
@given(graph=neighbor_graphs())
def test_any_graph_gets_finite_and_different_coordinates(graph):
    coordinates = lay_out_graph(graph)
    assert coordinates.shape == (graph.n_samples, 2)
    assert np.isfinite(coordinates).all()
    assert len(np.unique(coordinates, axis=0)) == graph.n_samples


def test_parts_stay_apart_and_none_flies_away(seed):
    rng = np.random.default_rng(seed)
    X = groups(rng, (0.0, 1e3, 2e3, 3e3, 4e3), size=40)
    graph = build_neighbor_graph(X, 8, metric="euclidean")
    assert graph.n_components == 5

    coordinates = lay_out_graph(graph, seed)

    parts = coordinates.reshape(5, 40, 2)
    middles = parts.mean(axis=1)
    width = np.linalg.norm(parts - middles[:, np.newaxis], axis=2).max()
    gaps = np.linalg.norm(middles[:, np.newaxis] - middles, axis=2)
    assert gaps[np.triu_indices(5, 1)].min() > width
    assert gaps.max() < 20 * width


def test_duplicates_are_laid_out_side_by_side():
    graph = build_neighbor_graph(np.ones((50, 3)), 5, metric="euclidean")
    coordinates = lay_out_graph(graph)
    assert len(np.unique(coordinates, axis=0)) == 50
    assert np.ptp(coordinates, axis=0).max() < 100


def test_a_thousand_samples_without_any_neighbor():
    graph = NeighborGraph.from_edges(
        *(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)),
        n_samples=1000,
        kind="euclidean",
    )
    assert len(np.unique(lay_out_graph(graph), axis=0)) == 1000


def test_progress_is_told_after_every_round(digits):
    told = []
    lay_out_graph(build_neighbor_graph(digits.X[:50], 5), progress=lambda *now: told.append(now))
    assert told == [(done, N_ROUNDS) for done in range(1, N_ROUNDS + 1)]


def test_waves_that_never_settle_take_few_rounds(monkeypatch):
    """The waves of a long ring differ by less than any round can tell apart."""
    around = np.arange(100_000)
    neighbors = np.stack([(around + step) % around.size for step in (1, -1, 2, -2)], axis=1)
    edges = both_directions(NeighborGraph.from_neighbors(neighbors, np.ones(neighbors.shape)))
    found = []
    solve = layout.leading_eigenvectors
    monkeypatch.setattr(
        layout, "leading_eigenvectors", lambda *a, **k: found.append(solve(*a, **k)) or found[0]
    )

    coordinates = spectral_coordinates(edges, np.random.default_rng(0), n_jobs=1)

    assert np.isfinite(coordinates).all()
    assert found[0].n_rounds * edges.nnz < 2e7


def test_a_chain_starts_in_its_order():
    chain = np.arange(100.0)[:, np.newaxis]
    edges = both_directions(build_neighbor_graph(chain, 2, metric="euclidean"))
    coordinates = spectral_coordinates(edges, np.random.default_rng(0), n_jobs=1)
    steps = np.diff(coordinates[:, 0])
    # The two ends of a chain are as near to their second neighbors as to their first.
    assert (np.sign(steps) == np.sign(np.median(steps))).mean() > 0.95
