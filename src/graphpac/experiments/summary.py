"""From outcomes to what is shown: means and deviations over seeds, beside the printed numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, isfinite, nan
from pathlib import Path
from statistics import mean, stdev

from graphpac import methods
from graphpac.experiments.config import Experiment, Sweep
from graphpac.experiments.data import paper_name
from graphpac.experiments.outcomes import Failure, Found, Outcome
from graphpac.experiments.published import published_results
from graphpac.experiments.trials import Place, Trial, places, trials_at

MARKED_DEVIATIONS = 3.0  # cells that differ by more are marked
ITERATION = "iteration"


@dataclass(frozen=True)
class Cell:
    """One measure of one place: ours over the seeds, and what the paper prints, if it does.

    ``trials`` and ``values`` belong together; where every trial failed both are empty, and
    ``failures`` are the reasons. ``remark`` is what the paper prints instead of a number.
    """

    place: Place
    measure: str
    trials: tuple[Trial, ...]
    values: tuple[float, ...]
    printed: float | None = None
    printed_std: float | None = None
    remark: str = ""
    failures: tuple[str, ...] = ()

    @property
    def mean(self) -> float:
        """Mean over the seeds; not a number if every trial failed."""
        return mean(self.values) if self.values else nan

    @property
    def std(self) -> float | None:
        """Standard deviation over the seeds; None of a single one, or if one is not finite."""
        if len(self.values) < 2 or not isfinite(self.mean):
            return None
        return stdev(self.values)

    @property
    def difference(self) -> float | None:
        """Ours minus the printed mean."""
        return None if self.printed is None or not self.values else self.mean - self.printed

    @property
    def is_marked(self) -> bool:
        """Whether the difference exceeds three standard deviations of both together.

        They are the spread of single runs, which one run of a random method does not show.
        """
        is_spread_known = self.std is not None or self._is_exact
        if self.difference is None or not is_spread_known:
            return False
        spread = hypot(self.std or 0.0, self.printed_std or 0.0)
        # Numbers are printed with three decimals: less than half of the last one is no difference.
        return abs(self.difference) > max(MARKED_DEVIATIONS * spread, 0.0005)

    @property
    def _is_exact(self) -> bool:
        return methods.find(self.place.series.method).is_deterministic


def summarize(
    experiment: Experiment,
    found: Found,
    *,
    max_samples: int | None = None,
    features: Mapping[str, Path] | None = None,
    timed_on: str = "",
) -> list[Cell]:
    """Return a cell for each place and measure, in the order of the experiment.

    An experiment over the iterations has a place for each of them. Places of which no trial was
    tried are left out. Printed numbers stand beside whole data only.
    """
    cells: list[Cell] = []
    for place in places(experiment):
        asked = trials_at(
            place, experiment, max_samples=max_samples, features=features, timed_on=timed_on
        )
        done, outcomes, failures = _split(asked, found)
        if not (done or failures):
            continue
        if experiment.kind == "iterations":
            cells.extend(_iterations(place, done, outcomes, failures))
            continue
        data = paper_name(place.dataset, features) if max_samples is None else None
        for measure in experiment.measures:
            values = tuple(getattr(outcome, measure) for outcome in outcomes)
            printed = _printed(experiment.published, data, place.series.printed_label, measure)
            cells.append(Cell(place, measure, done, values, *printed, failures))
    return cells


def _iterations(
    place: Place, done: tuple[Trial, ...], outcomes: Sequence[Outcome], failures: tuple[str, ...]
) -> Iterator[Cell]:
    """Yield the accuracies after each iteration; runs that ended early stay where they ended."""
    longest = max((len(outcome.accuracies) for outcome in outcomes), default=1)
    steps = Sweep(parameter=ITERATION, label=ITERATION, values=tuple(range(1, longest + 1)))
    for step in range(longest):
        values = tuple(
            outcome.accuracies[min(step, len(outcome.accuracies) - 1)] for outcome in outcomes
        )
        at = replace(place, sweep=steps, value=step + 1)
        yield Cell(at, "ACC", done, values, failures=failures)


def _split(
    trials: Sequence[Trial], found: Found
) -> tuple[tuple[Trial, ...], list[Outcome], tuple[str, ...]]:
    tried = [(trial, found[trial.key]) for trial in trials if trial.key in found]
    done = [(trial, item) for trial, item in tried if isinstance(item, Outcome)]
    failures = tuple(item.reason for _, item in tried if isinstance(item, Failure))
    return tuple(trial for trial, _ in done), [outcome for _, outcome in done], failures


def _printed(
    table: str, dataset: str | None, label: str, measure: str
) -> tuple[float | None, float | None, str]:
    """Return mean, deviation and remark that a table of the paper prints."""
    for cell in published_results():
        if (cell.table, cell.dataset, cell.method, cell.metric) == (table, dataset, label, measure):
            return cell.mean, cell.std, cell.remark
    return None, None, ""
