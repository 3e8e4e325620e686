"""Markdown and CSV of the suites; who failed is shown with the reason."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.contenders import Contender
from benchmarks.findings import Finding
from benchmarks.measure import Measurement
from benchmarks.records import Record
from benchmarks.tables import BUSY, PHASES, markdown_table

NOTHING = "-"
RUN_COLUMNS = (
    "seconds",
    "cpu_seconds",
    "nmi",
    "acc",
    "ari",
    "noise",
    "n_clusters",
    "n_iter",
    "recall",
)


def methods_table(contenders: Mapping[str, Contender], names: Sequence[str]) -> str:
    """How each method was set."""
    rows = [[name, contenders[name].setting] for name in names]
    return markdown_table(["method", "settings"], rows, n_names=2)


def full_table(findings: Sequence[Finding]) -> str:
    """One row for each data set and method, with everything that was measured."""
    columns: dict[str, Callable[[Measurement], str]] = {
        "seconds": lambda item: _seconds(item.typical("seconds")),
        "CPU s": lambda item: _seconds(item.typical("cpu_seconds")),
        "peak MB (before)": lambda item: f"{item.peak:.0f} ({item.baseline:.0f})",
        "NMI": lambda item: f"{item.typical('nmi'):.3f}",
        "ACC": lambda item: f"{item.typical('acc'):.3f}",
        "ARI": lambda item: f"{item.typical('ari'):.3f}",
        "left out": lambda item: f"{item.typical('noise'):.1%}",
        "clusters": lambda item: f"{item.typical('n_clusters'):.0f}",
        "iterations": lambda item: _number(item.typical("n_iter"), ".0f"),
    }
    rows = []
    for finding in findings:
        names = [finding.dataset, finding.contender]
        if finding.measurement is None:
            rows.append([*names, finding.reason, *[NOTHING] * (len(columns) - 1)])
        else:
            rows.append([*names, *(show(finding.measurement) for show in columns.values())])
    return markdown_table(["data", "method", *columns], rows, n_names=2)


def growth_tables(findings: Sequence[Finding]) -> str:
    """Seconds, memory, NMI and noise with a column for each number of rows."""
    shown: dict[str, Callable[[Measurement], str]] = {
        "seconds": lambda item: _seconds(item.typical("seconds")),
        "peak GB": lambda item: f"{item.peak / 1000:.2f}",
        "NMI": lambda item: f"{item.typical('nmi'):.3f}",
        "left out": lambda item: f"{item.typical('noise'):.1%}",
    }
    sizes = sorted({finding.n_samples for finding in findings})
    methods = list(dict.fromkeys(finding.contender for finding in findings))
    at = {(finding.contender, finding.n_samples): finding for finding in findings}

    def cell(method: str, size: int, name: str) -> str:
        finding = at.get((method, size))
        if finding is None:
            return NOTHING
        if finding.measurement is None:
            # The reason once is enough: the seconds come first.
            return _brief(finding.reason) if name == "seconds" else NOTHING
        return shown[name](finding.measurement)

    parts = []
    for name in shown:
        rows = [[method, *(cell(method, size, name) for size in sizes)] for method in methods]
        parts.append(markdown_table([name, *(f"{size:,} rows" for size in sizes)], rows))
    return "\n\n".join(parts)


def phases_table(findings: Sequence[Finding]) -> str:
    """Where the time of GPAC goes, and what share of the true neighbors its graph holds."""
    rows = []
    for finding in findings:
        item = finding.measurement
        if item is None or not finding.contender.startswith("GPAC"):
            continue
        seconds = [_seconds(item.typical(phase)) for phase in PHASES]
        n_iter, recall = item.typical("n_iter"), item.typical("recall")
        cells = [*seconds, _number(n_iter, ".0f"), _number(recall, ".3f")]
        rows.append([finding.dataset, finding.contender, *cells])
    head = ["data", "method", *(f"{phase} s" for phase in PHASES), "iterations", "graph recall"]
    return markdown_table(head, rows, n_names=2)


def threads_table(findings: Sequence[Finding]) -> str:
    """Seconds of the optimize phase, what twice the rows change and what more threads do."""
    sizes = sorted({finding.n_samples for finding in findings})
    methods = list(dict.fromkeys(finding.contender for finding in findings))
    seconds: dict[tuple[str, int], float] = {}
    shown: dict[tuple[str, int], str] = {}
    for finding in findings:
        place = finding.contender, finding.n_samples
        item = finding.measurement
        seconds[place] = float("nan") if item is None else item.typical("optimize")
        shown[place] = _brief(finding.reason) if item is None else _seconds(seconds[place])

    def ratio(above: tuple[str, int], below: tuple[str, int]) -> str:
        unknown = float("nan")
        return _number(seconds.get(above, unknown) / seconds.get(below, unknown), ".2f")

    rows = [
        [
            method,
            *(shown.get((method, size), NOTHING) for size in sizes),
            ratio((method, sizes[-1]), (method, sizes[0])),
        ]
        for method in methods
    ]
    speedups = [ratio((methods[0], size), (methods[-1], size)) for size in sizes]
    rows.append([f"{methods[0]} / {methods[-1]}", *speedups, ""])
    head = ["optimize, s", *(f"{size:,} rows" for size in sizes), "last / first"]
    return markdown_table(head, rows)


def conditions(records: Sequence[Record], shown: str = "Medians") -> str:
    """Tell what one must know to read the tables, which show medians or something else."""
    n_seeds = len({record.seed for record in records})
    typical = f"{shown} of {n_seeds} seeds" if n_seeds > 1 else "One seed"
    days = sorted(record.when[:10] for record in records)
    period = " to ".join(dict.fromkeys((days[0], days[-1])))
    limits = {(record.limits.seconds, record.limits.gigabytes) for record in records}
    within = " or ".join(f"{seconds:g} s and {size:g} GB" for seconds, size in sorted(limits))
    commits = ", ".join(sorted({record.commit for record in records if record.commit}))
    loads = [record.machine.load for record in records if record.measurement is not None]
    n_busy = sum(load > BUSY for load in loads)
    text = (
        f"{typical}, a process for each fit, which may take {within}. Measured {period} on "
        f"{records[-1].machine}."
    )
    if commits:
        text += f" Source: {commits}."
    if n_busy:
        text += (
            f" The load was above {BUSY:g} before {n_busy} of {len(loads)} fits, up to "
            f"{max(loads):.1f}; the fit before may be a part of it."
        )
    return text


def write_records_csv(path: Path, records: Sequence[Record]) -> None:
    """One line for each record."""
    rows: list[dict[str, Any]] = []
    for record in records:
        item = record.measurement
        run = {} if item is None else asdict(item.runs[0])
        phases = run.pop("phases", {})
        rows.append(
            {
                "dataset": record.dataset,
                "contender": record.contender,
                "seed": record.seed,
                "status": record.status,
                "reason": record.reason,
                **{name: run.get(name, "") for name in RUN_COLUMNS},
                **{f"{phase}_seconds": phases.get(phase, "") for phase in PHASES},
                "baseline_mb": "" if item is None else item.baseline,
                "peak_mb": "" if item is None else item.peak,
                "load": record.machine.load,
                "version": record.version,
                "when": record.when,
            }
        )
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _brief(reason: str) -> str:
    """Leave out where it was killed: the table shows it in the column before."""
    return "not tried" if reason.startswith("not tried") else reason


def _seconds(value: float) -> str:
    return _number(value, ".2f" if value < 100 else ",.0f")


def _number(value: float, form: str) -> str:
    return NOTHING if value != value else format(value, form)  # noqa: PLR0124
