"""One HTML page of all that was reproduced; nothing in it needs the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING

from graphpac.experiments.explanations import Remark
from graphpac.experiments.reproduced import Reproduced, drawn
from graphpac.experiments.summary import Cell
from graphpac.experiments.tables import Grid, show_difference, show_mean, show_printed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PageCell:
    """A cell as the template shows it: ours above, the printed number and the difference below."""

    mean: str
    spread: str = ""
    printed: str = ""
    printed_with_spread: str = ""
    difference: str = ""
    marked: bool = False

    @classmethod
    def of(cls, cell: Cell | None) -> PageCell:
        """Show a cell."""
        value, _, spread = show_mean(cell).partition(" ± ")
        if cell is None or cell.printed is None:
            return cls(value, spread)
        return cls(
            mean=value,
            spread=spread,
            printed=f"{cell.printed:.3f}",
            printed_with_spread=show_printed(cell),
            difference=show_difference(cell),
            marked=cell.is_marked,
        )


@dataclass(frozen=True)
class PageTable:
    """A table whose columns stand below the names of the data."""

    corner: str
    groups: Sequence[tuple[str, int]]
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[PageCell]]]

    @classmethod
    def of(cls, grid: Grid) -> PageTable:
        """Show a grid."""
        return cls(
            corner=grid.corner,
            groups=[
                (name, len(list(columns)))
                for name, columns in groupby(column.group for column in grid.columns)
            ],
            columns=[column.name for column in grid.columns],
            rows=[(label, [PageCell.of(cell) for cell in cells]) for label, cells in grid.rows],
        )


@dataclass(frozen=True)
class Verdicts:
    """Readings of the paper on one data set, and the sentence that closes them."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentence: str


@dataclass(frozen=True)
class Section:
    """One table or figure of the page."""

    name: str
    title: str
    warning: str
    claim: str
    absent: str
    tables: Sequence[PageTable]
    remarks: Sequence[Remark]
    verdicts: Sequence[Verdicts]
    svg: str
    conditions: str


def make_section(item: Reproduced) -> Section:
    """Collect what the page shows of an experiment."""
    return Section(
        name=item.experiment.name,
        title=item.experiment.title,
        warning=item.warning,
        claim=item.experiment.claim,
        absent=item.experiment.absent,
        tables=[PageTable.of(grid) for grid in item.grids],
        remarks=item.remarks,
        verdicts=[
            Verdicts(comparison.title, *comparison.table(), comparison.sentence())
            for comparison in item.comparisons
        ],
        svg="" if item.figure is None else _element(item.figure),
        conditions=item.conditions,
    )


def render_page(sections: Sequence[Section], *, quick: bool = False) -> str:
    """Fill the template; everything but our own drawings is escaped."""
    from jinja2 import Environment

    source = files("graphpac.experiments").joinpath("templates/page.html")
    template = Environment(autoescape=True).from_string(source.read_text(encoding="utf-8"))
    return template.render(sections=sections, quick=quick)


def _element(figure: Figure) -> str:
    """Draw a figure as an element that can stand inside a page."""
    text = drawn(figure, "svg").decode()
    return text[text.index("<svg") :]
