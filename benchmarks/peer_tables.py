"""Tables of the suites; who failed is shown with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.contenders import Contender
from benchmarks.measure import Measurement
from benchmarks.records import Record
from benchmarks.standings import Standing
from benchmarks.tables import BUSY, STAGES, fit_columns, markdown_table

NOTHING = "-"


def methods_table(contenders: Mapping[str, Contender], names: Sequence[str]) -> str:
    """How each method was set."""
    rows = [[name, contenders[name].setting] for name in names]
    return markdown_table(["method", "settings"], rows, n_names=2)


def full_table(standings: Sequence[Standing]) -> str:
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
    for standing in standings:
        names = [standing.dataset, standing.contender]
        if standing.measurement is None:
            rows.append([*names, standing.reason, *[NOTHING] * (len(columns) - 1)])
        else:
            rows.append([*names, *(show(standing.measurement) for show in columns.values())])
    return markdown_table(["data", "method", *columns], rows, n_names=2)


def growth_tables(standings: Sequence[Standing]) -> str:
    """Seconds, memory, NMI and noise with a column for each number of rows."""
    shown: dict[str, Callable[[Measurement], str]] = {
        "seconds": lambda item: _seconds(item.typical("seconds")),
        "peak GB": lambda item: f"{item.peak / 1000:.2f}",
        "NMI": lambda item: f"{item.typical('nmi'):.3f}",
        "left out": lambda item: f"{item.typical('noise'):.1%}",
    }
    sizes = sorted({standing.n_samples for standing in standings})
    methods = list(dict.fromkeys(standing.contender for standing in standings))
    at = {(standing.contender, standing.n_samples): standing for standing in standings}

    def cell(method: str, size: int, name: str) -> str:
        standing = at.get((method, size))
        if standing is None:
            return NOTHING
        if standing.measurement is None:
            # The reason once is enough: the seconds come first.
            return _brief(standing.reason) if name == "seconds" else NOTHING
        return shown[name](standing.measurement)

    parts = []
    for name in shown:
        rows = [[method, *(cell(method, size, name) for size in sizes)] for method in methods]
        parts.append(markdown_table([name, *(f"{size:,} rows" for size in sizes)], rows))
    return "\n\n".join(parts)


def stages_table(standings: Sequence[Standing]) -> str:
    """Where the time of GPAC goes, and what share of the true neighbors its graph holds."""
    rows = []
    for standing in standings:
        item = standing.measurement
        if item is None or not standing.contender.startswith("GPAC"):
            continue
        seconds = [_seconds(item.typical(stage)) for stage in STAGES]
        n_iter, recall = item.typical("n_iter"), item.typical("recall")
        cells = [*seconds, _number(n_iter, ".0f"), _number(recall, ".3f")]
        rows.append([standing.dataset, standing.contender, *cells])
    head = ["data", "method", *(f"{stage} s" for stage in STAGES), "iterations", "graph recall"]
    return markdown_table(head, rows, n_names=2)


def threads_table(standings: Sequence[Standing]) -> str:
    """Seconds of the optimize stage, what twice the rows change and what more threads do."""
    sizes = sorted({standing.n_samples for standing in standings})
    methods = list(dict.fromkeys(standing.contender for standing in standings))
    seconds: dict[tuple[str, int], float] = {}
    shown: dict[tuple[str, int], str] = {}
    for standing in standings:
        place = standing.contender, standing.n_samples
        item = standing.measurement
        seconds[place] = float("nan") if item is None else item.typical("optimize")
        shown[place] = _brief(standing.reason) if item is None else _seconds(seconds[place])

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


def record_columns(record: Record) -> dict[str, Any]:
    """Return everything of a record with one fit or none, by the names of columns."""
    item = record.measurement
    return {
        "dataset": record.dataset,
        "contender": record.contender,
        "seed": record.seed,
        "status": record.status,
        "reason": record.reason,
        **({} if item is None else fit_columns(item, item.runs[0])),
        "load": record.machine.load,
        "version": record.version,
        "when": record.when,
    }


def _brief(reason: str) -> str:
    """Leave out where it was killed: the table shows it in the column before."""
    return "not tried" if reason.startswith("not tried") else reason


def _seconds(value: float) -> str:
    return _number(value, ".2f" if value < 100 else ",.0f")


def _number(value: float, form: str) -> str:
    return NOTHING if value != value else format(value, form)  # noqa: PLR0124
