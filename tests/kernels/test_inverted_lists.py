"""Lists of near rows against their slow reference."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.graph.searchers.grouping import find_centers, nearest_centers, store_lists
from graphpac.kernels.inverted_lists import find_in_lists, gather_lists, pick_nearest
from tests.reference import inverted_lists as reference


def whole_numbers(rng, shape):
    """Numbers whose products and sums are exact in any order."""
    return rng.integers(-4, 5, shape).astype(np.float32)


def make_lists(seed, n_rows=90, n_lists=6):
    rng = np.random.default_rng(seed)
    places = whole_numbers(rng, (n_rows, 4))
    chosen = rng.integers(0, n_lists, n_rows).astype(np.int32)
    return rng, places, store_lists(places.copy(), chosen, n_lists)


@given(seed=st.integers(0, 10_000), n_rows=st.integers(1, 200), n_best=st.integers(1, 50))
def test_the_nearest_are_picked(seed, n_rows, n_best):
    rng = np.random.default_rng(seed)
    products, halves = whole_numbers(rng, (3, n_rows)), whole_numbers(rng, n_rows)
    numbers = rng.permutation(n_rows).astype(np.int32)
    out = np.empty((3, n_best), dtype=np.int32)

    pick_nearest(products, halves, numbers, out)

    for i in range(3):
        keys = np.sort(halves - products[i])[:n_best]
        found = out[i][out[i] >= 0]
        assert len(set(found.tolist())) == min(n_rows, n_best)
        places = np.argsort(numbers)[found]
        assert_array_equal(np.sort((halves - products[i])[places]), keys)


@given(seed=st.integers(0, 10_000))
def test_lists_are_gathered_in_the_order_they_are_named(seed):
    rng, places, lists = make_lists(seed)
    chosen = rng.permutation(lists.begins.size - 1)[:3]
    count = int(np.diff(lists.begins)[chosen].sum())
    near = np.empty((count, 4), dtype=np.float32)
    halves, numbers = np.empty(count, dtype=np.float32), np.empty(count, dtype=np.int32)

    gather_lists(lists, chosen, near, halves, numbers)

    expected = [lists.numbers[lists.begins[k] : lists.begins[k + 1]] for k in chosen]
    assert_array_equal(numbers, np.concatenate(expected))
    assert_array_equal(near, places[numbers])
    assert_array_equal(halves, np.square(near).sum(axis=1) / 2)


@given(seed=st.integers(0, 10_000), n_lists=st.integers(1, 6), n_rows=st.integers(1, 90))
def test_queries_find_the_nearest_rows_of_their_nearest_lists(seed, n_lists, n_rows):
    rng, _, lists = make_lists(seed)
    queries = rng.normal(size=(5, 4)).astype(np.float32)  # no ties
    out = np.empty((5, 7), dtype=np.int32)

    find_in_lists(queries, lists, n_lists, n_rows, out)

    for query, found in zip(queries, out, strict=True):
        keys = lists.halves - lists.places @ query
        key_of_row = dict(zip(lists.numbers.tolist(), keys.tolist(), strict=True))
        expected = reference.find_in_lists(query, lists, n_lists, n_rows, 7)
        # Rows that are equal may stand for each other.
        found_keys = sorted(key_of_row[j] for j in found.tolist() if j >= 0)
        np.testing.assert_allclose(found_keys, sorted(key_of_row[j] for j in expected), atol=1e-4)


@given(seed=st.integers(0, 10_000), n_kinds=st.integers(1, 5))
def test_every_row_is_in_one_list_and_no_list_is_long(seed, n_kinds):
    """Also where most rows are equal, and all choose one center."""
    rng = np.random.default_rng(seed)
    places = whole_numbers(rng, (n_kinds, 3))[rng.integers(0, n_kinds, 300)]
    centers = find_centers(places, 10, 1, rng)

    lists = store_lists(places.copy(), nearest_centers(places, centers, 1), len(centers))

    assert_array_equal(np.sort(lists.numbers), np.arange(300))
    assert np.diff(lists.begins).min() > 0
    assert np.diff(lists.begins).max() <= 4 * -(-300 // len(centers))
    assert_array_equal(lists.places, places[lists.numbers])
