"""One HTML page of all that was reproduced; nothing in it needs the network."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from graphpac.experiments.reproduced import Reproduced, drawn
from graphpac.experiments.tables import show_difference, show_mean, show_printed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def render_page(sections: Sequence[Reproduced], *, quick: bool = False) -> str:
    """Fill the template; everything but our own drawings is escaped."""
    from jinja2 import Environment

    source = files("graphpac.experiments").joinpath("templates/page.html")
    environment = Environment(autoescape=True)
    shown = {"mean": show_mean, "printed": show_printed, "difference": show_difference}
    environment.filters |= {**shown, "as_element": _element}
    template = environment.from_string(source.read_text(encoding="utf-8"))
    return template.render(sections=sections, quick=quick)


def _element(figure: Figure) -> str:
    """Draw a figure as an element that can stand inside a page."""
    text = drawn(figure, "svg").decode()
    return text[text.index("<svg") :]
