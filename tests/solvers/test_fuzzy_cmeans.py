"""Fuzzy c-means against its formulas, against scikit-fuzzy, and at the edges."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from skfuzzy.cluster import cmeans

from graphpac._threads import Workers
from graphpac.solvers.fuzzy_cmeans import (
    LocalConstraint,
    memberships_at,
    solve_fuzzy_cmeans,
    weighted_centers,
)
from tests.reference import fuzzy_cmeans as reference
from tests.strategies import membership_matrix, sample_matrices


@pytest.fixture
def rows(seed):
    """Forty rows in four overlapping groups."""
    rng = np.random.default_rng(seed)
    return (2.0 * np.eye(4, 3)[np.arange(40) % 4] + rng.normal(size=(40, 3))).astype(np.float32)


@pytest.fixture
def neighbors(seed):
    """Weights of three neighbors each."""
    rng = np.random.default_rng(seed)
    columns = np.concatenate([rng.choice(np.delete(np.arange(40), i), 3, False) for i in range(40)])
    weights = rng.dirichlet(np.ones(3), 40).ravel().astype(np.float32)
    return sp.csr_matrix((weights, columns, np.arange(0, 121, 3)), (40, 40))


def solve(rows, centers, *, fuzziness=1.5, max_iter=20, tol=0.0, n_jobs=1, local=None):
    return solve_fuzzy_cmeans(
        rows,
        centers,
        fuzziness=fuzziness,
        max_iter=max_iter,
        tol=tol,
        n_jobs=n_jobs,
        local=local,
    )


@pytest.mark.parametrize("share", [None, 0.4, "ramp"])
@pytest.mark.parametrize("fuzziness", [1.1, 2.0])
def test_iterations_follow_the_formulas(rows, neighbors, share, fuzziness):
    start = rows[:4] + np.float32(0.1)
    local = None if share is None else LocalConstraint(neighbors, share)

    result = solve(rows, start, fuzziness=fuzziness, max_iter=6, local=local)

    weights = None if share is None else neighbors.toarray()
    p, v, history = reference.solve(
        rows.astype(np.float64), start, fuzziness, 6, weights, share or 0.0
    )
    assert_allclose(result.memberships, p, atol=1e-5)
    assert_allclose(result.centers, v, atol=1e-5)
    assert_allclose(result.history, history, rtol=1e-6)


@pytest.mark.parametrize("fuzziness", [1.05, 1.5, 2.0])
@pytest.mark.parametrize("n_iter", [1, 12])
def test_scikit_fuzzy_finds_the_same_from_the_same_start(rows, fuzziness, n_iter, seed):
    start = membership_matrix(40, 4, np.random.default_rng(seed))
    start /= start.sum(axis=1, keepdims=True)  # as scikit-fuzzy would, rid of float32 rounding
    v, p, *_ = cmeans(rows.T.astype(np.float64), 4, fuzziness, 0.0, n_iter, init=start.T)

    centers = weighted_centers(rows, sp.csr_matrix(start), fuzziness, n_jobs=1)
    result = solve(rows, centers, fuzziness=fuzziness, max_iter=n_iter)

    assert_allclose(result.centers, v, atol=1e-12)
    assert_allclose(result.memberships, p.T, atol=1e-6)


@given(rows=sample_matrices(min_samples=4), fuzziness=st.sampled_from([1.01, 1.05, 1.5, 2.0, 4.0]))
def test_the_objective_never_rises(rows, fuzziness):
    result = solve(rows, rows[:4], fuzziness=fuzziness, max_iter=30)

    largest = max(result.history[0], float(np.square(rows).sum()) * 1e-6)
    assert np.all(np.diff(result.history) <= 1e-12 * largest)
    assert np.isfinite(result.memberships).all()
    assert_allclose(result.memberships.sum(axis=1), 1.0, atol=1e-6)


def test_a_share_of_zero_is_plain_fuzzy_c_means_to_the_bit(rows, neighbors):
    plain = solve(rows, rows[:4])
    local = solve(rows, rows[:4], local=LocalConstraint(neighbors, 0.0))

    assert_array_equal(local.memberships, plain.memberships)
    assert_array_equal(local.centers, plain.centers)
    assert local.history == plain.history


def test_the_search_ends_when_memberships_stand_still(rows):
    result = solve(rows, rows[:4], max_iter=500, tol=1e-4)
    further = solve(rows, rows[:4], max_iter=len(result.history) + 1)

    assert result.converged
    assert len(result.history) < 500
    assert not solve(rows, rows[:4], max_iter=2).converged
    assert np.abs(further.memberships - result.memberships).max() <= 1e-4


def test_a_ramp_is_followed_to_its_end(rows, neighbors):
    far = rows + 1000.0 * np.eye(4, 3, dtype=np.float32)[np.arange(40) % 4]
    result = solve(far, far[:4], tol=0.5, local=LocalConstraint(neighbors, "ramp"), max_iter=9)

    assert len(result.history) == 9


def test_a_row_without_neighbors_is_left_to_the_centers(rows, neighbors):
    alone = neighbors.tolil()
    alone[7] = 0.0
    local = LocalConstraint(sp.csr_matrix(alone), 0.9)

    result = solve(rows, rows[:4] + np.float32(0.1), local=local)

    expected = reference.memberships(rows[7:8].astype(np.float64), result.centers, 1.5)
    assert_allclose(result.memberships[7:8], expected, atol=1e-6)


def test_sparse_rows_give_the_same(rows, neighbors):
    thinned = np.where(rows > 0.5, rows, np.float32(0.0))
    local = LocalConstraint(neighbors, 0.4)

    dense = solve(thinned, thinned[:4] + 0.1, local=local)
    sparse = solve(sp.csr_matrix(thinned), thinned[:4] + 0.1, local=local)

    assert_allclose(sparse.memberships, dense.memberships, atol=1e-6)
    assert_allclose(sparse.centers, dense.centers, atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_row_on_a_center_belongs_to_it_alone(form):
    places = np.array([[0.1, 0.7], [3.0, 0.3]], dtype=np.float32)
    centers = places[[0, 1, 1]].astype(np.float64)

    with Workers(1) as workers:
        found = memberships_at(form(places), centers, 1.05, workers)

    assert_array_equal(found.toarray(), [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_centers_are_weighted_means_and_without_weight_the_mean_of_all(form, rows, seed):
    p = membership_matrix(40, 3, np.random.default_rng(seed))
    p[:, 1] = 0.0

    found = weighted_centers(form(rows), sp.csr_matrix(p), 1.5, n_jobs=1)

    exact = rows.astype(np.float64)
    assert_allclose(found[[0, 2]], reference.centers(exact, p[:, [0, 2]], 1.5), rtol=1e-12)
    assert_allclose(found[1], exact.mean(axis=0), rtol=1e-12)


def test_threads_change_no_bit(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(20_000, 2)).astype(np.float32)

    one, three = (solve(rows, rows[:3], max_iter=3, n_jobs=n_jobs) for n_jobs in (1, 3))

    assert_array_equal(one.memberships, three.memberships)
    assert one.history == three.history
