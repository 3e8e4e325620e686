"""The parts of a fit come back from contents as they were."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from numpy.testing import assert_array_equal

from graphpac.io.container import Contents
from graphpac.io.parts import GRAPH, RESULT, START, STATE, Sizes
from graphpac.solvers import IterationRecord, Snapshot, SolverResult, Start
from tests.strategies import membership_matrix, neighbor_graphs, random_graph

SIZES = Sizes(n_samples=5, n_clusters=3)
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
    found = GRAPH.decode(GRAPH.encode(graph), Sizes(graph.n_samples, 2))
    assert found.kind == graph.kind
    for name in ("indptr", "indices", "values"):
        assert_array_equal(getattr(found, name), getattr(graph, name), strict=True)


def test_starts(memberships):
    labels = np.array([0, -1, 2, 2, 1], dtype=np.int32)
    found = START.decode(START.encode(Start(labels)), SIZES)
    assert found.memberships is None
    assert_array_equal(found.hard_labels, labels, strict=True)
    found = START.decode(START.encode(Start(labels, memberships)), SIZES)
    assert_same_matrix(found.memberships, memberships)


LABELS = np.array([0, -1, 2, 2, 1], dtype=np.int32)
DENSE = {"labels": LABELS, "rows": np.full((5, 16), 0.25, dtype=np.float32)}
SPARSE = {
    "labels": LABELS,
    "clusters": np.full((5, 4), 99, dtype=np.int32),
    "values": np.full((5, 4), 0.25, dtype=np.float32),
}


def snapshot_of(arrays, history=HISTORY):
    position = np.random.default_rng(0).bit_generator.state
    return Snapshot(history, arrays, position, position)


def history_of(n_clusters):
    return (IterationRecord(1, 0.0, 1.25, 0.1, (1,) * n_clusters, 1e-9),)


@pytest.mark.parametrize(("arrays", "n_clusters"), [(DENSE, 3), (SPARSE, 100)])
def test_snapshots(arrays, n_clusters):
    rng = np.random.default_rng(0)
    begin = rng.bit_generator.state
    rng.normal(size=3)
    history = history_of(n_clusters)
    snapshot = Snapshot(history, arrays, rng.bit_generator.state, begin)
    found = STATE.decode(STATE.encode(snapshot), Sizes(5, n_clusters))
    assert found.history == history
    assert found.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        assert_array_equal(found.arrays[name], array, strict=True)
    assert (found.generator, found.dealt_from) == (rng.bit_generator.state, begin)


@pytest.mark.parametrize("objective", [-1 / 3, float("inf")])
def test_results(memberships, objective):
    result = SolverResult(
        memberships=memberships,
        hard_labels=LABELS,
        history=HISTORY,
        converged=True,
        n_hops=3,
        batch_size=40,
        dropped_mass=1e-300,
        objective=objective,
    )
    found = RESULT.decode(RESULT.encode(result), SIZES)
    assert_same_matrix(found.memberships, memberships)
    assert_array_equal(found.hard_labels, result.hard_labels, strict=True)
    for name in ("history", "converged", "n_hops", "batch_size", "dropped_mass", "objective"):
        assert getattr(found, name) == getattr(result, name)


# ---- what is refused


def changed(arrays, name, place, value):
    """Copy arrays with one entry of one of them changed."""
    copies = {key: array.copy() for key, array in arrays.items()}
    copies[name][place] = value
    return copies


@pytest.mark.parametrize(
    ("arrays", "n_clusters"),
    [
        ({"labels": LABELS}, 3),
        (SPARSE, 3),
        (DENSE, 100),
        (DENSE, 17),
        ({**DENSE, "labels": LABELS[:4]}, 3),
        ({**DENSE, "labels": LABELS.astype(np.int64)}, 3),
        ({**DENSE, "rows": DENSE["rows"][:, 0]}, 3),
        ({**DENSE, "rows": DENSE["rows"].astype(np.float64)}, 3),
        ({**SPARSE, "values": SPARSE["values"][:, :3]}, 100),
        ({**SPARSE, "values": SPARSE["values"][:, :0], "clusters": SPARSE["clusters"][:, :0]}, 100),
        (changed(DENSE, "labels", 0, 3), 3),
        (changed(DENSE, "labels", 0, -2), 3),
        (changed(DENSE, "rows", (1, 2), np.nan), 3),
        (changed(DENSE, "rows", (1, 2), -0.5), 3),
        (changed(SPARSE, "clusters", (1, 2), 100), 100),
        (changed(SPARSE, "clusters", (1, 2), -1), 100),
        (changed(SPARSE, "values", (1, 2), np.inf), 100),
    ],
)
def test_states_that_no_run_was_in(arrays, n_clusters):
    contents = STATE.encode(snapshot_of(arrays, history_of(n_clusters)))
    with pytest.raises(ValueError, match=r"^[a-z]"):
        STATE.decode(contents, Sizes(5, n_clusters))


@pytest.mark.parametrize("position", [None, {}, {"bit_generator": "MT19937"}, {"state": {}}])
def test_positions_that_no_generator_has(position):
    contents = STATE.encode(snapshot_of(DENSE))
    contents.metadata["generator"] = position
    with pytest.raises((KeyError, TypeError, ValueError)):
        STATE.decode(contents, SIZES)


def test_a_position_out_of_range():
    contents = STATE.encode(snapshot_of(DENSE))
    position = contents.metadata["generator"]
    changed = {**position, "state": {**position["state"], "state": -(2**200)}}
    contents.metadata["generator"] = changed
    with pytest.raises(ValueError, match="^generator is out of range$"):
        STATE.decode(contents, SIZES)


@pytest.mark.parametrize("sizes", [Sizes(4, 3), Sizes(5, 2), Sizes(5, 4)])
def test_parts_of_another_size(memberships, sizes):
    for contents in (START.encode(Start(LABELS, memberships)), STATE.encode(snapshot_of(DENSE))):
        part = STATE if "generator" in contents.metadata else START
        with pytest.raises(ValueError, match=r"^[a-z]"):
            part.decode(contents, sizes)


def test_a_graph_of_another_size(seed):
    contents = GRAPH.encode(random_graph(5, 2, np.random.default_rng(seed)))
    with pytest.raises(ValueError, match="^the graph has another number of samples$"):
        GRAPH.decode(contents, Sizes(6, 3))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("indptr", [0, 1, 2, 3, 4]),
        ("indptr", [0, 4, 1, 3, 4, 5]),
        ("indptr", [0, 0, 2, 3, 4, 5]),
        ("indptr", [-1, 1, 2, 3, 4, 5]),
        ("indptr", [0, 1, 2, 3, 4, 6]),
        ("indices", [0, 1, 2, 0, 3]),
        ("indices", [0, 1, 2, 0, -1]),
        ("data", [1, 1, 1, 1, 0.5]),
        ("data", [1, 1, 1, 1, np.nan]),
        ("data", [1, 1, 1, 1, -1]),
    ],
)
def test_memberships_that_are_none(name, value):
    arrays = {
        "hard_labels": LABELS,
        "indptr": np.arange(6, dtype=np.int32),
        "indices": np.array([0, 1, 2, 0, 1], dtype=np.int32),
        "data": np.ones(5, dtype=np.float32),
    }
    START.decode(Contents(arrays, {"n_clusters": 3}), SIZES)
    arrays[name] = np.array(value, dtype=arrays[name].dtype)
    with pytest.raises(ValueError, match=r"^[a-z]"):
        START.decode(Contents(arrays, {"n_clusters": 3}), SIZES)
