"""Lines of the convergence chart, as coordinates of a drawing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from graphpac._typing import AnyArray
from graphpac.report.facts import ReportFacts

_SMALLEST_CHANGE = 1e-6  # a change of zero has no logarithm


class Tick(NamedTuple):
    """A mark on an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class ConvergenceCurve:
    """Change and local weight of each iteration; the change on a scale of powers of ten."""

    note: str
    change_points: str
    weight_points: str
    change_ticks: list[Tick]
    weight_ticks: list[Tick]
    iteration_ticks: list[Tick]
    tol_at: float | None
    width: int = 640
    height: int = 296
    left: int = 68
    right: int = 600
    bottom: int = 240


def convergence_curve(facts: ReportFacts) -> ConvergenceCurve:
    """Draw how the fit came to its end."""
    box = ConvergenceCurve
    changes = np.maximum(facts.changes, _SMALLEST_CHANGE)
    top, n_iterations = 28, changes.size
    low = math.floor(math.log10(min(changes.min(), max(facts.tol, _SMALLEST_CHANGE))))
    high = max(math.ceil(math.log10(changes.max())), low + 1)

    def across(iteration: float) -> float:
        return box.left + (box.right - box.left) * (iteration - 1) / max(n_iterations - 1, 1)

    def down(share: float) -> float:
        return box.bottom - (box.bottom - top) * share

    def down_by_power(change: float) -> float:
        return down((math.log10(change) - low) / (high - low))

    steps = np.unique(np.linspace(1, n_iterations, min(n_iterations, 6)).round().astype(int))
    return ConvergenceCurve(
        note=_note(facts),
        change_points=_points(changes, across, down_by_power),
        weight_points=_points(facts.local_weights, across, down),
        change_ticks=[
            Tick(down_by_power(10.0**power), f"{10.0**power:g}") for power in range(low, high + 1)
        ],
        weight_ticks=[Tick(down(share), f"{share:g}") for share in (0.0, 0.5, 1.0)],
        iteration_ticks=[Tick(across(step), str(step)) for step in steps.tolist()],
        tol_at=down_by_power(facts.tol) if facts.tol >= _SMALLEST_CHANGE else None,
    )


def _points(
    values: AnyArray, across: Callable[[float], float], down: Callable[[float], float]
) -> str:
    numbered = enumerate(values.tolist(), start=1)
    return " ".join(f"{across(number):.1f},{down(value):.1f}" for number, value in numbered)


def _note(facts: ReportFacts) -> str:
    first, last = facts.changes[0], facts.changes[-1]
    end = "was reached" if facts.converged else "was not reached, as is usual"
    return (
        f"{facts.changes.size} iterations. The mean change of a row of memberships went from "
        f"{first:.3g} to {last:.3g}, the weight of a row's neighbors from "
        f"{facts.local_weights[0]:.2f} to {facts.local_weights[-1]:.2f}; tol = {facts.tol:g} {end}."
    )
