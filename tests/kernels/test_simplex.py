"""Projection on the simplex against all faces of it, and against a general solver."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from graphpac.kernels.simplex import project_to_simplex
from tests.reference import simplex as reference

ENTRIES = st.sampled_from([-2.0, 0.0, 0.25, 0.25, 1.0]) | st.floats(-5.0, 5.0)
rows = hnp.arrays(np.float64, st.integers(1, 7), elements=ENTRIES)


def projected(row):
    row = np.array(row, dtype=np.float64)
    project_to_simplex(row)
    return row


@given(row=rows)
def test_the_nearest_row_of_all_faces_is_found(row):
    found = projected(row)
    assert_allclose(found, reference.project(row), atol=1e-12)
    assert found.min() >= 0.0
    assert found.sum() == pytest.approx(1.0, abs=1e-14)


def test_a_quadratic_program_agrees(seed):
    rng = np.random.default_rng(seed)
    for n_clusters in (2, 5, 20):
        row = rng.normal(size=n_clusters)
        solved = minimize(
            lambda f, row=row: np.sum((f - row) ** 2),
            np.full(n_clusters, 1.0 / n_clusters),
            jac=lambda f, row=row: 2.0 * (f - row),
            bounds=[(0.0, 1.0)] * n_clusters,
            constraints={"type": "eq", "fun": lambda f: f.sum() - 1.0},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert_allclose(projected(row), solved.x, atol=1e-6)


@given(row=rows)
def test_rows_of_the_simplex_stay(row):
    once = projected(row)
    assert_allclose(projected(once), once, atol=1e-15)


@given(row=rows, shift=st.floats(-5.0, 5.0))
def test_what_all_entries_share_does_not_matter(row, shift):
    assert_allclose(projected(row + shift), projected(row), atol=1e-13)


def test_huge_entries_leave_no_rounding():
    assert_array_equal(projected([1e300, 1e300, -1e300]), [0.5, 0.5, 0.0])
    assert_array_equal(projected([1e17, 0.0]), [1.0, 0.0])
