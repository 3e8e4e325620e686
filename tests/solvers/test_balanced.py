"""Balanced cuts: the objectives of the specification, and what no sweep may do to them."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph import build_neighbor_graph
from graphpac.graph.affinity import heat_affinity
from graphpac.solvers.balanced import balanced_cut, solve_balanced
from tests.reference import balanced as reference


@pytest.fixture
def affinity(seed):
    X = np.random.default_rng(seed).normal(size=(60, 3))
    return heat_affinity(build_neighbor_graph(X, 6, metric="euclidean"))


@pytest.fixture
def mixtures(seed):
    """An anchor graph in which the last anchor has no rows."""
    rng = np.random.default_rng(seed)
    B = rng.dirichlet(np.full(12, 0.1), 50)
    return sp.csr_array(np.column_stack((B, np.zeros(50))))


@pytest.fixture
def start(seed):
    return lambda n_rows: np.random.default_rng(seed).dirichlet(np.ones(4), n_rows)


def solved_step_by_step(cut, start, n_sweeps):
    """Memberships and objective after each sweep, until nothing changes any more."""
    history = solve_balanced(cut, start, max_iter=n_sweeps, tol=0.0).history
    steps = [solve_balanced(cut, start, max_iter=i + 1, tol=0.0) for i in range(len(history))]
    return [step.memberships for step in steps], history


@pytest.mark.parametrize("balance", [0.0, 1.0, 10.0])
def test_the_cut_is_that_of_gbfc_and_never_rises(affinity, start, balance):
    W = affinity.toarray()
    cut = balanced_cut(affinity, np.ones(60), balance=balance, certainty=0.0)
    assert cut.balance == pytest.approx(balance * W.sum() / 60 / 60)  # mean degree / n

    steps, history = solved_step_by_step(cut, start(60), 8)

    assert np.all(np.diff(history) <= 0.0)
    for memberships, objective in zip(steps, history, strict=True):
        assert_allclose(objective, reference.cut_objective(W, memberships, cut.balance))
        assert_allclose(memberships.sum(axis=1), 1.0)
        assert memberships.min() >= 0.0


@pytest.mark.parametrize("balance", [0.0, 1.0, 10.0])
def test_the_anchor_objective_is_that_of_ffcag_and_never_falls(mixtures, start, balance):
    B = mixtures.toarray()
    cut = balanced_cut(
        sp.csr_array(mixtures.T @ mixtures), B.sum(axis=0), balance=balance, certainty=1.0
    )
    assert cut.balance == pytest.approx(balance / 50)

    steps, history = solved_step_by_step(cut, start(13), 6)

    assert np.all(np.diff(history) <= 0.0)
    for memberships, objective in zip(steps, history, strict=True):
        expected = reference.anchor_objective(B, memberships, cut.balance)
        assert_allclose(-objective, expected, atol=1e-9)


def test_without_certainty_uniform_memberships_are_best(affinity, start):
    """Why certainty exists: the convex objective of GBFC ends where all rows are the same."""
    cut = balanced_cut(affinity, np.ones(60), balance=1.0, certainty=0.0)
    lowest = cut.value(np.full((60, 4), 0.25))
    result = solve_balanced(cut, start(60), max_iter=3000, tol=0.0)
    assert result.history[-1] >= lowest * (1.0 - 1e-12)
    assert_allclose(result.history[-1], lowest, rtol=1e-3)

    sure = balanced_cut(affinity, np.ones(60), balance=1.0, certainty=0.5)
    result = solve_balanced(sure, start(60), max_iter=300, tol=0.0)
    assert result.memberships.max(axis=1).min() > 0.4


@pytest.mark.parametrize("margin", [-0.01, 0.01])
def test_the_certainty_from_which_clusters_beat_uniform_memberships(affinity, margin):
    """Of even clusters that cut a share s of the similarities: s c / (c - 1)."""
    clusters = np.eye(4)[np.arange(60) // 15]
    W = affinity.toarray()
    share = 1.0 - np.sum(clusters * (W @ clusters)) / W.sum()
    cut = balanced_cut(affinity, np.ones(60), balance=5.0, certainty=share * 4 / 3 + margin)
    # The cut counts degrees, so the clusters are even in these only about.
    gain = cut.value(np.full((60, 4), 0.25)) - cut.value(clusters)
    assert np.sign(gain) == np.sign(margin)


def test_the_start_stays_as_it_is_and_the_search_ends(affinity, start):
    cut = balanced_cut(affinity, np.ones(60), balance=1.0, certainty=0.5)
    given = start(60)
    given.flags.writeable = False
    seen = []
    result = solve_balanced(
        cut, given, max_iter=200, tol=1e-6, watch=lambda sweep, value: seen.append((sweep, value))
    )
    assert result.converged
    assert seen == list(enumerate(result.history, start=1))
    assert not solve_balanced(cut, given, max_iter=1, tol=0.0).converged
    assert_array_equal(given, start(60))
