"""From outcomes to what is shown: means and deviations over seeds, beside the printed numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from statistics import mean, stdev

from graphpac.experiments.config import Experiment
from graphpac.experiments.data import paper_name
from graphpac.experiments.published import published_results
from graphpac.experiments.run import Outcome
from graphpac.experiments.trials import Place, places, trials_at

MARKED_DEVIATIONS = 3.0  # cells that differ by more are marked


@dataclass(frozen=True)
class Cell:
    """One measure of one place: ours over the seeds, and what the paper prints, if it does."""

    place: Place
    measure: str
    values: tuple[float, ...]
    printed: float | None = None
    printed_std: float | None = None

    @property
    def mean(self) -> float:
        """Mean over the seeds."""
        return mean(self.values)

    @property
    def std(self) -> float | None:
        """Standard deviation over the seeds; None of a single one."""
        return stdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        """Ours minus the printed mean."""
        return None if self.printed is None else self.mean - self.printed

    @property
    def is_marked(self) -> bool:
        """Whether the difference exceeds three standard deviations of both together."""
        if self.difference is None:
            return False
        spread = hypot(self.std or 0.0, self.printed_std or 0.0)
        # Numbers are printed with three decimals: less than half of the last one is no difference.
        return abs(self.difference) > max(MARKED_DEVIATIONS * spread, 0.0005)


def summarize(
    experiment: Experiment,
    outcomes: Mapping[str, Outcome],
    *,
    max_samples: int | None = None,
    features: Mapping[str, Path] | None = None,
) -> list[Cell]:
    """Return a cell for each place and measure, in the order of the experiment.

    Places of which no trial is finished are left out. Printed numbers stand beside whole data only.
    """
    cells = []
    for place in places(experiment):
        trials = trials_at(place, experiment, max_samples=max_samples)
        found = [outcomes[trial.key] for trial in trials if trial.key in outcomes]
        if not found:
            continue
        data = paper_name(place.dataset, features) if max_samples is None else None
        for measure in experiment.measures:
            values = tuple(getattr(outcome, measure) for outcome in found)
            printed = _printed(experiment.published, data, place.series.printed_label, measure)
            cells.append(Cell(place, measure, values, *printed))
    return cells


def mean_curve(outcomes: Sequence[Outcome]) -> list[float]:
    """Mean accuracy after each iteration; runs that ended early stay where they ended."""
    longest = max(len(outcome.accuracies) for outcome in outcomes)
    return [
        mean(outcome.accuracies[min(step, len(outcome.accuracies) - 1)] for outcome in outcomes)
        for step in range(longest)
    ]


def _printed(
    table: str, dataset: str | None, label: str, measure: str
) -> tuple[float | None, float | None]:
    for cell in published_results():
        if (cell.table, cell.dataset, cell.method, cell.metric) == (table, dataset, label, measure):
            return cell.mean, cell.std
    return None, None
