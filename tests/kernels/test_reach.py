"""Hop lists against powers of a dense matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.kernels.reach import (
    count_reached,
    find_pool_neighbors,
    list_reached,
    make_marks,
    turn_round,
)
from tests.reference import reach as reference
from tests.strategies import neighbor_graphs, random_graph, random_graphs


def pool_lists(far, near, n_samples, n_searched):
    """Who is within reach of whom, some members searched at a time."""
    _, _, near_rows = near
    n_entries = np.diff(near[0])[near_rows].sum()
    starts, reached_by = np.zeros(n_samples + 1, np.uint32), np.empty(n_entries, np.uint32)
    turn_round(*near, starts, reached_by)
    counts = np.empty(near_rows.size, dtype=np.int64)
    parts = [
        find_pool_neighbors(
            *far,
            starts,
            reached_by,
            first,
            counts[first : first + n_searched],
            *make_marks(counts.size),
        )
        for first in range(0, counts.size, n_searched)
    ]
    return np.concatenate(([0], np.cumsum(counts))), np.concatenate(parts)


@given(graph=neighbor_graphs(max_samples=24), n_steps=st.integers(0, 3), cut=st.integers(0, 24))
def test_lists_of_one_step_more_match_matrix_powers(graph, n_steps, cut):
    step = reference.step_matrix(graph)
    lists = reference.lists_of(reference.walk(step, n_steps))
    expected_indptr, expected_indices = reference.lists_of(reference.walk(step, n_steps + 1))
    n = graph.n_samples
    ranges = [(0, min(cut, n)), (min(cut, n), n)]

    counts = np.full(n, -1, dtype=np.int64)
    for start, stop in ranges:
        count_reached(*reference.lists_of(step), *lists, start, stop, counts)
    assert_array_equal(counts, np.diff(expected_indptr))

    indices = np.full(expected_indices.size, -1, dtype=np.int32)
    for start, stop in ranges:
        list_reached(*reference.lists_of(step), *lists, start, stop, expected_indptr, indices)
    assert_array_equal(indices, expected_indices)


@given(
    graph=random_graphs(),
    far=st.integers(0, 3),
    near=st.integers(0, 3),
    share=st.floats(0.0, 1.0),
    seed=st.integers(0, 99),
    n_searched=st.integers(1, 40),
)
def test_half_walks_meet_exactly_where_the_whole_walk_leads(
    graph, far, near, share, seed, n_searched
):
    n = graph.n_samples
    order = np.random.default_rng(seed).permutation(n).astype(np.int32)
    members = order[: max(1, round(share * n))]
    step = reference.step_matrix(graph)

    indptr, found = pool_lists(
        (*reference.lists_of(reference.walk(step, far)), members),
        (
            *reference.lists_of(reference.walk(step, near)[members]),
            np.arange(members.size, dtype=np.int32),
        ),
        n,
        n_searched,
    )

    whole = reference.walk(step, far + near)[np.ix_(members, members)]
    np.fill_diagonal(whole, val=False)
    expected_indptr, expected = reference.lists_of(whole)
    assert_array_equal(indptr, expected_indptr)
    assert_array_equal(found, expected)


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_most_stretches_of_a_large_pool_are_empty(share, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(900, 2, rng)
    members = np.sort(rng.permutation(900)[: round(share * 900)]).astype(np.int32)
    step = reference.step_matrix(graph)
    lists = reference.lists_of(step)

    indptr, found = pool_lists((*lists, members), (*lists, members), 900, 100)

    whole = reference.walk(step, 2)[np.ix_(members, members)]
    np.fill_diagonal(whole, val=False)
    expected_indptr, expected = reference.lists_of(whole)
    assert_array_equal(indptr, expected_indptr)
    assert_array_equal(found, expected)


def test_the_list_of_neighbors_grows_beyond_its_first_size():
    """Everybody reaches everybody, with more members than the buffer first has room for."""
    n = 300
    everyone = np.arange(n, dtype=np.int32)
    lists = reference.lists_of(np.ones((n, n), dtype=bool))

    indptr, found = pool_lists((*lists, everyone), (*lists, everyone), n, n)

    assert_array_equal(indptr, np.arange(n + 1) * (n - 1))
    assert_array_equal(found.reshape(n, n - 1)[5], np.delete(everyone, 5))
