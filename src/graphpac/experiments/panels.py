"""What stands in the panels of a figure, before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import log
from statistics import linear_regression, mean
from typing import NamedTuple

from graphpac.experiments.config import Experiment, Sweep
from graphpac.experiments.data import data_title
from graphpac.experiments.summary import Cell


class Point(NamedTuple):
    """A mean over the seeds and its standard deviation."""

    x: float
    y: float
    spread: float


@dataclass(frozen=True)
class Panel:
    """Lines by their labels over the values of one parameter."""

    title: str
    sweep: Sweep
    y_label: str
    lines: dict[str, list[Point]]


def curve_panels(experiment: Experiment, cells: Sequence[Cell]) -> list[Panel]:
    """Arrange the cells as the paper does.

    A panel for each data set with a line for each method, or for each measure of a single method,
    and at the end a panel of the means over the data; or a panel for each parameter with a line
    for each data set.
    """
    cells = [cell for cell in cells if cell.values]
    sweeps = list(dict.fromkeys(cell.place.sweep for cell in cells if cell.place.sweep))
    first = experiment.measures[0]
    if experiment.panels == "parameters":
        return [
            Panel(
                sweep.label,
                sweep,
                first,
                _lines(
                    (data_title(cell.place.dataset), cell)
                    for cell in cells
                    if (cell.place.sweep, cell.measure) == (sweep, first)
                ),
            )
            for sweep in sweeps
        ]
    # Seconds share no axis with scores, so a single method has one line then too.
    several = len(experiment.series) > 1 or first == "seconds"
    panels = []
    for sweep, dataset in product(_by_parameter(sweeps), experiment.datasets):
        lines = _lines(
            (cell.place.series.label if several else cell.measure, cell)
            for cell in cells
            if (cell.place.dataset, cell.place.parameter) == (dataset, sweep.parameter)
            and (not several or cell.measure == first)
        )
        if lines:
            y_label = first if several else "score"
            panels.append(Panel(data_title(dataset), sweep, y_label, lines))
    if experiment.mean_panel and len(panels) > 1:
        panels.append(_mean_panel(panels))
    return panels


def slope(points: Sequence[Point]) -> float | None:
    """Exponent of the power of x that y grows with, by least squares; None of a single point."""
    if len(points) < 2:
        return None
    x, y = [log(point.x) for point in points], [log(point.y) for point in points]
    return linear_regression(x, y).slope


def _by_parameter(sweeps: Iterable[Sweep]) -> list[Sweep]:
    """Keep one for each parameter: runs over the iterations may differ in their number."""
    longest: dict[str, Sweep] = {}
    for sweep in sweeps:
        known = longest.get(sweep.parameter)
        if known is None or len(known.values) < len(sweep.values):
            longest[sweep.parameter] = sweep
    return list(longest.values())


def _lines(cells: Iterable[tuple[str, Cell]]) -> dict[str, list[Point]]:
    """Collect the points of each line, in the order of the cells with its label."""
    lines: dict[str, list[Point]] = {}
    for label, cell in cells:
        point = Point(float(cell.place.value or 0.0), cell.mean, cell.std or 0.0)
        lines.setdefault(label, []).append(point)
    return lines


def _mean_panel(panels: Sequence[Panel]) -> Panel:
    """Average the lines over the data, where all of them have a point."""
    lines: dict[str, list[Point]] = {}
    for label in panels[0].lines:
        at = [{point.x: point.y for point in panel.lines.get(label, [])} for panel in panels]
        shared = [x for x in at[0] if all(x in points for points in at)]
        if shared:
            lines[label] = [Point(x, mean(points[x] for points in at), 0.0) for x in shared]
    return Panel(f"mean of the {len(panels)}", panels[0].sweep, panels[0].y_label, lines)
