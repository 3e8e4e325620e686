"""Distances in hops against scipy's shortest paths."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.kernels.seeding import lower_hop_distances
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
