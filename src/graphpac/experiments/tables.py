"""Cells in rows and columns, as Markdown, as text and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from graphpac.experiments.config import Experiment, Series
from graphpac.experiments.data import data_title
from graphpac.experiments.summary import ITERATION, Cell

MARK = "*"
FAILED = "failed"
NOTHING = "-"
_SHOWN_ITERATIONS = (1, 2, 5, 10, 20, 30, 40, 50)


@dataclass(frozen=True)
class Column:
    """Cells below one head; columns of one group, a data set, stand side by side."""

    group: str
    name: str


@dataclass(frozen=True)
class Grid:
    """A table: a row for each method or value, a column for each measure or method.

    ``title`` tells tables of one experiment apart, ``corner`` what its rows are.
    """

    title: str
    corner: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of columns, each with how many there are in it."""
        groups = groupby(column.group for column in self.columns)
        return [(name, len(list(columns))) for name, columns in groups]

    def parts(self) -> Iterator[Grid]:
        """Yield a table for each group of columns, without rows that have nothing in it."""
        for group in dict.fromkeys(column.group for column in self.columns):
            kept = [place for place, column in enumerate(self.columns) if column.group == group]
            rows = [(label, tuple(cells[place] for place in kept)) for label, cells in self.rows]
            yield Grid(
                title=f"{group}, {self.title}" if self.title else group,
                corner=self.corner,
                columns=tuple(self.columns[place] for place in kept),
                rows=tuple(row for row in rows if any(row[1])),
            )


def grids_of(experiment: Experiment, cells: Sequence[Cell]) -> list[Grid]:
    """Arrange the cells of an experiment: a table, or one for each parameter that was varied."""
    parameters = dict.fromkeys(cell.place.parameter for cell in cells)
    titled = len(parameters) > 1
    return [
        _grid_of(experiment, [cell for cell in cells if cell.place.parameter == name], titled)
        for name in parameters
    ]


def _grid_of(experiment: Experiment, cells: Sequence[Cell], titled: bool) -> Grid:
    sweep = cells[0].place.sweep
    if sweep is None:
        labels = [_row_label(series) for series in experiment.series]
        at = {(_row_label(cell.place.series), _column(cell, cell.measure)): cell for cell in cells}
        return _arranged("", "method", labels, at)
    if sweep.parameter == ITERATION:
        cells = [cell for cell in cells if cell.place.value in _SHOWN_ITERATIONS]
    several = len({cell.place.series.label for cell in cells}) > 1
    measured = len({cell.measure for cell in cells}) > 1 or not several
    at = {}
    for cell in cells:
        words = [cell.place.series.label] * several + [cell.measure] * measured
        at[f"{cell.place.value:g}", _column(cell, " ".join(words))] = cell
    values = sorted({float(cell.place.value or 0.0) for cell in cells})
    title = sweep.label if titled else ""
    return _arranged(title, sweep.label, [f"{value:g}" for value in values], at)


def _arranged(
    title: str, corner: str, labels: Sequence[str], at: Mapping[tuple[str, Column], Cell]
) -> Grid:
    columns = tuple(dict.fromkeys(column for _, column in at))
    rows = [(label, tuple(at.get((label, column)) for column in columns)) for label in labels]
    return Grid(title, corner, columns, tuple(row for row in rows if any(row[1])))


def markdown_of(grid: Grid) -> str:
    """Lay out a table for each data set: ours, what is printed, and the difference.

    Marked are differences of more than three standard deviations.
    """
    parts = []
    for part in grid.parts():
        printed = [_is_printed(part, place) for place in range(len(part.columns))]
        head = [part.corner]
        for column, beside in zip(part.columns, printed, strict=True):
            head += [column.name, "paper", "difference"] if beside else [column.name]
        rows = []
        for label, cells in part.rows:
            row = [label]
            for cell, beside in zip(cells, printed, strict=True):
                row.append(show_mean(cell))
                if beside:
                    row += [show_printed(cell), show_difference(cell)]
            rows.append(row)
        parts.append(f"**{part.title}**\n\n{markdown_table(head, rows)}")
    return "\n\n".join(parts)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a column of names, aligned to the left, and columns of numbers, to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text_of(grid: Grid) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table, the printed numbers in brackets."""
    head = [grid.corner, *(column.name for column in grid.columns)]
    return head, [[label, *map(show_cell, cells)] for label, cells in grid.rows]


def _is_printed(grid: Grid, place: int) -> bool:
    cells = [cells[place] for _, cells in grid.rows]
    return any(cell is not None and cell.printed is not None for cell in cells)


def show_cell(cell: Cell | None) -> str:
    """Show the mean with its deviation and the printed one in brackets, three decimals each."""
    text = show_mean(cell)
    if cell is not None and cell.printed is not None:
        text += f" ({cell.printed:.3f}){MARK if cell.is_marked else ''}"
    return text


def show_mean(cell: Cell | None) -> str:
    """Show the mean with its deviation."""
    if cell is None:
        return NOTHING
    if not cell.values:
        return FAILED
    digits = ".3f" if cell.measure != "seconds" else ".2f"
    spread = "" if cell.std is None else f" ± {format(cell.std, digits)}"
    return f"{format(cell.mean, digits)}{spread}"


def show_printed(cell: Cell | None) -> str:
    """Show what the paper prints, which may be a word."""
    if cell is None or cell.printed is None:
        return NOTHING if cell is None else cell.remark or NOTHING
    spread = "" if cell.printed_std is None else f" ± {cell.printed_std:.3f}"
    return f"{cell.printed:.3f}{spread}"


def show_difference(cell: Cell | None) -> str:
    """Show ours minus the printed mean, with its mark."""
    if cell is None or cell.difference is None:
        return ""
    return f"{signed(cell.difference)}{MARK if cell.is_marked else ''}"


def signed(difference: float) -> str:
    """Show a difference with its sign, which nothing has none of."""
    rounded = round(difference, 3)
    return f"{rounded:+.3f}" if rounded else "0.000"


def csv_rows(cells: Sequence[Cell]) -> list[dict[str, str]]:
    """Return a row for each cell, with all that is known of it."""
    return [
        {
            "dataset": cell.place.dataset,
            "method": cell.place.series.label,
            "parameter": cell.place.parameter or "",
            "value": "" if cell.place.value is None else f"{cell.place.value:g}",
            "metric": cell.measure,
            "runs": str(len(cell.values)),
            "failed": str(len(cell.failures)),
            "mean": _number(cell.mean if cell.values else None),
            "std": _number(cell.std),
            "published_mean": _number(cell.printed),
            "published_std": _number(cell.printed_std),
            "difference": _number(cell.difference),
            "marked": "yes" if cell.is_marked else "",
        }
        for cell in cells
    ]


def csv_text(rows: Sequence[dict[str, str]]) -> str:
    """Write rows that have the same columns."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _column(cell: Cell, name: str) -> Column:
    return Column(data_title(cell.place.dataset), name)


def _row_label(series: Series) -> str:
    return f"{series.label} ({series.note})" if series.note else series.label


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
