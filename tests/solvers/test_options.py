"""Options check themselves, each fault in one sentence."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from graphpac.solvers import Problem, SolverOptions


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"kernel": "cubic"}, ValueError, "kernel='cubic' must be one of auto, authors"),
        ({"totals": "some"}, ValueError, "totals='some' must be one of batch, all"),
        ({"shift": "lower"}, ValueError, "shift='lower' must be one of auto, always, raise, never"),
        ({"ramp": "m"}, ValueError, "ramp='m' must be one of auto, weight, beta, eased"),
        ({"exponent": 2}, ValueError, "exponent=2 must be one of exact, truncated"),
        ({"symmetric": 1}, TypeError, "symmetric=1 must be True or False"),
        ({"auxiliary": None}, TypeError, "auxiliary=None must be True or False"),
        ({"double_balance": 2}, TypeError, "double_balance=2 must be True or False"),
        ({"larger_early_batches": 0}, TypeError, "larger_early_batches=0 must be True or False"),
        ({"sequential": "yes"}, TypeError, "sequential='yes' must be True or False"),
        ({"n_hops": 1}, ValueError, "n_hops=1 must be at least 2"),
        ({"n_hops": 65}, ValueError, "n_hops=65 must be at most 64"),
        ({"n_hops": 10**5000}, ValueError, "n_hops=an int too long to be shown must be at most"),
        ({"n_hops": 2.5}, TypeError, "n_hops=2.5 must be a whole number or None"),
        ({"n_hops": True}, TypeError, "n_hops=True must be a whole number or None"),
        ({"max_entries": 1}, ValueError, "max_entries=1 must be at least 2"),
        ({"n_round_batches": None}, TypeError, "n_round_batches=None must be a whole number."),
        ({"n_round_batches": 0}, ValueError, "n_round_batches=0 must be at least 1"),
        ({"n_pool_batches": 0}, ValueError, "n_pool_batches=0 must be at least 1"),
        ({"n_pool_epochs": "2"}, TypeError, "n_pool_epochs='2' must be a whole number or None"),
        ({"min_iter": 0}, ValueError, "min_iter=0 must be at least 1"),
    ],
)
def test_a_fault_gets_one_sentence(given, error, message):
    with pytest.raises(error, match=message) as caught:
        SolverOptions(**given)
    assert str(caught.value).startswith("SolverOptions: ")
    assert str(caught.value).endswith(".")


def test_numpy_numbers_are_whole_numbers():
    assert SolverOptions(n_hops=np.int64(3)).n_hops == 3


def test_options_do_not_change():
    with pytest.raises(FrozenInstanceError):
        SolverOptions().n_hops = 3


@pytest.mark.parametrize(
    ("n_samples", "n_clusters", "expected"), [(10_992, 10, 100), (70_000, 10, 1000), (3, 2, 3)]
)
def test_automatic_batches_are_those_of_the_paper(n_samples, n_clusters, expected):
    assert Problem(n_clusters=n_clusters).samples_per_batch(n_samples) == expected


@pytest.mark.parametrize(
    ("n_clusters", "expected"), [(655, 65_500), (1000, 65_536), (2000, 100_000), (10_000, 320_291)]
)
def test_many_clusters_have_fewer_samples_each_in_a_batch(n_clusters, expected):
    problem = Problem(n_clusters=n_clusters)

    assert problem.samples_per_batch(1_281_167) == expected
    assert problem.samples_per_batch(1_281_167, early=True) == expected


def test_a_batch_has_no_more_samples_than_there_are():
    assert Problem(n_clusters=2, batch_size=100).samples_per_batch(30) == 30
    assert Problem(n_clusters=2, batch_size=7).samples_per_batch(30) == 7
