"""One HTML page of all that was reproduced; nothing in it needs the network."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from graphpac.experiments.config import Experiment
from graphpac.experiments.summary import Cell
from graphpac.experiments.tables import MARK, table_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PageCell:
    """A cell as the template shows it: ours, and the printed number apart."""

    text: str
    printed: str = ""
    marked: bool = False

    @classmethod
    def of(cls, shown: str) -> PageCell:
        """Take apart what `show_cell` put together."""
        text, _, rest = shown.partition(" (")
        return cls(text, rest.rstrip(f"{MARK})"), shown.endswith(MARK))


@dataclass(frozen=True)
class Section:
    """One table or figure of the page."""

    name: str
    title: str
    claim: str
    head: Sequence[str]
    rows: Sequence[Sequence[PageCell]]
    svg: str = ""


def make_section(
    experiment: Experiment, cells: Sequence[Cell], figure: Figure | None = None
) -> Section:
    """Collect what the page shows of an experiment."""
    head, rows = table_of(cells)
    return Section(
        name=experiment.name,
        title=experiment.title,
        claim=experiment.claim,
        head=head,
        rows=[[PageCell(row[0]), *map(PageCell.of, row[1:])] for row in rows],
        svg="" if figure is None else svg_of(figure),
    )


def render_page(sections: Sequence[Section], conditions: str) -> str:
    """Fill the template; everything but our own drawings is escaped."""
    from jinja2 import Environment

    source = files("graphpac.experiments").joinpath("templates/page.html")
    template = Environment(autoescape=True).from_string(source.read_text(encoding="utf-8"))
    return template.render(sections=sections, conditions=conditions)


def svg_of(figure: Figure) -> str:
    """Draw a figure as an element that can stand inside a page."""
    out = io.StringIO()
    figure.savefig(out, format="svg")
    text = out.getvalue()
    return text[text.index("<svg") :]
