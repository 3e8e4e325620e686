"""PAC against all pairs of rows, its objective, and the uniform point it must leave."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac._threads import Workers
from graphpac.graph.rows import prepare_rows
from graphpac.solvers.pac import memberships_among, near_uniform, smoothed_labels, solve_pac
from tests.reference import pac as reference
from tests.strategies import membership_matrix, sample_matrices

both_metrics = pytest.mark.parametrize("metric", ["cosine", "euclidean"])


def groups(n_rows, rng, spread=0.3):
    """Rows around four directions."""
    return np.eye(4, 6)[np.arange(n_rows) % 4] + spread * rng.normal(size=(n_rows, 6))


def solve(rows, memberships, metric="cosine", *, fuzziness=1.03, max_iter=50, tol=0.0, n_jobs=1):
    return solve_pac(
        rows,
        memberships,
        metric=metric,
        fuzziness=fuzziness,
        max_iter=max_iter,
        tol=tol,
        n_jobs=n_jobs,
    )


@both_metrics
@pytest.mark.parametrize("fuzziness", [1.03, 1.3])
def test_sums_give_what_all_pairs_give(metric, fuzziness, seed):
    rng = np.random.default_rng(seed)
    rows = prepare_rows(groups(80, rng), metric)
    d = reference.distances(rows, metric)
    start = p = membership_matrix(80, 4, rng)

    result = solve(rows, start, metric, fuzziness=fuzziness, max_iter=5)

    history = []
    for _ in range(5):
        p = reference.sweep(d, p, fuzziness)
        history.append(reference.objective(d, p, fuzziness))
    assert_allclose(result.memberships, p, atol=1e-8)
    assert_allclose(result.history, history, rtol=1e-10)


@both_metrics
@given(
    X=sample_matrices(min_samples=3),
    fuzziness=st.sampled_from([1.01, 1.03, 1.37, 2.0]),
    seed=st.integers(0, 99),
)
def test_the_objective_never_rises(metric, X, fuzziness, seed):
    rows = prepare_rows(X, metric)
    start = membership_matrix(len(rows), 3, np.random.default_rng(seed))

    result = solve(rows, start, metric, fuzziness=fuzziness, max_iter=15)

    # Unit rows in float32 that ought to be the same are that far apart.
    noise = 1e-7 * len(rows) ** 2 if metric == "cosine" else 1e-12 * np.square(rows).sum()
    assert np.all(np.diff(result.history) <= 1e-12 * result.history[0] + noise)


@both_metrics
def test_the_start_is_left_as_it_was(metric, seed):
    rng = np.random.default_rng(seed)
    start = membership_matrix(40, 4, rng)
    start.flags.writeable = False

    solve(prepare_rows(groups(40, rng), metric), start, metric, max_iter=2)


def test_groups_are_found_from_almost_nothing(seed):
    rng = np.random.default_rng(seed)
    rows = prepare_rows(groups(200, rng, spread=0.1), "cosine")

    result = solve(rows, near_uniform(200, 4, rng), tol=1e-3)

    labels = result.memberships.argmax(axis=1)
    assert result.converged
    assert 11 <= len(result.history) < 50
    assert all(np.unique(labels[first::4]).size == 1 for first in range(4))
    assert np.unique(labels[:4]).size == 4


def test_the_search_goes_on_while_changes_grow(seed):
    """Close to where the uniform point begins to attract, groups part slowly at first."""
    rng = np.random.default_rng(seed)
    rows = prepare_rows(groups(200, rng, spread=1.0), "cosine")

    result = solve(rows, near_uniform(200, 4, rng), fuzziness=1.12, max_iter=200, tol=1e-3)

    assert result.memberships.max() > 0.5


@both_metrics
def test_new_rows_get_what_is_best_among_the_old(metric, seed):
    rng = np.random.default_rng(seed)
    rows = prepare_rows(groups(60, rng), metric)
    result = solve(rows[:-1], membership_matrix(59, 4, rng), metric, fuzziness=1.3, max_iter=3)

    with Workers(1) as workers:
        found = memberships_among(rows[-1:], result.sums, metric, 1.3, workers)

    scores = reference.distances(rows, metric)[-1, :-1] @ result.memberships**1.3
    assert_allclose(found.toarray()[0], reference.best_memberships(scores, 1.3), atol=1e-6)


@both_metrics
def test_threads_change_no_bit(metric, seed):
    rng = np.random.default_rng(seed)
    rows = prepare_rows(groups(20_000, rng), metric)
    start = near_uniform(20_000, 4, rng)

    one, three = (solve(rows, start, metric, max_iter=2, n_jobs=n_jobs) for n_jobs in (1, 3))

    assert_array_equal(one.memberships, three.memberships)
    assert one.history == three.history


def test_a_near_uniform_start_is_not_uniform(seed):
    start = near_uniform(50, 8, np.random.default_rng(seed))

    assert_allclose(start.sum(axis=1), 1.0, rtol=1e-12)
    assert_allclose(start, 1 / 8, rtol=0.01)
    assert np.unique(start).size == start.size


def test_labels_leave_every_cluster_a_share():
    start = smoothed_labels(np.array([1, 0, 1]), 4)

    assert_allclose(start, [[0.025, 0.925, 0.025, 0.025], [0.925, *[0.025] * 3], start[0]])
