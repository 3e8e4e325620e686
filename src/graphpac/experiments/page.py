"""One HTML page of all that was reproduced; nothing in it needs the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from graphpac.experiments.reproduced import Reproduced, drawn
from graphpac.experiments.summary import Cell
from graphpac.experiments.tables import show_difference, show_mean, show_printed

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


def render_page(sections: Sequence[Reproduced], *, quick: bool = False) -> str:
    """Fill the template; everything but our own drawings is escaped."""
    from jinja2 import Environment

    source = files("graphpac.experiments").joinpath("templates/page.html")
    environment = Environment(autoescape=True)
    environment.filters |= {"as_shown": PageCell.of, "as_element": _element}
    template = environment.from_string(source.read_text(encoding="utf-8"))
    return template.render(sections=sections, quick=quick)


def _element(figure: Figure) -> str:
    """Draw a figure as an element that can stand inside a page."""
    text = drawn(figure, "svg").decode()
    return text[text.index("<svg") :]
