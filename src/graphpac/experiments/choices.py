"""Which reading of the paper wins: each against another that differs in one point, seed by seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan, sqrt
from statistics import mean, stdev
from typing import Literal, TypeAlias, TypeVar, get_args

from scipy.special import stdtr

from graphpac.experiments.data import data_title
from graphpac.experiments.summary import Cell
from graphpac.experiments.tables import NOTHING, signed

Verdict: TypeAlias = Literal["better", "worse", "mixed", "no difference", "too few runs"]
LEVEL = 0.05  # chance of one false verdict or more on a data set, if nothing makes a difference
FEWEST_PAIRS = 5  # with fewer nobody can tell what the spread is
_DECIMALS = 9  # scores of equal labels under other names differ in their last bits

Key = TypeVar("Key")


@dataclass(frozen=True)
class Paired:
    """Mean difference over seeds that both have, its standard error, and a two-sided p-value."""

    difference: float
    error: float
    n_pairs: int
    p_value: float

    @classmethod
    def of(cls, differences: Sequence[float]) -> Paired:
        """Test whether differences are zero in the mean: Student's t."""
        difference, n_pairs = mean(differences), len(differences)
        error = stdev(differences) / sqrt(n_pairs) if n_pairs > 1 else nan
        return cls(difference, error, n_pairs, _p_value(difference, error, n_pairs))

    @property
    def is_tested(self) -> bool:
        """Whether there are pairs enough."""
        return self.n_pairs >= FEWEST_PAIRS

    @property
    def direction(self) -> int:
        """1 if significantly above zero, -1 if below, else 0."""
        if not self.is_tested or self.p_value > LEVEL:
            return 0
        return 1 if self.difference > 0.0 else -1

    def __str__(self) -> str:
        spread = f" ± {self.error:.3f}" if self.n_pairs > 1 else ""
        return f"{signed(self.difference)}{spread}"


@dataclass(frozen=True)
class Reading:
    """One reading on one data set; the p-values of its measures are corrected for all of them."""

    label: str
    against: str
    measures: Mapping[str, Paired]

    @property
    def n_pairs(self) -> int:
        """Number of seeds that both have."""
        return min((paired.n_pairs for paired in self.measures.values()), default=0)

    @property
    def verdict(self) -> Verdict:
        """Better or worse if some measure is significantly so and none the opposite."""
        if self.n_pairs < FEWEST_PAIRS:
            return "too few runs"
        directions = {paired.direction for paired in self.measures.values()} - {0}
        if not directions:
            return "no difference"
        if len(directions) > 1:
            return "mixed"
        return "better" if 1 in directions else "worse"


@dataclass(frozen=True)
class Comparison:
    """All readings on one data set; none where the first, which they stand against, has no runs."""

    dataset: str
    first: str
    readings: tuple[Reading, ...] = ()

    @property
    def title(self) -> str:
        """What stands above the table."""
        return f"{data_title(self.dataset)}, differences from {self.first!r}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Lay out differences with standard errors, pairs and verdict, a row for each reading."""
        measures = list(dict.fromkeys(name for item in self.readings for name in item.measures))
        rows = [
            [
                f"{item.label}{self._unlike_first(item)}",
                *(str(item.measures.get(name, NOTHING)) for name in measures),
                str(item.n_pairs),
                item.verdict,
            ]
            for item in self.readings
        ]
        return ["reading", *measures, "pairs", "verdict"], rows

    def sentence(self) -> str:
        """Say which readings win, and which lose."""
        title = data_title(self.dataset)
        if not self.readings:
            return f"{title}: no verdicts, since {self.first!r} has no finished runs there."
        pairs = sorted(item.n_pairs for item in self.readings)
        told = "; ".join(self._findings())
        return f"{title}, {_seeds(pairs[0], pairs[-1])}, against {self.first!r}: {told}."

    def _findings(self) -> Iterable[str]:
        better, worse, mixed, same, few = map(self._called, get_args(Verdict))
        n_readings = len(self.readings)
        if len(few) < n_readings:
            yield f"{', '.join(better) or 'no reading'} won"
        if worse:
            yield f"{', '.join(worse)} lost"
        if mixed:
            yield f"{', '.join(mixed)} won by one measure and lost by another"
        if few:
            yield f"{len(few)} of {n_readings} have fewer than {FEWEST_PAIRS} seeds and no verdict"
        if len(few) < n_readings:
            test = f"paired t-tests, corrected by Holm's method, level {LEVEL}"
            yield f"{len(same)} of {n_readings} made no significant difference ({test})"

    def _called(self, verdict: Verdict) -> list[str]:
        return [
            f"{item.label!r}{self._unlike_first(item)}"
            for item in self.readings
            if item.verdict == verdict
        ]

    def _unlike_first(self, reading: Reading) -> str:
        return "" if reading.against == self.first else f" (against {reading.against!r})"


def compare_readings(cells: Sequence[Cell], first: str) -> list[Comparison]:
    """Compare the readings on each data set with the series of the label ``first``.

    A series that names another one is compared with that.
    """
    datasets = dict.fromkeys(cell.place.dataset for cell in cells)
    return [
        _compare(dataset, [cell for cell in cells if cell.place.dataset == dataset], first)
        for dataset in datasets
    ]


def _compare(dataset: str, cells: Sequence[Cell], first: str) -> Comparison:
    scores = {(cell.place.series.label, cell.measure): _by_seed(cell) for cell in cells}
    if not any(values for (label, _), values in scores.items() if label == first):
        return Comparison(dataset, first)
    against = {
        cell.place.series.label: cell.place.series.against or first
        for cell in cells
        if cell.place.series.label != first
    }
    paired: dict[tuple[str, str], Paired] = {}
    for (label, measure), ours in scores.items():
        theirs = scores.get((against.get(label, ""), measure), {})
        if differences := _differences(ours, theirs):
            paired[label, measure] = Paired.of(differences)
    measures: dict[str, dict[str, Paired]] = {label: {} for label in against}
    for (label, measure), item in correct(paired).items():
        measures[label][measure] = item
    readings = (Reading(label, against[label], found) for label, found in measures.items())
    return Comparison(dataset, first, tuple(readings))


def correct(paired: Mapping[Key, Paired]) -> dict[Key, Paired]:
    """Correct p-values for the number of tests by Holm's method, which any dependence allows."""
    tested = sorted(
        (key for key, item in paired.items() if item.is_tested),
        key=lambda key: paired[key].p_value,
    )
    corrected = dict(paired)
    largest = 0.0
    for rank, key in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - rank) * paired[key].p_value))
        corrected[key] = replace(paired[key], p_value=largest)
    return corrected


def _p_value(difference: float, error: float, n_pairs: int) -> float:
    if n_pairs < FEWEST_PAIRS or difference == 0.0:
        return 1.0
    # The same difference for every seed is beyond doubt.
    t = abs(difference) / error if error > 0.0 else inf
    return float(2.0 * stdtr(n_pairs - 1, -t))


def _differences(ours: Mapping[int, float], theirs: Mapping[int, float]) -> list[float]:
    shared = sorted(ours.keys() & theirs.keys())
    return [round(ours[seed] - theirs[seed], _DECIMALS) for seed in shared]


def _by_seed(cell: Cell) -> dict[int, float]:
    pairs = zip(cell.trials, cell.values, strict=True)
    return {trial.seed: value for trial, value in pairs if isfinite(value)}


def _seeds(fewest: int, most: int) -> str:
    if fewest < most:
        return f"{fewest} to {most} seeds"
    return "1 seed" if most == 1 else f"{most} seeds"
