"""Sweeps over rows on the simplex against dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.kernels.balanced_sweep import sweep_balanced_rows
from tests.reference import balanced as reference


@st.composite
def problems(draw):
    """Sparse links, curvatures of either sign, rows without any link or mass."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_clusters = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    A = rng.uniform(0.0, 1.0, (n_rows, n_rows)) * (rng.random((n_rows, n_rows)) < 0.4)
    A = np.triu(A, 1) + np.triu(A, 1).T
    own = rng.normal(draw(st.sampled_from([-1.0, 0.0, 1.0])), 1.0, n_rows)
    masses = rng.uniform(0.0, 2.0, n_rows) * (rng.random(n_rows) < 0.8)
    lam = draw(st.sampled_from([0.0, 0.1, 2.0]))
    return A, own, masses, lam, rng.dirichlet(np.ones(n_clusters), n_rows)


def objective(A, own, masses, lam, F):
    return own @ np.sum(F**2, axis=1) - np.sum(F * (A @ F)) + lam * np.sum((masses @ F) ** 2)


def swept(A, own, masses, lam, F):
    links = sp.csr_array(A)
    indptr, indices = links.indptr.astype(np.int64), links.indices.astype(np.int32)
    F = F.copy()
    curvatures = own + lam * masses**2
    decrease = sweep_balanced_rows(indptr, indices, links.data, curvatures, masses, lam, F)
    return F, decrease


@given(problem=problems())
def test_a_sweep_is_that_of_the_reference(problem):
    F, _ = swept(*problem)
    assert_allclose(F, reference.sweep(*problem), atol=1e-9)


@given(problem=problems())
def test_the_decrease_is_told_and_is_never_negative(problem):
    *frame, F = problem
    for _ in range(3):
        before = objective(*frame, F)
        F, decrease = swept(*frame, F)
        assert decrease >= 0.0
        assert before - objective(*frame, F) == pytest.approx(decrease, abs=1e-9)
        assert_allclose(F.sum(axis=1), 1.0, atol=1e-12)
        assert F.min() >= 0.0


def test_concave_rows_end_at_corners():
    A = np.array([[0.0, 1.0], [1.0, 0.0]])
    F, _ = swept(A, np.array([-0.5, -0.5]), np.ones(2), 0.1, np.array([[0.4, 0.6], [0.3, 0.7]]))
    assert_array_equal(F, [[0.0, 1.0], [0.0, 1.0]])


def test_a_row_without_link_curvature_and_mass_stays():
    F = np.array([[0.3, 0.7]])
    assert_array_equal(swept(np.zeros((1, 1)), np.zeros(1), np.zeros(1), 1.0, F)[0], F)
