"""Prepared rows: lengths, types, orders and extreme values."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph.rows import prepare_rows, row_scale
from tests.strategies import METRICS, sample_matrices


@given(X=sample_matrices())
def test_cosine_rows_have_unit_length_or_none(X):
    rows = prepare_rows(X, "cosine")

    assert_allclose(np.linalg.norm(rows, axis=1), np.any(X != 0, axis=1), atol=1e-6)


@given(X=sample_matrices(), metric=st.sampled_from(METRICS))
def test_sparse_rows_are_the_dense_ones(X, metric):
    rows = prepare_rows(sp.csr_matrix(X), metric)

    assert rows.dtype == np.float32
    assert rows.has_sorted_indices
    assert_allclose(rows.toarray(), prepare_rows(X, metric), rtol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int64, np.bool_]
)
def test_any_dtype_and_order_gives_the_same_bits(dtype, metric, seed):
    X = np.random.default_rng(seed).integers(0, 2, (900, 400)).astype(dtype)

    rows = prepare_rows(X, metric)

    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous
    assert_array_equal(prepare_rows(np.asfortranarray(X), metric, n_jobs=3), rows)
    assert_array_equal(prepare_rows(X.astype(np.float64)[::-1], metric)[::-1], rows)


def test_half_precision_sums_do_not_overflow():
    X = np.full((3, 500), 60000.0, dtype=np.float16)

    assert_allclose(prepare_rows(X, "cosine"), 500**-0.5, rtol=1e-6)


@pytest.mark.parametrize("size", [1e-300, 1e-40, 1e-5, 1e30, 1e200, 1.7e308])
@pytest.mark.parametrize("metric", METRICS)
def test_extreme_values_keep_their_proportions(size, metric):
    X = np.array([[1.0, 0.5], [-0.25, 0.5], [0.0, 0.0]]) * size

    rows = prepare_rows(X, metric)
    squares = rows @ rows.T

    assert np.all(np.isfinite(squares))
    assert rows[0, 0] == pytest.approx(2 * rows[0, 1])
    assert squares[0, 0] > 0


def test_ordinary_values_are_not_scaled():
    X = np.array([[1e4, -1e-4], [3.0, 0.0]])

    assert row_scale(X, "euclidean") == 1.0
    assert_array_equal(prepare_rows(X, "euclidean"), X.astype(np.float32))


def test_new_rows_can_take_the_scale_of_the_old():
    X = np.array([[1e30, 0.0], [0.0, 2e30]])
    scale = row_scale(X, "euclidean")

    rows = prepare_rows(X, "euclidean")
    smaller = prepare_rows(X / 1024, "euclidean", scale=scale)

    assert np.log2(scale) == int(np.log2(scale))
    assert_array_equal(smaller * 1024, rows)


@pytest.mark.parametrize("power", [-1000, -500, 40, 500, 1000])
def test_scaling_a_row_by_a_power_of_two_changes_no_bit(power, seed):
    X = np.random.default_rng(seed).normal(size=(20, 7))

    assert_array_equal(prepare_rows(np.ldexp(X, power), "cosine"), prepare_rows(X, "cosine"))


@pytest.mark.parametrize("size", [1e16, 1e20, 1e25])
def test_rows_beside_a_huge_one_are_still_apart(size, seed):
    X = np.random.default_rng(seed).normal(size=(20, 7))
    expected = ((X[1:] - X[1:2]) ** 2).sum(axis=1)
    X[0] = size

    rows = prepare_rows(X, "euclidean")
    squares = ((rows[1:] - rows[1:2]) ** 2).sum(axis=1) * row_scale(X, "euclidean") ** 2

    assert np.isfinite(rows[0] @ rows[0])
    assert_allclose(squares, expected, rtol=1e-4)


def test_read_only_memory_maps_are_read_and_left_alone(tmp_path, seed):
    X = np.random.default_rng(seed).normal(size=(50, 4))
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")

    rows = prepare_rows(mapped, "cosine")

    assert_array_equal(rows, prepare_rows(X, "cosine"))
    assert_array_equal(mapped, X)


def test_sparse_input_is_not_changed():
    X = sp.csr_matrix(([1.0, 2.0, 3.0], [1, 0, 1], [0, 3]), shape=(1, 2))

    rows = prepare_rows(X, "euclidean")

    assert X.nnz == 3
    assert_array_equal(rows.toarray(), [[2.0, 4.0]])
