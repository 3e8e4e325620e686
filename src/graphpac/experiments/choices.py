"""Which reading of the paper wins: each against the first, paired by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Literal, TypeAlias

from graphpac.experiments.data import data_title
from graphpac.experiments.summary import Cell
from graphpac.experiments.tables import signed

Verdict: TypeAlias = Literal["better", "worse", "mixed", "no difference"]
CLEAR = 2.0  # standard errors


@dataclass(frozen=True)
class Paired:
    """Mean difference over seeds that both have, and its standard error."""

    difference: float
    error: float
    n_pairs: int

    @property
    def direction(self) -> int:
        """1 if clearly above zero, -1 if clearly below, else 0."""
        if abs(self.difference) <= CLEAR * self.error:
            return 0
        return 1 if self.difference > 0.0 else -1


@dataclass(frozen=True)
class Reading:
    """One reading on one data set, against the first of the experiment."""

    dataset: str
    label: str
    against: str
    measures: Mapping[str, Paired]

    @property
    def verdict(self) -> Verdict:
        """Better or worse if some measure is clearly so and none clearly the opposite."""
        directions = {paired.direction for paired in self.measures.values()} - {0}
        if directions == {1, -1}:
            return "mixed"
        if not directions:
            return "no difference"
        return "better" if 1 in directions else "worse"


def compare_readings(cells: Sequence[Cell]) -> list[Reading]:
    """Compare every series with the first, on each data set, where both ran two seeds at least."""
    readings: dict[tuple[str, str], dict[str, Paired]] = {}
    first = cells[0].place.series.label if cells else ""
    defaults = {
        (cell.place.dataset, cell.measure): cell
        for cell in cells
        if cell.place.series.label == first
    }
    for cell in cells:
        default = defaults.get((cell.place.dataset, cell.measure))
        if default is None or cell.place.series.label == first:
            continue
        if (paired := _pair(cell, default)) is not None:
            key = (cell.place.dataset, cell.place.series.label)
            readings.setdefault(key, {})[cell.measure] = paired
    return [Reading(*key, first, measures) for key, measures in readings.items()]


def readings_table(readings: Sequence[Reading]) -> tuple[list[str], list[list[str]]]:
    """Lay out differences with their standard errors and the verdict, a row for each reading."""
    measures = list(readings[0].measures)
    rows = [
        [
            reading.label,
            *(
                f"{signed(paired.difference)} ± {paired.error:.3f}"
                for paired in reading.measures.values()
            ),
            reading.verdict,
        ]
        for reading in readings
    ]
    return ["reading", *measures, "verdict"], rows


def closing_sentence(readings: Sequence[Reading]) -> str:
    """Say which readings of one data set win, and which lose."""
    named = {
        verdict: [reading.label for reading in readings if reading.verdict == verdict]
        for verdict in ("better", "worse", "mixed", "no difference")
    }
    first = readings[0]
    wins = f"{_list(named['better'])} won" if named["better"] else "no reading won"
    parts = [f"{wins} against {first.against!r}"]
    if named["worse"]:
        parts.append(f"{_list(named['worse'])} lost")
    if named["mixed"]:
        parts.append(f"{_list(named['mixed'])} won by one measure and lost by another")
    n_same = len(named["no difference"])
    parts.append(
        f"{n_same} of {len(readings)} made no difference beyond {CLEAR:.0f} standard errors"
    )
    fewest = min(paired.n_pairs for reading in readings for paired in reading.measures.values())
    return f"{data_title(first.dataset)}, {fewest} seeds: {'; '.join(parts)}."


def by_dataset(readings: Sequence[Reading]) -> dict[str, list[Reading]]:
    """Group readings by their data set."""
    groups: dict[str, list[Reading]] = {}
    for reading in readings:
        groups.setdefault(reading.dataset, []).append(reading)
    return groups


def _pair(cell: Cell, default: Cell) -> Paired | None:
    ours = _by_seed(cell)
    theirs = _by_seed(default)
    differences = [ours[seed] - theirs[seed] for seed in sorted(ours.keys() & theirs.keys())]
    if len(differences) < 2:
        return None
    error = stdev(differences) / sqrt(len(differences))
    return Paired(mean(differences), error, len(differences))


def _by_seed(cell: Cell) -> dict[int, float]:
    return {trial.seed: value for trial, value in zip(cell.trials, cell.values, strict=True)}


def _list(labels: Sequence[str]) -> str:
    return ", ".join(repr(label) for label in labels)
