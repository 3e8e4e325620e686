"""What journals hold: what every trial found, and when and on what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graphpac.experiments.config import Experiment
from graphpac.experiments.outcomes import Failure, Found, Outcome, outcomes_of
from graphpac.experiments.summary import Cell
from graphpac.experiments.tables import csv_rows
from graphpac.io.journal import read_entries

_MACHINE, _VERSIONS = "machine", "versions"


@dataclass(frozen=True)
class Records:
    """What some journals hold, by the key of the trial."""

    found: Found
    entries: Mapping[str, Mapping[str, Any]]

    @property
    def timed_on(self) -> str:
        """The conditions of the timed trial that was written last; a figure shows one machine."""
        told = [entry["trial"].get("timed_on", "") for entry in self.entries.values()]
        return next(filter(None, reversed(told)), "")

    def every_seed(self, experiment: Experiment) -> Experiment:
        """Return the experiment with all seeds that were run, however many it asks for."""
        n_seeds = 1 + max((entry["trial"]["seed"] for entry in self.entries.values()), default=0)
        series = tuple(replace(item, runs=None) for item in experiment.series)
        return replace(experiment, runs=n_seeds, series=series)

    def rows_of(self, cells: Sequence[Cell]) -> list[dict[str, str]]:
        """Return a row for each cell: what it shows, the values of its seeds, when and on what."""
        rows = []
        for cell, row in zip(cells, csv_rows(cells), strict=True):
            told = [self.entries[trial.key] for trial in cell.trials]
            days = sorted(entry["when"][:10] for entry in told) or [""]
            row |= {
                "seeds": " ".join(str(trial.seed) for trial in cell.trials),
                "values": " ".join(f"{value:.4f}" for value in cell.values),
                "first": days[0],
                "last": days[-1],
                _MACHINE: "; ".join(dict.fromkeys(map(_machine, told))),
                _VERSIONS: "; ".join(dict.fromkeys(map(_versions, told))),
            }
            rows.append(row)
        return rows


def read_records(journals: Iterable[Path]) -> Records:
    """Read journals; where two hold the same trial, the later one counts, but never a failure."""
    found: dict[str, Outcome | Failure] = {}
    entries: dict[str, Mapping[str, Any]] = {}
    for path in journals:
        lines = read_entries(path)
        outcomes = outcomes_of(lines, path)
        for entry in lines:
            key = str(entry.get("key"))
            if key in outcomes and "outcome" in entry:
                entries[key] = entry
            elif "failure" in entry:
                found.setdefault(key, Failure(entry["failure"]))
        found |= outcomes
    return Records(found, entries)


def conditions(rows: Sequence[Mapping[str, str]]) -> str:
    """Tell how many runs there were, when, and on what."""
    done = [row for row in rows if row["first"]]
    if not done:
        return ""
    numbers = sorted({int(row["runs"]) for row in done})
    runs = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    first, last = min(row["first"] for row in done), max(row["last"] for row in done)
    days = first if first == last else f"{first} to {last}"
    machines, versions = (
        "; ".join(dict.fromkeys(row[name] for row in done)) for name in (_MACHINE, _VERSIONS)
    )
    return f"Seeds: {runs}. Measured {days} on {machines}, {versions}."


def _machine(entry: Mapping[str, Any]) -> str:
    if "processor" not in entry:  # records of before it was asked for
        return str(entry["machine"])
    return f"{entry['cores']} cores ({entry['processor']}), {entry['machine']}"


def _versions(entry: Mapping[str, Any]) -> str:
    return ", ".join(f"{package} {number}" for package, number in entry["versions"].items())
