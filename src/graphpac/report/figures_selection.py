"""The picture of a comparison of numbers of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphpac.report.figures import ACCENT, FAINT, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from graphpac.selection import Suggestion

BLUE = "#3b6fb0"


def draw_suggestion(axes: Axes, suggestion: Suggestion) -> None:
    """Draw what was measured for each number of clusters, and mark the one suggested.

    Hollow points are numbers that left clusters empty.
    """
    candidates = suggestion.candidates
    numbers = [candidate.n_clusters for candidate in candidates]
    highest = max(candidate.score for candidate in candidates) or 1.0
    curves = (
        ("stability", BLUE, 1.2, [candidate.stability for candidate in candidates]),
        ("modularity", FAINT, 1.2, [candidate.modularity for candidate in candidates]),
        ("score, highest 1", INK, 2.0, [candidate.score / highest for candidate in candidates]),
    )
    hollow = [place for place, candidate in enumerate(candidates) if candidate.has_empty_clusters]
    for name, color, width, values in curves:
        axes.plot(numbers, values, color=color, linewidth=width, marker="o", markersize=4)
        axes.plot(
            [numbers[place] for place in hollow],
            [values[place] for place in hollow],
            linestyle="none",
            marker="o",
            markersize=4,
            markerfacecolor="white",
            markeredgecolor=color,
        )
        axes.annotate(
            name,
            (numbers[-1], values[-1]),
            (6, 0),
            textcoords="offset points",
            color=color,
            va="center",
        )
    if suggestion.n_clusters is not None:
        _mark(axes, suggestion.n_clusters)
    axes.set_ylim(top=1.02)
    axes.set_xlabel("number of clusters")
    axes.set_title(
        "How well halves of the graph agree, and how few neighbors are parted", loc="left"
    )
    axes.spines[["top", "right"]].set_visible(False)


def _mark(axes: Axes, n_clusters: int) -> None:
    axes.axvline(n_clusters, color=ACCENT, linewidth=1, zorder=0)
    axes.annotate(
        str(n_clusters),
        (n_clusters, 1.0),
        (4, 0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        color=ACCENT,
        va="top",
        weight="bold",
    )
