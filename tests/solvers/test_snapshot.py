"""A run that is left and taken up again ends with the same bits."""

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from graphpac.solvers import Problem, Recorder, SolverOptions, Start, solve_gpac
from graphpac.solvers.state import make_state
from tests.strategies import random_graph

MAX_ITER = 9
VARIANTS = [
    {"n_clusters": 9},
    {"n_clusters": 80},
    {"n_clusters": 9, "n_pool_batches": 1, "n_pool_epochs": 1},
    {"n_clusters": 9, "n_pool_batches": 2, "n_pool_epochs": 4},
    {"n_clusters": 80, "auxiliary": False},
    {"n_clusters": 9, "sequential": True, "totals": "all"},
]


@pytest.fixture(params=VARIANTS, ids=str)
def solve(request, seed):
    """Return a function that runs one variant, from its start or from a snapshot."""
    options = dict(request.param)
    n_clusters = options.pop("n_clusters")
    rng = np.random.default_rng(seed)
    graph = random_graph(300, 8, rng)
    start = Start(rng.integers(n_clusters, size=300, dtype=np.int32))
    problem = Problem(n_clusters=n_clusters, batch_size=40, max_iter=MAX_ITER, tol=0.0)

    def run(*, recorder=None, n_jobs=1, callback=None):
        return solve_gpac(
            graph,
            start,
            problem,
            SolverOptions(**options),
            rng=np.random.default_rng(seed),
            n_jobs=n_jobs,
            callback=callback,
            recorder=recorder,
            # sparse rows grow from 16 to 80 entries
            make_state=partial(make_state, most_dropped=-1.0),
        )

    return run


def collect(solve, every=1, latest=None, **arguments):
    """Run, and return the result and a copy of every snapshot."""
    snapshots = []

    def keep(snapshot):
        snapshots.append(pickle.loads(pickle.dumps(snapshot)))

    return solve(recorder=Recorder(keep, latest, every), **arguments), snapshots


def assert_same(result, expected):
    assert_array_equal(result.memberships.toarray(), expected.memberships.toarray())
    assert_array_equal(result.hard_labels, expected.hard_labels)
    assert result.objective == expected.objective
    assert result.converged == expected.converged
    assert timeless(result.history) == timeless(expected.history)


def timeless(history):
    return [replace(record, seconds=0.0) for record in history]


def test_taking_snapshots_changes_nothing(solve):
    result, snapshots = collect(solve)
    assert_same(result, solve())
    assert [len(snapshot.history) for snapshot in snapshots] == list(range(1, MAX_ITER))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_every_snapshot_leads_to_the_same_end(solve, n_jobs):
    expected, snapshots = collect(solve)
    for snapshot in snapshots:
        seen = []
        result = solve(
            recorder=Recorder(lambda _: None, latest=snapshot),
            n_jobs=n_jobs,
            callback=lambda record, seen=seen: seen.append(record.iteration),
        )
        assert_same(result, expected)
        assert seen == list(range(len(snapshot.history) + 1, MAX_ITER + 1))


def test_a_run_may_be_left_twice(solve):
    expected, (first, *_) = collect(solve, every=2)
    _, snapshots = collect(solve, every=3, latest=first)
    assert [len(snapshot.history) for snapshot in snapshots] == [3, 6]
    later = snapshots[-1]
    assert_same(solve(recorder=Recorder(lambda _: None, latest=later)), expected)


def test_the_last_iteration_leaves_a_result_and_no_snapshot(solve):
    _, snapshots = collect(solve, every=3)
    assert [len(snapshot.history) for snapshot in snapshots] == [3, 6]
    _, snapshots = collect(solve, every=3, callback=lambda record: record.iteration == 6)
    assert [len(snapshot.history) for snapshot in snapshots] == [3]
