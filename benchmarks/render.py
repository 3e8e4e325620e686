"""From the records of a suite to CSV, Markdown, plot and the page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.contenders import CONTENDERS
from benchmarks.findings import collect_findings
from benchmarks.growth_plot import draw_growth
from benchmarks.method_tables import published_table
from benchmarks.peer_tables import (
    conditions,
    full_table,
    growth_tables,
    methods_table,
    phases_table,
    threads_table,
    write_records_csv,
)
from benchmarks.records import Record, latest_records, read_records
from benchmarks.suites import EVERYBODY, SUITES
from benchmarks.tables import fill_marks

PAGE = "benchmarks.md"
METHODS_PAGE = "methods.md"
PLOTTED = ("growth", "large")
PICTURE = (
    "![Seconds and peak memory against the number of rows on logarithmic axes, a line for each "
    "method](images/growth.png)"
)


def render_suite(name: str, path: Path, *, docs: Path | None = None) -> str:
    """Write everything that is made of one file of records; return the Markdown."""
    suite = SUITES[name]
    records = list(latest_records(read_records(path)).values())
    if not records:
        return f"No measurement of the suite {name} in {path.name} yet."
    findings = collect_findings(records, suite)
    if name == "methods":
        shown = conditions(records, "Means and standard deviations, medians of the seconds,")
        text = f"{published_table(findings)}\n\n{shown}\n"
        return _write(text, path, records, None if docs is None else docs / METHODS_PAGE, name)
    briefly = {"growth": growth_tables, "large": growth_tables, "threads": threads_table}
    parts = [full_table(findings)]
    if name in briefly:
        parts = [briefly[name](findings), *_folded(parts[0])]
    text = "\n\n".join([*parts, phases_table(findings), conditions(records)]) + "\n"
    page = None if docs is None else docs / PAGE
    if docs is not None:
        if name in PLOTTED:
            _draw(path.parent, docs / "images")
            fill_marks(docs / PAGE, "picture", PICTURE)
        fill_marks(docs / PAGE, "methods", methods_table(CONTENDERS, EVERYBODY))
    return _write(text, path, records, page, name)


def _write(text: str, path: Path, records: Sequence[Record], page: Path | None, name: str) -> str:
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    write_records_csv(path.with_suffix(".csv"), records)
    if page is not None:
        fill_marks(page, name, text)
    return text


def _folded(table: str) -> list[str]:
    return ["<details><summary>All numbers</summary>", table, "</details>"]


def _draw(results: Path, images: Path) -> None:
    """Draw all suites that grow, each in a row of the picture."""
    rows = {}
    for name in PLOTTED:
        records = read_records(results / f"{name}.jsonl")
        if records:
            rows[SUITES[name].title] = collect_findings(records, SUITES[name])
    draw_growth(rows, images / "growth")
