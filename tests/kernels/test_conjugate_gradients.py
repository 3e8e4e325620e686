"""Conjugate gradients against a dense solver."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.kernels.conjugate_gradients import solve_columns


@st.composite
def systems(draw):
    """Draw the identity plus a graph Laplacian, and right-hand sides."""
    n = draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    adjacency = np.triu(rng.exponential(size=(n, n)) * (rng.random((n, n)) < 0.3), k=1)
    adjacency += adjacency.T
    system = np.eye(n) + np.diag(adjacency.sum(axis=1)) - adjacency
    right = rng.normal(size=(n, draw(st.integers(1, 5))))
    return system.astype(np.float32), right.astype(np.float32)


def improve(system, right, solution, *, tolerance=0.0, max_steps=100):
    """Run the kernel on a dense system."""
    rows = sp.csr_array(system)
    return solve_columns(
        rows.indptr,
        rows.indices,
        rows.data,
        1.0 / rows.diagonal(),
        right,
        solution,
        tolerance,
        max_steps,
    )


def energy(system, right, solution):
    """What the steps lower, of each column."""
    exact = solution.astype(np.float64)
    return 0.5 * np.sum(exact * (system @ exact), axis=0) - np.sum(exact * right, axis=0)


@given(systems())
def test_the_solution_of_a_dense_solver(case):
    system, right = case
    solution = np.zeros_like(right)
    given_right = right.copy()

    n_steps = improve(system, right, solution, tolerance=1e-5 * np.linalg.norm(right))

    assert n_steps <= 100
    assert_allclose(solution, np.linalg.solve(system.astype(np.float64), right), atol=1e-3)
    assert_array_equal(right, given_right)


@given(systems())
def test_every_step_lowers_the_energy(case):
    system, right = case
    solution = right.copy()
    energies = [energy(system, right, solution)]
    for _ in range(5):
        assert improve(system, right, solution, max_steps=1) <= 1
        energies.append(energy(system, right, solution))
    assert np.all(np.diff(energies, axis=0) <= 1e-5)


@given(systems())
def test_a_solution_stays_as_it_is(case):
    system, right = case
    # Constants are in the null space of the Laplacian.
    constant = np.ones_like(right)
    solution = constant.copy()
    assert improve(system, constant, solution, tolerance=1e-5) == 0
    assert_array_equal(solution, constant)
    assert improve(system, right, solution, max_steps=0) == 0
    assert_array_equal(solution, constant)


def test_columns_do_not_depend_on_each_other(seed):
    rng = np.random.default_rng(seed)
    system = np.eye(30, dtype=np.float32) * 3 - np.eye(30, k=1, dtype=np.float32)
    system -= np.eye(30, k=-1, dtype=np.float32)
    right = rng.normal(size=(30, 4)).astype(np.float32)
    together = np.zeros_like(right)
    improve(system, right, together, max_steps=6)
    for column in range(4):
        alone = np.zeros((30, 1), dtype=np.float32)
        improve(system, right[:, [column]], alone, max_steps=6)
        assert_array_equal(alone[:, 0], together[:, column])
