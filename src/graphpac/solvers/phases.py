"""The phases of a run, one after the other: which rule an iteration follows, and when it is enough.

What comes next is read off the history alone, so that a run that was left goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from graphpac.kernels.batches import Rule
from graphpac.solvers.options import Problem, SolverOptions
from graphpac.solvers.result import IterationRecord
from graphpac.solvers.schedules import local_weight_at

WAKING = 8  # of so many iterations one leaves nobody out


class Phase(Protocol):
    """Iterations that belong together; ``n_done`` counts those that were made."""

    @property
    def max_iter(self) -> int:
        """Largest number of its iterations."""

    def rule(self, n_done: int) -> Rule:
        """Return the numbers of the next iteration's update."""

    def is_early(self, n_done: int) -> bool:
        """Tell whether the next iteration takes larger batches."""

    def lets_rest(self, n_done: int) -> bool:
        """Tell whether the next iteration leaves out samples in the midst of their cluster."""

    def is_settled(self, n_done: int, change: float) -> bool:
        """Tell whether so small a last change ends the phase before its time."""


class Standing(NamedTuple):
    """The phase a run is in, None after the last, how far in, and whether the last one settled."""

    phase: Phase | None
    n_done: int
    converged: bool


def standing_after(phases: Sequence[Phase], history: Sequence[IterationRecord]) -> Standing:
    """Find where in its phases a run is after the iterations it made."""
    first = 0
    converged = False
    for phase in phases:
        n_done, converged = 0, False
        for record in history[first : first + phase.max_iter]:
            n_done += 1
            converged = phase.is_settled(n_done, record.change)
            if converged:
                break
        if not converged and n_done < phase.max_iter:
            return Standing(phase, n_done, converged=False)
        first += n_done
    return Standing(None, 0, converged)


def phases_of(problem: Problem, options: SolverOptions) -> tuple[Phase, ...]:
    """Return the phases of a run: the ramp and no other."""
    return (RampPhase(problem, options),)


@dataclass(frozen=True)
class RampPhase:
    """Algorithm 2, its local weight rising from 0 to almost 1, or as high as the problem says."""

    problem: Problem
    options: SolverOptions

    @property
    def max_iter(self) -> int:
        """Largest number of its iterations, and the length of the ramp."""
        return self.problem.max_iter

    def rule(self, n_done: int) -> Rule:
        """Return the numbers of the next iteration's update."""
        problem, options = self.problem, self.options
        exponent = 1.0 / (problem.fuzziness - 1.0)
        if options.exponent == "truncated":
            exponent = float(int(exponent))
        alpha = float(problem.alpha)
        least_shift, most_shift = _shift_bounds(options)
        local_weight = local_weight_at(
            n_done,
            problem.max_iter,
            problem.local_weight,
            ramp="weight" if options.ramp == "auto" else options.ramp,
        )
        return Rule(
            n_clusters=problem.n_clusters,
            alpha=alpha,
            hard_alpha=alpha / 2.0 if options.double_balance else alpha,
            exponent=exponent,
            excess=float(problem.fuzziness) - 1.0 if options.auxiliary else 0.0,
            local_weight=float(local_weight),
            least_shift=least_shift,
            most_shift=most_shift,
            auxiliary=options.auxiliary,
        )

    def is_early(self, n_done: int) -> bool:
        """Tell whether the next iteration is in the first fifth."""
        return n_done < self.max_iter // 5

    def lets_rest(self, n_done: int) -> bool:
        """Tell whether samples may rest: now and then all are updated, and in the beginning."""
        return self.options.resting is True and n_done >= 2 and n_done % WAKING != 0

    def is_settled(self, n_done: int, change: float) -> bool:
        """Tell whether the change is small, and not for a low local weight, which settles early."""
        fewest = self.options.min_iter
        if fewest is None:
            fewest = self.max_iter // 2 if self.problem.local_weight == "ramp" else 5
        return change <= self.problem.tol and n_done >= fewest


def _shift_bounds(options: SolverOptions) -> tuple[float, float]:
    """Find the bounds of the shift of Eq. 44, which the paper's run without V leaves out."""
    shift = options.shift
    if shift == "auto":
        shift = "always" if options.auxiliary else "never"
    return {"always": (-np.inf, np.inf), "raise": (0.0, np.inf), "never": (0.0, 0.0)}[shift]
