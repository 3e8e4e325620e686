"""The parts of a fit come back from contents as they were."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from numpy.testing import assert_array_equal

from graphpac.io.parts import GRAPH, RESULT, START, STATE
from graphpac.solvers import IterationRecord, Snapshot, SolverResult, Start
from tests.strategies import membership_matrix, neighbor_graphs

HISTORY = (
    IterationRecord(1, 0.0, 1.25, 0.1, (3, 0, 2), 1e-9),
    IterationRecord(2, 0.1, 1 / 3, 2.0, (1, 2, 2), 0.0),
)


@pytest.fixture
def memberships(seed):
    return sp.csr_matrix(membership_matrix(5, 3, np.random.default_rng(seed)), dtype=np.float32)


def assert_same_matrix(found, expected):
    assert found.shape == expected.shape
    for name in ("indptr", "indices", "data"):
        assert_array_equal(getattr(found, name), getattr(expected, name), strict=True)


@given(neighbor_graphs())
def test_graphs(graph):
    found = GRAPH.decode(GRAPH.encode(graph))
    assert found.kind == graph.kind
    for name in ("indptr", "indices", "values"):
        assert_array_equal(getattr(found, name), getattr(graph, name), strict=True)


def test_starts(memberships):
    labels = np.array([0, -1, 2, 2, 1], dtype=np.int32)
    found = START.decode(START.encode(Start(labels)))
    assert found.memberships is None
    assert_array_equal(found.hard_labels, labels, strict=True)
    found = START.decode(START.encode(Start(labels, memberships)))
    assert_same_matrix(found.memberships, memberships)


def test_snapshots():
    rng = np.random.default_rng(0)
    begin = rng.bit_generator.state
    rng.normal(size=3)
    arrays = {"labels": np.arange(5), "indptr": np.ones((5, 2), dtype=np.float32)}
    found = STATE.decode(STATE.encode(Snapshot(HISTORY, arrays, rng.bit_generator.state, begin)))
    assert found.history == HISTORY
    assert found.arrays.keys() == arrays.keys()
    assert (found.generator, found.dealt_from) == (rng.bit_generator.state, begin)


@pytest.mark.parametrize("objective", [-1 / 3, float("inf")])
def test_results(memberships, objective):
    result = SolverResult(
        memberships=memberships,
        hard_labels=np.arange(5, dtype=np.int32),
        history=HISTORY,
        converged=True,
        n_hops=3,
        batch_size=40,
        dropped_mass=1e-300,
        objective=objective,
    )
    found = RESULT.decode(RESULT.encode(result))
    assert_same_matrix(found.memberships, memberships)
    assert_array_equal(found.hard_labels, result.hard_labels, strict=True)
    for name in ("history", "converged", "n_hops", "batch_size", "dropped_mass", "objective"):
        assert getattr(found, name) == getattr(result, name)
