"""The figures of the paper, in its arrangement."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from graphpac.experiments.config import Experiment
from graphpac.experiments.data import data_title
from graphpac.experiments.panels import Panel, Point, curve_panels, slope
from graphpac.experiments.summary import ITERATION, Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Told apart by readers who see no red or green, and in grey by their markers.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
MARKERS = ("o", "s", "^", "D", "v", "P")
_PANEL = (2.7, 2.3)  # inches
_SINGLE_PANEL = (5.4, 3.6)
_LEGEND_HEIGHT = 0.4
_BAR_GROUP = 0.8  # share of the distance between two groups that bars fill


def draw_curves(experiment: Experiment, cells: Sequence[Cell]) -> Figure:
    """Draw lines with bands of a standard deviation, panel by panel."""
    panels = curve_panels(experiment, cells)
    figure, axes = _axes_for(len(panels), experiment.panel_columns)
    labels = list(dict.fromkeys(label for panel in panels for label in panel.lines))
    for number, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
        _begin(axis, _numbered(panel.title, number, len(panels)))
        _draw_panel(axis, panel, labels)
        if number % experiment.panel_columns == 0:
            axis.set_ylabel(panel.y_label, fontsize=9)
    return _finished(figure, axes)


def draw_bars(experiment: Experiment, cells: Sequence[Cell]) -> Figure:
    """Draw a panel for each measure: groups of data sets, a bar for each series."""
    cells = [cell for cell in cells if cell.values]
    figure, axes = _axes_for(len(experiment.measures), experiment.panel_columns)
    datasets = list(dict.fromkeys(cell.place.dataset for cell in cells))
    labels = list(dict.fromkeys(cell.place.series.label for cell in cells))
    width = _BAR_GROUP / max(1, len(labels))
    for number, (axis, measure) in enumerate(zip(axes, experiment.measures, strict=True)):
        _begin(axis, _numbered(measure, number, len(axes)))
        for place, label in enumerate(labels):
            shown = [
                cell
                for cell in cells
                if (cell.measure, cell.place.series.label) == (measure, label)
            ]
            left = (place - (len(labels) - 1) / 2) * width
            axis.bar(
                [datasets.index(cell.place.dataset) + left for cell in shown],
                [cell.mean for cell in shown],
                width,
                yerr=[cell.std or 0.0 for cell in shown],
                error_kw={"elinewidth": 0.8},
                color=_color(place),
                label=label,
            )
        axis.set_xticks(range(len(datasets)), map(data_title, datasets), fontsize=7, rotation=20)
        axis.set_ylim(0.0, 1.0)
    return _finished(figure, axes)


def _draw_panel(axis: Axes, panel: Panel, labels: Sequence[str]) -> None:
    timed = panel.y_label == "seconds"
    for label, points in panel.lines.items():
        growth = slope(points) if timed else None
        named = label if growth is None else f"{label}, grows as $n^{{{growth:.2f}}}$"
        marked = panel.sweep.parameter != ITERATION
        _draw_line(axis, points, named, labels.index(label), marked=marked)
    axis.set_xlabel(panel.sweep.label, fontsize=9)
    if panel.sweep.logarithmic:
        ticks = sorted({point.x for points in panel.lines.values() for point in points})
        axis.set_xscale("log")
        axis.set_xticks(ticks, [f"{value:,g}" for value in ticks], fontsize=8)
        axis.minorticks_off()
    if timed:
        _count_seconds(axis)


def _count_seconds(axis: Axes) -> None:
    """Put plain numbers on a logarithmic axis, which may cover less than a power of ten."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")


def _draw_line(
    axis: Axes, points: Sequence[Point], label: str, place: int, *, marked: bool
) -> None:
    x = [point.x for point in points]
    y = [point.y for point in points]
    color = _color(place)
    marker = MARKERS[place % len(MARKERS)] if marked else ""
    axis.plot(x, y, color=color, marker=marker, markersize=3.5, linewidth=1.3, label=label)
    low = [point.y - point.spread for point in points]
    high = [point.y + point.spread for point in points]
    axis.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)


def _axes_for(n_panels: int, n_columns: int) -> tuple[Figure, list[Any]]:
    from matplotlib.figure import Figure

    n_columns = min(n_columns, max(1, n_panels))
    n_rows = -(-n_panels // n_columns)
    width, height = _SINGLE_PANEL if n_panels <= 1 else _PANEL
    size = (width * n_columns, height * max(1, n_rows) + _LEGEND_HEIGHT)
    figure = Figure(figsize=size, layout="constrained")
    axes = list(figure.subplots(max(1, n_rows), n_columns, squeeze=False).flat)
    for unused in axes[n_panels:]:
        unused.remove()
    return figure, axes[:n_panels]


def _begin(axis: Axes, title: str) -> None:
    axis.set_title(title, fontsize=9)
    axis.tick_params(labelsize=8)
    axis.grid(visible=True, alpha=0.25)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)


def _numbered(title: str, number: int, n_panels: int) -> str:
    return f"({ascii_lowercase[number]}) {title}" if n_panels > 1 else title


def _finished(figure: Figure, axes: Sequence[Axes]) -> Figure:
    """Put one legend below all panels, of every line that stands in any of them."""
    entries: dict[str, Any] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    if len(entries) > 1:
        n_columns = min(len(entries), 2 * len(axes) if len(axes) > 1 else 3)
        figure.legend(
            entries.values(),
            entries.keys(),
            loc="outside lower center",
            ncols=n_columns,
            fontsize=8,
            frameon=False,
        )
    return figure


def _color(place: int) -> str:
    return COLORS[place % len(COLORS)]
