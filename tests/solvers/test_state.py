"""The two forms of a state hold the same thing."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.kernels.batches import BatchUpdate
from graphpac.solvers import Problem, SolverOptions, Start
from graphpac.solvers.state import DenseState, SparseState, make_state
from tests.strategies import membership_matrix


@pytest.fixture
def given_start():
    rng = np.random.default_rng(0)
    P = sp.csr_matrix(membership_matrix(30, 7, rng).astype(np.float32))
    return Start(rng.integers(-1, 7, 30).astype(np.int32), P)


def both_forms(start, n_clusters=7, n_entries=7):
    return (
        DenseState(start, n_clusters),
        SparseState(start, n_clusters, n_entries=n_entries, most_dropped=0.01),
    )


def test_both_forms_hold_the_same_memberships_and_totals(given_start):
    P = given_start.memberships.toarray()
    some = np.array([3, 4, 8])
    hard = np.bincount(given_start.hard_labels[some] + 1, minlength=8)[1:]
    for state in both_forms(given_start):
        assert_allclose(state.to_csr().toarray(), P, atol=1e-6)
        assert_array_equal(state.largest(), P.argmax(axis=1))
        assert_allclose(state.totals(some)[:, :7], [P[some].sum(axis=0), hard], rtol=1e-6)
        assert not state.totals(some)[:, 7:].any()


def test_a_sparse_row_keeps_its_largest_entries_scaled_to_one(given_start):
    P = given_start.memberships.toarray()

    kept = both_forms(given_start, n_entries=3)[1].to_csr().toarray()

    for row, full in zip(kept, P, strict=True):
        best = np.argsort(-full)[:3]
        assert_array_equal(np.sort(np.flatnonzero(row)), np.sort(best))
        assert_allclose(row[best], full[best] / full[best].sum(), rtol=1e-5)


def test_too_much_dropped_mass_doubles_the_entries_up_to_all(given_start):
    state = both_forms(given_start, n_entries=3)[1]
    before = state.to_csr().toarray()

    sizes = []
    for dropped in (0.0, 1e-3, 0.02, 0.02, 0.02):
        state.make_room(dropped)
        sizes.append(state.assignment.values.shape[1])

    assert sizes == [3, 3, 6, 7, 7]
    assert_array_equal(state.to_csr().toarray(), before)


def test_a_number_of_entries_that_was_asked_for_stays(given_start):
    state = SparseState(given_start, 7, n_entries=3, most_dropped=np.inf)

    state.make_room(0.5)

    assert state.assignment.values.shape[1] == 3


def update_of(state, samples):
    """Hard label 6 and the memberships of sample 0 for some samples."""
    rows = (array[[0] * len(samples)] for array in state.assignment[1:])
    labels = np.full(len(samples), 6, dtype=np.int32)
    found = type(state.assignment)(labels, *rows)
    return BatchUpdate(np.array(samples, dtype=np.int32), found, change=0.0, dropped=0.0)


def test_an_update_changes_the_samples_it_names_and_no_others(given_start):
    for state in both_forms(given_start):
        before = state.to_csr().toarray()

        state.apply(update_of(state, [5, 2]))

        changed = np.isin(np.arange(30), [2, 5])
        assert_array_equal(state.assignment.labels, np.where(changed, 6, given_start.hard_labels))
        expected = np.where(changed[:, None], before[0], before)
        assert_array_equal(state.to_csr().toarray(), expected)


def test_the_start_is_not_changed(given_start):
    labels, P = given_start.hard_labels.copy(), given_start.memberships.copy()
    for state in both_forms(given_start):
        state.apply(update_of(state, range(30)))

    assert_array_equal(given_start.hard_labels, labels)
    assert_array_equal(given_start.memberships.toarray(), P.toarray())


@pytest.mark.parametrize(("n_clusters", "form"), [(64, DenseState), (65, SparseState)])
def test_many_clusters_are_kept_sparse(n_clusters, form):
    start = Start(np.zeros(80, dtype=np.int32))

    assert isinstance(make_state(start, Problem(n_clusters=n_clusters), SolverOptions()), form)


def test_without_v_the_memberships_begin_at_its_labels():
    """Uniform memberships would be a fixed point: nothing else tells clusters apart."""
    labels = np.array([0, 2, 1], dtype=np.int32)
    problem, options = Problem(n_clusters=3), SolverOptions(auxiliary=False)

    assert_array_equal(make_state(Start(labels), problem, options).largest(), labels)
