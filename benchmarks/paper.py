"""The tables and figures of the paper, as committed: CSV, pictures, a page of the documentation.

``python -m benchmarks.paper JOURNAL...`` takes what ``graphpac reproduce`` left in one folder or
several; where two journals hold the same trial, the later one counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT
from benchmarks.tables import fill_marks
from graphpac.experiments.config import Experiment, experiment_names, load_experiment
from graphpac.experiments.reproduce import Reproduced, drawn
from graphpac.experiments.run import Outcome, read_outcomes
from graphpac.experiments.summary import Cell, summarize
from graphpac.experiments.tables import csv_rows, csv_text
from graphpac.io.journal import read_entries

RESULTS = ROOT / "benchmarks" / "results" / "paper"
DOCS = ROOT / "docs"
PAGE = "paper-results.md"
IMAGES = "images/paper"
DOTS_PER_INCH = 100  # pictures stay below 150 kB


@dataclass(frozen=True)
class Journals:
    """What some journals hold, by the key of the trial."""

    outcomes: Mapping[str, Outcome]
    entries: Mapping[str, Mapping[str, Any]]

    @property
    def n_seeds(self) -> int:
        """One more than the largest seed."""
        return 1 + max((entry["trial"]["seed"] for entry in self.entries.values()), default=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journals", nargs="+", type=Path, metavar="JOURNAL")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=DOCS)
    asked = parser.parse_args()
    for name in write_paper(read_journals(asked.journals), asked.results, asked.docs):
        print(name)


def read_journals(paths: Iterable[Path]) -> Journals:
    outcomes: dict[str, Outcome] = {}
    entries: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        outcomes |= read_outcomes(path)
        entries |= {entry["key"]: entry for entry in read_entries(path) if "outcome" in entry}
    return Journals(outcomes, entries)


def write_paper(journals: Journals, results: Path, docs: Path) -> list[str]:
    """Write everything of the experiments the journals tell about; return their names."""
    results.mkdir(parents=True, exist_ok=True)
    (docs / IMAGES).mkdir(parents=True, exist_ok=True)
    written = []
    for name in experiment_names():
        experiment = every_seed(load_experiment(name), journals.n_seeds)
        item = Reproduced(experiment, summarize(experiment, journals.outcomes))
        if not item.cells:
            continue
        rows = committed_rows(item.cells, journals.entries)
        (results / f"{name}.csv").write_text(csv_text(rows), encoding="utf-8")
        if item.figure is not None:
            picture = drawn(item.figure, "png", dots_per_inch=DOTS_PER_INCH)
            (docs / IMAGES / f"{name}.png").write_bytes(picture)
        fill_marks(docs / PAGE, name, f"{_shown(item)}\n\n{conditions(rows)}")
        written.append(name)
    return written


def every_seed(experiment: Experiment, n_seeds: int) -> Experiment:
    """Return the experiment with all seeds that were run, however many it asks for."""
    series = tuple(replace(item, runs=None) for item in experiment.series)
    return replace(experiment, runs=n_seeds, series=series)


def committed_rows(
    cells: Sequence[Cell], entries: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return a row for each cell: what it shows, the values of its seeds, when and on what."""
    rows = []
    for cell, row in zip(cells, csv_rows(cells), strict=True):
        told = [entries[trial.key] for trial in cell.trials]
        days = sorted(entry["when"][:10] for entry in told)
        row |= {
            "seeds": " ".join(str(trial.seed) for trial in cell.trials),
            "values": " ".join(f"{value:.4f}" for value in cell.values),
            "first": days[0],
            "last": days[-1],
            "machine": "; ".join(dict.fromkeys(map(_machine, told))),
            "versions": "; ".join(dict.fromkeys(map(_versions, told))),
        }
        rows.append(row)
    return rows


def conditions(rows: Sequence[Mapping[str, str]]) -> str:
    """Tell how many runs there were, when, and on what."""
    numbers = sorted({int(row["runs"]) for row in rows})
    runs = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    first, last = min(row["first"] for row in rows), max(row["last"] for row in rows)
    days = first if first == last else f"{first} to {last}"
    machines, versions = ("; ".join(dict.fromkeys(row[name] for row in rows)) for name in _SEEN)
    return f"*Seeds: {runs}. Measured {days} on {machines}, {versions}.*"


_SEEN = ("machine", "versions")


def _machine(entry: Mapping[str, Any]) -> str:
    if "processor" not in entry:  # records of before it was asked for
        return str(entry["machine"])
    return f"{entry['cores']} cores ({entry['processor']}), {entry['machine']}"


def _versions(entry: Mapping[str, Any]) -> str:
    return ", ".join(f"{package} {number}" for package, number in entry["versions"].items())


def _shown(item: Reproduced) -> str:
    if item.figure is None:
        return item.markdown()
    title = item.experiment.title
    picture = f"![{title}]({IMAGES}/{item.experiment.name}.png)"
    return (
        f"{picture}\n\n<details><summary>The numbers</summary>\n\n{item.markdown()}\n\n</details>"
    )


if __name__ == "__main__":
    main()
