"""From measurements to Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.machine import Machine
from benchmarks.measure import Measurement, TimedFit
from benchmarks.startup import Startup

STAGES = ("graph", "start", "optimize", "choose")
BUSY = 0.5  # load before the run above which its seconds deserve a word


def speed_table(measurements: Sequence[Measurement]) -> str:
    """One row for each data set and contender."""
    rows = [
        [
            item.dataset,
            item.contender,
            f"{item.typical('seconds'):.2f}",
            f"{item.peak:.0f} ({item.baseline:.0f})",
            *(f"{item.typical(name):.3f}" for name in ("nmi", "acc", "ari")),
            f"{item.typical('noise'):.1%}",
            f"{item.typical('n_clusters'):.0f}",
        ]
        for item in measurements
    ]
    head = ["data", "method", "seconds", "peak MB (before)"]
    head += ["NMI", "ACC", "ARI", "left out", "clusters"]
    return markdown_table(head, rows, n_names=2)


def ratio_table(measurements: Sequence[Measurement]) -> str:
    """Stages of GPAC, and its time in multiples of the others', for each data set."""
    peers = list(dict.fromkeys(m.contender for m in measurements if m.contender != "GPAC"))
    seconds = {(m.dataset, m.contender): m.typical("seconds") for m in measurements}
    rows = []
    for item in measurements:
        if item.contender != "GPAC":
            continue
        own = seconds[item.dataset, "GPAC"]
        ratios = [
            f"{own / seconds[item.dataset, peer]:.2f}" if (item.dataset, peer) in seconds else "-"
            for peer in peers
        ]
        rows.append([item.dataset, *(f"{item.typical(stage):.2f}" for stage in STAGES), *ratios])
    head = ["GPAC on", *(f"{stage} s" for stage in STAGES), *(f"time / {peer}" for peer in peers)]
    return markdown_table(head, rows)


def startup_table(startup: Startup) -> str:
    """List what a user waits for before the first result."""
    rows = [
        ["`import graphpac`", f"{startup.import_package:.3f}"],
        ["`from graphpac import GPAC`", f"{startup.import_estimator:.2f}"],
        ["`import sklearn.cluster`", f"{startup.import_sklearn:.2f}"],
        ["`graphpac fit --help`", f"{startup.help_of_fit:.2f}"],
        ["first fit ever (digits, compiling)", f"{startup.first_fit_ever:.2f}"],
        ["first fit of a process (digits, compiled before)", f"{startup.first_fit_warm:.2f}"],
    ]
    return markdown_table(["in a new process", "CPU seconds"], rows)


def report(
    measurements: Sequence[Measurement], startup: Startup | None, machine: Machine, command: str
) -> str:
    """All tables, with what one must know to read them."""
    n_seeds = len(measurements[0].runs)
    typical = f"Medians of {n_seeds} seeds" if n_seeds > 1 else "One seed"
    busy = f" The machine was busy: load {machine.load:.1f} before the run." * (machine.load > BUSY)
    notes = (
        f"{typical}, each method in its own process after one fit to warm up, all "
        "in one run, with the true number of clusters and the same float32 rows. Rows left out "
        "count as one cluster more in the scores. Memory is the peak of the process, in brackets "
        f"that before the first fit.{busy} Measured by `{command}` on {machine}."
    )
    parts = [speed_table(measurements), ratio_table(measurements)]
    if startup is not None:
        parts.append(startup_table(startup))
    return "\n\n".join([*parts, notes]) + "\n"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, n_names: int = 1) -> str:
    """Lay out columns of names, aligned to the left, and then of numbers, to the right."""
    widths = [max(len(line[place]) for line in (head, *rows)) for place in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if place < n_names else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [
        "-" * width if place < n_names else "-" * (width - 1) + ":"
        for place, width in enumerate(widths)
    ]
    return "\n".join([line(head), line(rule), *map(line, rows)])


def fit_columns(item: Measurement, run: TimedFit) -> dict[str, Any]:
    """Return what is known of one timed fit, by the names of columns."""
    columns = {"dataset": item.dataset, "contender": item.contender, **asdict(run)}
    stages = columns.pop("stages")
    columns |= {f"{stage}_seconds": stages.get(stage, "") for stage in STAGES}
    return {**columns, "baseline_mb": item.baseline, "peak_mb": item.peak}


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a line for each row; what a row does not have stays empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_json(
    path: Path,
    measurements: Sequence[Measurement],
    startup: Startup | None,
    machine: Machine,
    command: str,
) -> None:
    """Everything that was measured, and on what."""
    content = {
        "command": command,
        "machine": asdict(machine),
        "startup": None if startup is None else asdict(startup),
        "measurements": [asdict(item) for item in measurements],
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def fill_marks(path: Path, name: str, text: str) -> None:
    """Replace what stands between the two marks of a name."""
    start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    old = path.read_text(encoding="utf-8")
    before, found_start, rest = old.partition(start)
    _, found_end, after = rest.partition(end)
    if not (found_start and found_end):
        msg = f"{path} must hold the marks {start} and {end}, in this order."
        raise ValueError(msg)
    new = f"{before}{start}\n\n{text.strip()}\n\n{end}{after}"
    path.write_text(new, encoding="utf-8")
