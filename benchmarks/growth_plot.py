"""The growth plot: time and memory against the number of rows, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.standings import Standing

# One hue for each kind of method (after Okabe and Ito: told apart by every kind of eye);
# within a kind, markers and the labels at the lines tell who is who.
OURS, CENTERS, GRAPHS, DENSITY = "#D55E00", "#0072B2", "#009E73", "#A0568A"
STYLES = {
    "GPAC": (OURS, "o"),
    "KMeans": (CENTERS, "s"),
    "KMeans, 10 starts": (CENTERS, "D"),
    "MiniBatchKMeans": (CENTERS, "v"),
    "faiss k-means": (CENTERS, "^"),
    "fuzzy c-means": (CENTERS, "p"),
    "SpectralClustering": (GRAPHS, "s"),
    "Leiden": (GRAPHS, "D"),
    "FINCH": (GRAPHS, "v"),
    "HDBSCAN": (DENSITY, "s"),
    "fast_hdbscan": (DENSITY, "D"),
    "EVoC": (DENSITY, "v"),
}
OTHER = ("#666666", "o")
PANELS = {"seconds": "seconds", "memory": "peak memory, GB"}
LABEL_GAP = 0.045  # of the height of a panel, between two labels
FEW_DECADES = 300  # up to this ratio of the ends there is room for 2 and 5 between powers of 10
INK, FAINT = "#333333", "#DDDDDD"


def draw_growth(rows: Mapping[str, Sequence[Standing]], path: Path) -> None:
    """Draw `growth_figure` into a .png."""
    path.parent.mkdir(parents=True, exist_ok=True)
    growth_figure(rows).savefig(path, dpi=150)


def growth_figure(rows: Mapping[str, Sequence[Standing]]) -> Any:
    """Make a row of two panels for each list of standings, under its title."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.2, 0.5 + 4.1 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(rows), len(PANELS), squeeze=False)
    for (title, standings), pair in zip(rows.items(), panels, strict=True):
        for kind, axes in zip(PANELS, pair, strict=True):
            _draw_panel(axes, kind, standings)
        pair[0].set_title(title, loc="left", fontsize=10, color=INK)
    for axes in panels[-1]:
        axes.set_xlabel("rows", color=INK)
    figure.supxlabel(_caption(rows), x=0.01, ha="left", fontsize=8, color=INK)
    return figure


def growth_lines(
    standings: Sequence[Standing], kind: str
) -> dict[str, tuple[list[int], list[float], bool]]:
    """For each method the sizes it finished, its seconds or gigabytes, and whether it was ended."""
    lines: dict[str, tuple[list[int], list[float], bool]] = {}
    for standing in sorted(standings, key=lambda standing: standing.n_samples):
        sizes, values, _ = lines.get(standing.contender, ([], [], False))
        item = standing.measurement
        if item is not None:
            sizes.append(standing.n_samples)
            values.append(item.typical("seconds") if kind == "seconds" else item.peak / 1000)
        lines[standing.contender] = (sizes, values, item is None)
    return lines


def spread_labels(heights: Sequence[float], gap: float) -> list[float]:
    """Move heights apart until neighbors are a gap from each other, each as little as may be."""
    order = np.argsort(heights, kind="stable")
    groups: list[tuple[float, int]] = []  # middle and number of labels that touch
    for place in order:
        middle, count = float(heights[place]), 1
        while groups and groups[-1][0] + gap * (groups[-1][1] + count) / 2 > middle:
            below, n_below = groups.pop()
            middle = (below * n_below + middle * count) / (n_below + count)
            count += n_below
        groups.append((middle, count))
    spread = np.empty(len(heights))
    spread[order] = [
        middle + gap * (place - (count - 1) / 2)
        for middle, count in groups
        for place in range(count)
    ]
    return spread.tolist()


def _draw_panel(axes: Any, kind: str, standings: Sequence[Standing]) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    drawn = {name: line for name, line in growth_lines(standings, kind).items() if line[0]}
    for name, (sizes, values, ended) in drawn.items():
        color, marker = STYLES.get(name, OTHER)
        width = 2.4 if name == "GPAC" else 1.2
        axes.plot(sizes, values, color=color, marker=marker, markersize=4, linewidth=width)
        if ended:
            axes.plot(sizes[-1], values[-1], "x", color=color, markersize=10, markeredgewidth=1.8)
    _style(axes, kind, sorted({standing.n_samples for standing in standings}))
    ends = {name: (sizes[-1], values[-1]) for name, (sizes, values, _) in drawn.items()}
    last = max((size for size, _ in ends.values()), default=0)
    for size in {end[0] for end in ends.values()}:
        here = {name: end for name, end in ends.items() if end[0] == size}
        # Beyond the last size there is room; before it a label should not reach into the next.
        _label_ends(axes, here, distance=0.075 if size == last else 0.04)


def _label_ends(axes: Any, ends: Mapping[str, tuple[int, float]], *, distance: float) -> None:
    """Write names to the right of where lines end, all at one size, moved apart."""
    from matplotlib.patheffects import withStroke

    to_panel = axes.transData + axes.transAxes.inverted()
    places = {name: to_panel.transform(end) for name, end in ends.items()}
    heights = spread_labels([place[1] for place in places.values()], LABEL_GAP)
    for (name, (x, y)), height in zip(places.items(), heights, strict=True):
        color, _ = STYLES.get(name, OTHER)
        far = x + distance
        in_panel = {"color": color, "transform": axes.transAxes, "clip_on": False}
        axes.plot([x, far - 0.01], [y, height], linewidth=0.6, zorder=2.5, **in_panel)
        label = axes.text(far, height, name, va="center", fontsize=7.5, zorder=4, **in_panel)
        label.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
        if name == "GPAC":
            label.set_fontweight("bold")


def _style(axes: Any, kind: str, sizes: Sequence[int]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.margins(y=0.08)
    axes.autoscale_view()
    low, high = axes.get_ylim()
    steps = (1,) if high / low > FEW_DECADES else (1, 2, 5)
    axes.yaxis.set_major_locator(LogLocator(subs=steps))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_ylabel(PANELS[kind], color=INK)
    axes.tick_params(colors=INK, labelsize=8, which="both")
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _caption(rows: Mapping[str, Sequence[Standing]]) -> str:
    """Say what the cross means where there is one, and who has no point at all."""
    parts = []
    for title, standings in rows.items():
        lines = growth_lines(standings, "seconds")
        if any(sizes and ended for sizes, _, ended in lines.values()):
            parts.append("A cross ends the line of a method that failed with more rows.")
        absent = [name for name, (sizes, _, _) in lines.items() if not sizes]
        if absent:
            parts.append(f"No size of {title} was finished by {', '.join(absent)}.")
    return " ".join(dict.fromkeys(parts))
