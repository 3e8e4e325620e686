"""Rows measured from their mean."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph.centered import RowFrame
from graphpac.graph.rows import prepare_rows


@pytest.fixture
def points(seed):
    """Rows near each other, far from zero: float32 could not tell them apart."""
    return 1e8 + np.random.default_rng(seed).normal(size=(50_000, 3))


def test_rows_keep_the_differences_float32_would_lose(points):
    rows = RowFrame.of(points, "euclidean").rows(points)

    assert rows.dtype == np.float32
    assert_allclose(rows.mean(axis=0, dtype=np.float64), 0.0, atol=1e-6)
    assert_allclose(rows - rows[0], points - points[0], atol=1e-6)


def test_points_are_where_they_came_from(points):
    for X in (points, points * 1e-100, points * 1e100):
        frame = RowFrame.of(X, "euclidean")
        assert_allclose(frame.points(frame.rows(X).astype(np.float64)), X, rtol=1e-14)


def test_order_in_memory_and_threads_change_nothing(points):
    expected = RowFrame.of(points, "euclidean").rows(points)

    rows = RowFrame.of(np.asfortranarray(points), "euclidean").rows(np.asfortranarray(points), 3)

    assert_array_equal(rows, expected)


def test_new_rows_are_measured_from_the_mean_of_the_old(points):
    frame = RowFrame.of(points, "euclidean")

    assert_array_equal(frame.rows(points[7:9]), frame.rows(points)[7:9])
    assert_array_equal(frame.rows(sp.csr_array(points[7:9])), frame.rows(points[7:9]))


@pytest.mark.parametrize(("form", "metric"), [(np.array, "cosine"), (sp.csr_array, "euclidean")])
def test_unit_and_sparse_rows_stay(form, metric, seed):
    X = form(np.random.default_rng(seed).normal(size=(20, 4)))
    frame = RowFrame.of(X, metric)

    difference = frame.rows(X) - prepare_rows(X, metric)

    assert frame.origin is None
    assert abs(difference).max() == 0.0
    assert_array_equal(frame.points(np.ones((2, 4))), np.ones((2, 4)))


def test_squares_are_those_of_x_while_float64_holds_them(points):
    for size in (1.0, 1e-60, 1e60):
        frame = RowFrame.of(size * points, "euclidean")
        assert frame.squared_unit == frame.scale**2
    for size in (1e-300, 1e299):
        assert RowFrame.of(size * points, "euclidean").squared_unit == 1.0
