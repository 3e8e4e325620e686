"""Hops: the rule for their number, and lists that meet in the middle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.graph import NeighborGraph, hops
from graphpac.graph.hops import build_hop_graph, count_hops
from graphpac.graph.lists import either_direction
from tests.reference import reach as reference
from tests.strategies import random_graph, random_graphs


@pytest.mark.parametrize(
    ("data_set", "n_samples", "n_clusters", "expected"),
    [
        ("Pendigits", 10_992, 10, 4),
        ("ISOLET", 7_796, 26, 3),
        ("MNIST", 70_000, 10, 4),
        ("COIL-100", 7_200, 100, 2),
        ("USPS", 9_298, 10, 3),
        ("EMNIST", 131_600, 47, 4),
        ("CIFAR-10", 60_000, 10, 4),
        ("CIFAR-20", 60_000, 20, 4),
        ("STL-10", 13_000, 10, 4),
        ("ImageNet", 1_281_167, 1_000, 4),
    ],
)
def test_hops_of_the_published_data_sets(data_set, n_samples, n_clusters, expected):
    assert count_hops(n_samples, n_clusters, 10) == expected


@given(n_neighbors=st.integers(2, 50), n_hops=st.integers(2, 9), n_clusters=st.integers(1, 1000))
def test_exact_powers_are_not_rounded_up(n_neighbors, n_hops, n_clusters):
    """log(125) / log(5) is 3.0000000000000004, which a logarithm would turn into 4."""
    n_samples = n_neighbors**n_hops * n_clusters

    assert count_hops(n_samples, n_clusters, n_neighbors) == n_hops
    assert count_hops(n_samples + 1, n_clusters, n_neighbors) == n_hops + 1


def test_small_data_needs_two_hops_and_one_neighbor_still_ends():
    assert count_hops(5, 5, 10) == 2
    assert count_hops(100_000, 10, 1) == count_hops(100_000, 10, 2)
    assert count_hops(1_000, 1, 0) == 10


@pytest.mark.parametrize("stored_bytes", [hops.STORED_BYTES, 0])
@pytest.mark.parametrize("n_hops", [2, 3, 4, 5, 7])
@given(graph=random_graphs(), share=st.floats(0.0, 1.0), seed=st.integers(0, 99))
def test_neighbors_within_equal_the_full_matrix_power(n_hops, stored_bytes, graph, share, seed):
    """Whether the lists of half-walks are stored, or too long and made where they are needed."""
    n = graph.n_samples
    order = np.random.default_rng(seed).permutation(n).astype(np.int32)
    members = order[: max(1, round(share * n))]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hops, "STORED_BYTES", stored_bytes)
        hop_graph = build_hop_graph(either_direction(graph), n_hops)
    indptr, indices = hop_graph.neighbors_within(members)

    expected = reference.hop_matrix(graph, n_hops)[np.ix_(members, members)]
    expected_indptr, expected_indices = reference.lists_of(expected)
    assert_array_equal(indptr, expected_indptr)
    assert_array_equal(indices, expected_indices)


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_make_no_difference(n_jobs, monkeypatch):
    monkeypatch.setattr(hops, "BLOCK_ROWS", 7)
    step = either_direction(random_graph(100, 5, np.random.default_rng(0)))

    for n_hops in (2, 3, 4, 5):
        alone, together = build_hop_graph(step, n_hops, 1), build_hop_graph(step, n_hops, n_jobs)
        for one, other in ((alone.far, together.far), (alone.near, together.near)):
            assert_array_equal(one.lists.indptr, other.lists.indptr)
            assert_array_equal(one.lists.indices, other.lists.indices)


@pytest.mark.parametrize("n_samples", [1, 5])
def test_without_edges_nobody_reaches_anybody(n_samples):
    nothing = np.zeros(0)
    graph = NeighborGraph(
        np.zeros(n_samples + 1, dtype=np.int64),
        nothing.astype(np.int32),
        nothing.astype(np.float32),
        "cosine",
    )

    indptr, indices = build_hop_graph(either_direction(graph), 5).neighbors_within(
        np.arange(n_samples, dtype=np.int32)
    )

    assert_array_equal(indptr, np.zeros(n_samples + 1))
    assert indices.size == 0


def test_short_lists_are_kept_in_two_bytes_and_long_ones_are_not_cut_off():
    graph = NeighborGraph.from_edges(
        np.arange(70_000),
        np.roll(np.arange(70_000), 1),
        np.ones(70_000),
        n_samples=70_000,
        kind="euclidean",
    )
    ring = build_hop_graph(either_direction(graph), 2)

    _, few = ring.neighbors_within(np.arange(100, dtype=np.int32))
    indptr, all_of_them = ring.neighbors_within(np.arange(70_000, dtype=np.int32))

    assert few.dtype == np.uint16
    assert_array_equal(all_of_them[indptr[69_999] :], [0, 1, 69_997, 69_998])
