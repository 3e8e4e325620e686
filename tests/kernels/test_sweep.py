"""An update is a value: a function of a view, and of nothing else."""

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from graphpac.kernels.sweep import sweep
from graphpac.solvers import Problem, SolverOptions, Start, solve_gpac
from graphpac.solvers.state import make_state
from tests.strategies import random_graph


@pytest.fixture(params=["dense", "sparse"])
def seen(request, seed):
    """Views and rules of a small run, as they were, and the updates that were made of them."""
    rng = np.random.default_rng(seed)
    seen = []

    def recorded(view, rule):
        view = pickle.loads(pickle.dumps(view))
        update = sweep(view, rule)
        seen.append((view, rule, update))
        return update

    solve_gpac(
        random_graph(60, 6, rng),
        Start(rng.integers(-1, 5, 60, dtype=np.int32)),
        Problem(n_clusters=5, batch_size=15, max_iter=3, tol=0.0),
        SolverOptions(totals="all"),
        rng=rng,
        make_state=partial(make_state, dense_clusters=64 if request.param == "dense" else 0),
        sweep=recorded,
    )
    return seen


def arrays_of(value):
    """All arrays and numbers of nested tuples."""
    return (
        [leaf for part in value for leaf in arrays_of(part)]
        if isinstance(value, tuple)
        else [value]
    )


def assert_same(one, other):
    for mine, theirs in zip(arrays_of(one), arrays_of(other), strict=True):
        assert_array_equal(mine, theirs)


def test_a_view_is_all_that_an_update_needs_and_is_not_changed(seen):
    for view, rule, update in seen:
        copy = pickle.loads(pickle.dumps(view))

        again = sweep(copy, rule)

        assert type(again) is type(update)
        assert type(again.assignment) is type(update.assignment) is type(view.assignment)
        assert_same(again, update)
        assert_same(copy, view)


def test_nothing_of_a_view_has_to_be_writable(seen):
    view, rule, update = seen[-1]
    for array in arrays_of(view):
        if isinstance(array, np.ndarray):
            array.setflags(write=False)

    assert_same(sweep(view, rule), update)


def test_an_update_names_each_sample_of_its_batch_once(seen):
    for view, _, update in seen:
        assert_array_equal(np.sort(update.samples), np.sort(view.pool.members[view.order]))
        assert len(update.assignment.labels) == update.samples.size
