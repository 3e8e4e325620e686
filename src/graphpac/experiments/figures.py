"""The figures of the paper, in its arrangement: a panel for each data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphpac.experiments.config import Experiment
from graphpac.experiments.run import Outcome
from graphpac.experiments.summary import Cell, mean_curve
from graphpac.experiments.trials import places, trials_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Told apart by readers who see no red or green, and in grey by their markers.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
MARKERS = ("o", "s", "^", "D", "v", "P")
_PANEL = (3.1, 2.5)  # inches
_ENTRIES_PER_PANEL = 2  # of the legend, side by side


def draw_curves(experiment: Experiment, cells: Sequence[Cell]) -> Figure:
    """Draw the first measure over the values of each sweep, with bands of a standard deviation."""
    figure, axes = _panels(len(experiment.sweeps), experiment.datasets)
    measure = experiment.measures[0]
    for row, sweep in enumerate(experiment.sweeps):
        for column, dataset in enumerate(experiment.datasets):
            panel = axes[row][column]
            for place, series in enumerate(experiment.series):
                points = [
                    cell
                    for cell in cells
                    if (cell.place.dataset, cell.place.sweep, cell.measure)
                    == (dataset, sweep, measure)
                    and cell.place.series == series
                ]
                _draw_line(panel, points, series.label, place)
            panel.set_xlabel(sweep.label)
            if sweep.logarithmic:
                panel.set_xscale("log")
                panel.set_xticks(sweep.values, [f"{value:g}" for value in sweep.values])
                panel.minorticks_off()
            if measure == "seconds":
                panel.set_yscale("log")
    return _finished(figure, axes, measure, len(experiment.series))


def draw_iterations(
    experiment: Experiment, outcomes: Mapping[str, Outcome], *, max_samples: int | None = None
) -> Figure:
    """Draw the mean accuracy after each iteration."""
    figure, axes = _panels(1, experiment.datasets)
    order = {series.label: place for place, series in enumerate(experiment.series)}
    for place in places(experiment):
        trials = trials_at(place, experiment, max_samples=max_samples)
        found = [outcomes[trial.key] for trial in trials if trial.key in outcomes]
        if not found:
            continue
        curve = mean_curve(found)
        panel = axes[0][experiment.datasets.index(place.dataset)]
        number = order[place.series.label]
        panel.plot(range(1, len(curve) + 1), curve, color=_color(number), label=place.series.label)
        panel.set_xlabel("iteration")
    return _finished(figure, axes, "ACC", len(experiment.series))


def draw_bars(experiment: Experiment, cells: Sequence[Cell]) -> Figure:
    """Draw the first measure of each series as a bar, with whiskers of a standard deviation."""
    figure, axes = _panels(1, experiment.datasets)
    measure = experiment.measures[0]
    labels = [series.label for series in experiment.series]
    for cell in cells:
        if cell.measure != measure:
            continue
        place = labels.index(cell.place.series.label)
        panel = axes[0][experiment.datasets.index(cell.place.dataset)]
        panel.bar(place, cell.mean, yerr=cell.std, color=_color(place), label=labels[place])
        panel.set_xticks([])
        panel.set_ylim(0.0, 1.0)
    return _finished(figure, axes, measure, len(labels))


def _panels(n_rows: int, datasets: Sequence[str]) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    size = (_PANEL[0] * len(datasets), _PANEL[1] * n_rows)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(n_rows, len(datasets), squeeze=False)
    for row in axes:
        for panel, dataset in zip(row, datasets, strict=True):
            panel.set_title(dataset, fontsize=10)
            panel.grid(visible=True, alpha=0.25)
            panel.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _draw_line(panel: Axes, points: Sequence[Cell], label: str, place: int) -> None:
    if not points:
        return
    x = [float(point.place.value or 0.0) for point in points]
    y = [point.mean for point in points]
    spread = [point.std or 0.0 for point in points]
    color = _color(place)
    marker = MARKERS[place % len(MARKERS)]
    panel.plot(x, y, color=color, marker=marker, markersize=4, label=label)
    low = [value - width for value, width in zip(y, spread, strict=True)]
    high = [value + width for value, width in zip(y, spread, strict=True)]
    panel.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)


def _finished(figure: Figure, axes: Any, measure: str, n_series: int) -> Figure:
    for row in axes:
        row[0].set_ylabel(measure)
    handles, labels = axes[0][0].get_legend_handles_labels()
    if n_series > 1 and handles:
        n_columns = min(n_series, _ENTRIES_PER_PANEL * axes.shape[1])
        figure.legend(handles, labels, loc="outside lower center", ncols=n_columns, fontsize=9)
    return figure


def _color(place: int) -> str:
    return COLORS[place % len(COLORS)]
