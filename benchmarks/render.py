"""From the records of a suite to its tables and its picture on a page of the documentation."""

from __future__ import annotations

from pathlib import Path

from benchmarks.contenders import CONTENDERS
from benchmarks.growth_plot import draw_growth
from benchmarks.method_tables import published_table
from benchmarks.peer_tables import (
    conditions,
    full_table,
    growth_tables,
    methods_table,
    record_columns,
    stages_table,
    threads_table,
)
from benchmarks.records import latest_records, read_records
from benchmarks.standings import collect_standings
from benchmarks.suites import EVERYBODY, SUITES
from benchmarks.tables import fill_marks, ratio_table, write_csv

PAGE = "benchmarks.md"
METHODS_PAGE = "methods.md"
PLOTTED = ("growth", "large")
PICTURE = (
    "![Seconds and peak memory against the number of rows on logarithmic axes, a line for each "
    "method](images/growth.png)"
)


def suite_text(name: str, path: Path) -> str:
    """Return the tables of a file of records as Markdown; empty if it has none."""
    records = list(latest_records(read_records(path)).values())
    if not records:
        return ""
    standings = collect_standings(records, SUITES[name])
    if name == "methods":
        shown = conditions(records, "Means and standard deviations, medians of the seconds,")
        return f"{published_table(standings)}\n\n{shown}\n"
    if name == "default":
        done = [each.measurement for each in standings if each.measurement is not None]
        parts = [ratio_table(done), full_table(standings), conditions(records)]
        return "\n\n".join(parts) + "\n"
    briefly = {"growth": growth_tables, "large": growth_tables, "threads": threads_table}
    parts = [full_table(standings)]
    if name in briefly:
        folded = ["<details><summary>All numbers</summary>", parts[0], "</details>"]
        parts = [briefly[name](standings), *folded]
    return "\n\n".join([*parts, stages_table(standings), conditions(records)]) + "\n"


def render_suite(name: str, path: Path, docs: Path) -> str:
    """Fill the page of a suite, and draw; return the Markdown."""
    text = suite_text(name, path)
    if not text:
        return f"No measurement of the suite {name} in {path.name} yet."
    page = docs / (METHODS_PAGE if name == "methods" else PAGE)
    if name != "methods":
        fill_marks(page, "methods", methods_table(CONTENDERS, EVERYBODY))
    if name in PLOTTED:
        _draw(path.parent, docs / "images" / "growth.png")
        fill_marks(page, "picture", PICTURE)
    fill_marks(page, name, text)
    return text


def write_records_csv(path: Path, records: Path) -> None:
    """Write the latest of a file of records, one a line."""
    latest = latest_records(read_records(records)).values()
    write_csv(path, [record_columns(record) for record in latest])


def _draw(results: Path, picture: Path) -> None:
    """Draw all suites that grow, each in a row of the picture."""
    rows = {}
    for name in PLOTTED:
        records = read_records(results / f"{name}.jsonl")
        if records:
            rows[SUITES[name].title] = collect_standings(records, SUITES[name])
    draw_growth(rows, picture)
