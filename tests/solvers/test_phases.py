"""Where a run is in its phases, read off its history."""

from dataclasses import dataclass, replace

import pytest

from graphpac.solvers import IterationRecord, Problem, SolverOptions
from graphpac.solvers.phases import RampPhase, Standing, phases_of, standing_after


@dataclass(frozen=True)
class Phase:
    """Ends when a change is small, or after so many iterations."""

    max_iter: int

    def rule(self, n_done):
        raise NotImplementedError

    def is_early(self, n_done):
        raise NotImplementedError

    def lets_rest(self, n_done):
        raise NotImplementedError

    def is_settled(self, n_done, change):
        return change < 0.1


def history(*changes):
    record = IterationRecord(1, 0.0, 0.0, 0.0, (), 0.0)
    return [replace(record, iteration=t + 1, change=c) for t, c in enumerate(changes)]


FIRST, SECOND = Phase(3), Phase(2)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ((), Standing(FIRST, 0, converged=False)),
        ((1.0, 1.0), Standing(FIRST, 2, converged=False)),
        ((1.0, 1.0, 1.0), Standing(SECOND, 0, converged=False)),
        ((1.0, 0.0), Standing(SECOND, 0, converged=False)),
        ((0.0, 1.0), Standing(SECOND, 1, converged=False)),
        ((0.0, 0.0), Standing(None, 0, converged=True)),
        ((0.0, 1.0, 0.0), Standing(None, 0, converged=True)),
        ((1.0, 1.0, 1.0, 1.0, 1.0), Standing(None, 0, converged=False)),
    ],
)
def test_a_phase_follows_when_the_one_before_is_settled_or_at_its_end(changes, expected):
    assert standing_after((FIRST, SECOND), history(*changes)) == expected


def test_the_published_method_is_the_ramp():
    problem, options = Problem(n_clusters=3, max_iter=20), SolverOptions()
    (ramp,) = phases_of(problem, options)
    assert ramp == RampPhase(problem, options)
    assert [ramp.rule(t).local_weight for t in (0, 10, 19)] == [0.0, 0.5, 0.95]
    assert [ramp.is_early(t) for t in (3, 4)] == [True, False]


def test_samples_rest_after_the_first_iterations_but_for_one_of_eight():
    problem = Problem(n_clusters=3, max_iter=20)
    rests = [
        RampPhase(problem, SolverOptions(resting=True)).lets_rest(n_done) for n_done in range(20)
    ]
    assert [n_done for n_done in range(20) if not rests[n_done]] == [0, 1, 8, 16]
    assert not any(RampPhase(problem, SolverOptions()).lets_rest(t) for t in range(20))


@pytest.mark.parametrize(
    ("local_weight", "min_iter", "fewest"), [("ramp", None, 10), (0.5, None, 5), ("ramp", 7, 7)]
)
def test_a_small_change_ends_the_ramp_after_some_iterations_only(local_weight, min_iter, fewest):
    problem = Problem(n_clusters=3, max_iter=20, local_weight=local_weight, tol=0.01)
    ramp = RampPhase(problem, SolverOptions(min_iter=min_iter))
    assert not ramp.is_settled(fewest - 1, 0.0)
    assert ramp.is_settled(fewest, 0.01)
    assert not ramp.is_settled(fewest, 0.02)
