"""Distances in hops against scipy's shortest paths, and of rows against their definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.kernels.seeding import distances_with_seeds, lower_hop_distances
from tests.reference import reach as reference
from tests.strategies import neighbor_graphs

UNREACHED = np.iinfo(np.int32).max


@given(graph=neighbor_graphs(max_samples=24), data=st.data())
def test_distances_to_growing_seeds_match_shortest_paths(graph, data):
    n = graph.n_samples
    lists = reference.lists_of(reference.step_matrix(graph))
    distances = np.full(n, UNREACHED, dtype=np.int32)
    labels = np.full(n, -1, dtype=np.int32)
    seeds = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4, unique=True))

    for label, seed in enumerate(seeds):
        lower_hop_distances(*lists, seed, label, distances, labels)

    expected = reference.hop_distances(graph, seeds)
    reached = np.isfinite(expected.min(axis=0))
    assert_array_equal(distances[reached], expected.min(axis=0)[reached])
    assert_array_equal(
        labels[reached], expected.argmin(axis=0)[reached]
    )  # ties stay where they were
    assert np.all(distances[~reached] == UNREACHED)
    assert np.all(labels[~reached] == -1)


@given(n_rows=st.integers(1, 20), n_seeds=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
def test_distances_to_the_closest_seed_are_those_of_the_definition(n_rows, n_seeds, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-9, 10, (n_rows, 3)).astype(np.float64)  # exact in any order of sums
    chosen = rng.integers(0, n_rows, n_seeds)
    closest = rng.integers(0, 99, n_rows).astype(np.float32)
    squares = np.sum(rows**2, axis=1)
    found = np.empty((n_seeds, n_rows), np.float32)
    distances_with_seeds(rows[chosen] @ rows.T, squares[chosen], squares, closest, found)
    between = np.sum((rows[chosen][:, None] - rows) ** 2, axis=2)
    assert_array_equal(found, np.minimum(between, closest))
