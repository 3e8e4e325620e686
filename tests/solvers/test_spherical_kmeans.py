"""Spherical k-means against a slow reference, and what must hold on any data."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph.rows import prepare_rows
from graphpac.solvers.spherical_kmeans import solve_spherical_kmeans
from tests.reference import spherical_kmeans as reference
from tests.strategies import sample_matrices


def solve(rows, prototypes, **options):
    return solve_spherical_kmeans(
        rows, prototypes, **{"max_iter": 100, "tol": 0.0, "n_jobs": 1, **options}
    )


@pytest.fixture
def rows(seed):
    """Unit rows all around, a third of their entries zero, two rows of zeros among them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 6)) * (rng.random((120, 6)) < 0.67)
    X[[17, 60]] = 0.0
    return prepare_rows(X, "cosine")


@pytest.fixture
def prototypes(seed):
    drawn = np.random.default_rng(seed + 1).normal(size=(5, 6))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.mark.parametrize("n_steps", [1, 2, 5, 100])
def test_it_goes_the_way_of_the_reference(rows, prototypes, n_steps):
    result = solve(rows, prototypes, max_iter=n_steps)

    n_made = len(result.history)
    labels, expected, history = reference.solve(rows.astype(np.float64), prototypes, n_made)
    assert_array_equal(result.labels, labels)
    assert_allclose(result.prototypes, expected, atol=1e-12)
    assert_allclose(result.history, history, rtol=1e-12)
    assert result.labels.dtype == np.int32
    assert result.converged == (n_made < n_steps)


@given(X=sample_matrices(), data=st.data())
def test_the_objective_never_falls(X, data):
    rows = prepare_rows(X, "cosine")
    drawn = st.lists(st.integers(0, len(X) - 1), min_size=1, max_size=6)
    prototypes = rows[data.draw(drawn)]  # rows of zeros and the same row twice among them

    result = solve(rows, prototypes)

    assert np.all(np.diff(result.history) >= -1e-9)
    own = result.prototypes[result.labels]
    assert_allclose(result.history[-1], np.sum(rows * own), atol=1e-5)
    lengths = np.linalg.norm(result.prototypes, axis=1)
    assert np.all((np.abs(lengths - 1.0) < 1e-6) | (lengths == 0.0))


def test_it_ends_where_no_step_changes_anything(rows, prototypes):
    result = solve(rows, prototypes)
    assert result.converged
    again = solve(rows, result.prototypes)
    assert_array_equal(again.labels, result.labels)
    assert_allclose(again.prototypes, result.prototypes, atol=1e-12)


def test_a_small_gain_ends_it_early(rows, prototypes):
    early, late = solve(rows, prototypes, tol=0.05), solve(rows, prototypes)
    assert early.converged
    assert len(early.history) < len(late.history)


def test_a_cluster_without_rows_is_filled_again(rows):
    """All prototypes are the same at first: the first takes all rows, the others are empty."""
    result = solve(rows, np.repeat(rows[:1], 5, axis=0))
    present = rows.any(axis=1)
    assert np.bincount(result.labels[present], minlength=5).min() >= 1
    assert np.all(np.diff(result.history) >= -1e-9)


def test_a_refill_takes_the_worst_fitting_row_that_is_not_alone():
    X = prepare_rows(np.array([[1.0, 0.0], [1.0, 0.1], [1.0, 0.5], [-1.0, -1.0]]), "cosine")
    prototypes = np.array([[1.0, 0.0], [-1.0, 0.0], [-1.0, 0.0]])  # the third gets no row

    result = solve(X, prototypes, max_iter=1)

    assert_array_equal(result.labels, [0, 0, 2, 1])


def test_fewer_rows_than_clusters_leave_some_empty():
    """Rows of zeros cannot fill a cluster."""
    X = prepare_rows(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), "cosine")
    result = solve(X, np.eye(3, 2))
    assert_array_equal(result.labels, [0, 0, 0])
    assert_array_equal(result.prototypes, np.eye(3, 2))


def test_rows_of_zeros_influence_nothing(rows, prototypes):
    present = rows.any(axis=1)
    result, without = solve(rows, prototypes), solve(rows[present], prototypes)
    assert_allclose(result.prototypes, without.prototypes, atol=1e-12)
    assert_array_equal(result.labels[present], without.labels)
    assert_array_equal(result.labels[~present], 0)
    assert_allclose(result.history, without.history, rtol=1e-12)


def test_sparse_rows_give_the_same(rows, prototypes):
    sparse, dense = solve(sp.csr_matrix(rows), prototypes), solve(rows, prototypes)
    assert_array_equal(sparse.labels, dense.labels)
    assert_allclose(sparse.prototypes, dense.prototypes, atol=1e-12)
    assert_allclose(sparse.history, dense.history, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_the_same_bits_on_any_threads(rows, prototypes, form, monkeypatch):
    monkeypatch.setattr("graphpac.solvers.row_blocks._MOST_ROWS", 7)
    one, three = (solve(form(rows), prototypes, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert_array_equal(one.prototypes, three.prototypes)
    assert one.history == three.history


def test_each_iteration_is_told(rows, prototypes):
    told = []
    result = solve(rows, prototypes, watch=lambda *seen: told.append(seen))
    assert [number for number, _ in told] == list(range(1, len(result.history) + 1))
    assert [value for _, value in told][:-1] == list(result.history[:-1])
