"""Cells as Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from graphpac.experiments.summary import Cell

MARK = "*"


def markdown_table(cells: Sequence[Cell]) -> str:
    """Lay out a row for each series, a column for each data set and measure.

    Marked are means that differ from the printed ones by more than three standard deviations.
    """
    head, rows = table_of(cells)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table_of(cells: Sequence[Cell]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table as text."""
    columns = list(dict.fromkeys((cell.place.dataset, cell.measure) for cell in cells))
    labels = list(dict.fromkeys(_label(cell) for cell in cells))
    at = {(_label(cell), cell.place.dataset, cell.measure): cell for cell in cells}
    head = ["method", *(f"{dataset} {measure}" for dataset, measure in columns)]
    rows = [
        [label, *(show_cell(at.get((label, *column))) for column in columns)] for label in labels
    ]
    return head, rows


def show_cell(cell: Cell | None) -> str:
    """Show the mean with its deviation and the printed one in brackets, three decimals each."""
    if cell is None:
        return "-"
    digits = ".3f" if cell.measure != "seconds" else ".2f"
    text = format(cell.mean, digits)
    if cell.std is not None:
        text += f" ± {format(cell.std, digits)}"
    if cell.printed is not None:
        text += f" ({cell.printed:.3f}){MARK if cell.is_marked else ''}"
    return text


def csv_text(cells: Sequence[Cell]) -> str:
    """Write a line for each cell, with all that is known of it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            *("dataset", "method", "parameter", "value", "metric", "runs", "mean", "std"),
            *("published_mean", "published_std", "difference", "marked"),
        ]
    )
    for cell in cells:
        sweep = cell.place.sweep
        writer.writerow(
            [
                cell.place.dataset,
                cell.place.series.label,
                "" if sweep is None else sweep.parameter,
                "" if cell.place.value is None else cell.place.value,
                cell.measure,
                len(cell.values),
                *(_number(value) for value in (cell.mean, cell.std)),
                *(_number(value) for value in (cell.printed, cell.printed_std, cell.difference)),
                "yes" if cell.is_marked else "",
            ]
        )
    return out.getvalue()


def _label(cell: Cell) -> str:
    series, sweep = cell.place.series, cell.place.sweep
    label = f"{series.label} ({series.note})" if series.note else series.label
    return label if sweep is None else f"{label}, {sweep.label} = {cell.place.value:g}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
