"""Rows of memberships kept as lists against dense rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.kernels.sparse_rows import add_row, distance_to_row, keep_largest
from tests.reference import sparse_rows as reference


@st.composite
def rows(draw):
    """Dense rows over a few clusters: zeros, negligible entries and ties."""
    n_clusters = draw(st.integers(1, 12))
    values = st.sampled_from([0.0, 0.0, 1e-7, 0.125, 0.25, 0.25, 0.5, 0.7])
    row = np.array(draw(st.lists(values, min_size=n_clusters, max_size=n_clusters)))
    row[draw(st.integers(0, n_clusters - 1))] += 0.3
    return row.astype(np.float32)


def listed(row, n_entries):
    clusters, values, _ = reference.keep_largest(row.astype(np.float64), n_entries)
    return clusters.astype(np.int32), values.astype(np.float32)


def touched_in(row, rng):
    touched = np.zeros(row.size, dtype=np.int32)
    order = rng.permutation(np.flatnonzero(row))
    touched[: order.size] = order
    return touched, order.size


@given(
    row=rows(),
    n_entries=st.integers(1, 14),
    size=st.sampled_from([1.0, 1e-9]),
    seed=st.integers(0, 99),
)
def test_the_largest_entries_are_kept_in_order_and_the_rest_is_counted(row, n_entries, size, seed):
    """A row may be small as a whole: shares of it count."""
    row *= np.float32(size)
    touched, n_touched = touched_in(row, np.random.default_rng(seed))
    clusters = np.full(n_entries, -7, dtype=np.int32)
    values = np.full(n_entries, 9.0, dtype=np.float32)
    expected_clusters, expected_values, expected_lost = reference.keep_largest(
        row.astype(np.float64), n_entries
    )

    work = row.copy()
    lost = keep_largest(work, touched, n_touched, clusters, values)

    assert_array_equal(clusters, expected_clusters)
    assert_allclose(values, expected_values, rtol=1e-6)
    assert lost == pytest.approx(expected_lost, abs=1e-6)
    assert not work.any()


@given(
    row=rows(),
    added=rows(),
    weight=st.sampled_from([0.0, 1e-45]) | st.floats(0.01, 1.0),
    seed=st.integers(0, 99),
)
def test_adding_a_list_is_adding_a_row(row, added, weight, seed):
    """Also twice, and with a weight so small that nothing is added: no cluster is noted twice."""
    n_clusters = max(row.size, added.size)
    row = np.pad(row, (0, n_clusters - row.size))
    clusters, values = listed(added, 14)
    touched, n_touched = touched_in(row, np.random.default_rng(seed))

    work = row.copy()
    for _ in range(2):
        n_touched = add_row(clusters, values, np.float32(weight), work, touched, n_touched)

    assert_allclose(
        work,
        row + 2.0 * weight * reference.dense_row(clusters, values, n_clusters),
        rtol=1e-5,
        atol=1e-40,
    )
    assert sorted(touched[:n_touched].tolist()) == np.flatnonzero(work).tolist()


@pytest.mark.parametrize("uniform", [False, True])
@given(old=rows(), new=rows(), total=st.sampled_from([1.0, 0.1]), seed=st.integers(0, 99))
def test_the_distance_of_a_list_to_a_row_is_the_l1_distance(uniform, old, new, total, seed):
    n_clusters = max(old.size, new.size)
    new = np.pad(new, (0, n_clusters - new.size))
    new = (new / new.sum()).astype(np.float32)
    clusters, values = listed(old, 14)
    row = new.copy()
    if uniform:  # only then may the row sum to less than one
        values[:] = 0.0
        row *= np.float32(total)
    touched, n_touched = touched_in(row, np.random.default_rng(seed))

    distance = distance_to_row(clusters, values, row, touched, n_touched)

    expected = np.abs(reference.dense_row(clusters, values, n_clusters) - new).sum()
    assert distance == pytest.approx(expected, abs=1e-5)
