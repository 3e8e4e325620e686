"""Pictures of a clustering, one function each: they draw into given axes and decide nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from matplotlib.colors import LinearSegmentedColormap

from graphpac._typing import AnyArray
from graphpac.report.palette import cluster_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from graphpac.report.summary import DoubtfulSample
    from graphpac.solvers import IterationRecord

INK = "#222222"
FAINT = "#8a8a8a"
ACCENT = "#c2410c"
# Begins with white, so that an empty cell is paper.
SHARES = LinearSegmentedColormap.from_list("shares", ["#ffffff", "#b7cde8", "#3b6fb0", "#0b2a55"])
PALEST = 0.15  # opacity of a sample of which nothing is known


def draw_map(
    axes: Axes,
    coordinates: AnyArray,
    labels: AnyArray,
    probabilities: AnyArray,
    names: Mapping[int, str],
) -> None:
    """Draw the samples in the plane: color is the cluster, opacity the largest membership."""
    colors = cluster_colors(max(names) + 1)
    opacity = PALEST + (1.0 - PALEST) * np.square(probabilities)
    rgba = np.column_stack((colors[labels], opacity))
    axes.scatter(coordinates[:, 0], coordinates[:, 1], s=16, c=rgba, linewidths=0)
    for cluster, name in names.items():
        x, y = np.median(coordinates[labels == cluster], axis=0)
        box = {"boxstyle": "round,pad=0.2", "fc": "white", "ec": colors[cluster], "alpha": 0.85}
        axes.text(x, y, name, ha="center", va="center", fontsize=13, weight="bold", bbox=box)
    _without_frame(axes)
    axes.set_aspect("equal")
    axes.set_title("Samples on the neighbor graph: color = cluster, pale = doubtful", loc="left")


def draw_memberships(
    axes: Axes, memberships: sp.csr_matrix, order: Sequence[int], names: Mapping[int, str]
) -> None:
    """Draw all memberships as a heat map, samples sorted by cluster, the surest first.

    The order is that of the clusters from top to bottom.
    """
    dense = memberships.toarray()[:, order]
    rank = dense.argmax(axis=1)
    rows = np.lexsort((-dense.max(axis=1), rank))
    image = axes.imshow(
        dense[rows].T, aspect="auto", cmap=SHARES, vmin=0, vmax=1, interpolation="nearest"
    )
    ends = np.cumsum(np.bincount(rank, minlength=len(order)))
    axes.vlines(ends[:-1] - 0.5, -0.5, len(order) - 0.5, color=FAINT, linewidth=0.5)
    axes.set_yticks(range(len(order)), [names[cluster] for cluster in order])
    axes.set_xticks(np.append(0, ends), np.append(0, ends).astype(str), fontsize=8)
    axes.tick_params(length=0)
    axes.set_ylabel("cluster")
    axes.set_title(
        "Memberships: one column per sample, sorted by cluster and certainty", loc="left"
    )
    axes.figure.colorbar(image, ax=axes, pad=0.01, fraction=0.03, label="membership")


def draw_confusion(axes: Axes, y_true: AnyArray, matched: AnyArray) -> None:
    """Draw how often each class (row) was put into the cluster matched to each class (column)."""
    classes = np.unique(y_true)
    true_place, found_place = np.searchsorted(classes, y_true), np.searchsorted(classes, matched)
    counts = np.zeros((classes.size, classes.size), dtype=np.int64)
    np.add.at(counts, (true_place, found_place), 1)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap=SHARES, vmin=0, vmax=1)
    for row, column in np.argwhere(counts > 0):
        color = "white" if shares[row, column] > 0.5 else INK
        number = str(counts[row, column])
        axes.text(column, row, number, color=color, ha="center", va="center", fontsize=9)
    axes.set_xticks(range(classes.size), classes.astype(str))
    axes.set_yticks(range(classes.size), classes.astype(str))
    axes.tick_params(length=0)
    axes.set_xlabel("matched cluster")
    axes.set_ylabel("true class")
    accuracy = np.trace(counts) / counts.sum()
    axes.set_title(f"Confusion after matching: {accuracy:.1%} agree", loc="left")


def draw_convergence(axes: Axes, history: Sequence[IterationRecord], tol: float) -> None:
    """Draw the change of the memberships in each iteration, and the local weight behind it."""
    iterations = [record.iteration for record in history]
    axes.plot(iterations, [record.change for record in history], color=INK, marker=".")
    axes.axhline(tol, color=FAINT, linestyle=":", linewidth=1)
    axes.annotate("tol", (1, tol), (0, 3), textcoords="offset points", color=FAINT, fontsize=9)
    axes.set_yscale("log")
    axes.set_xlabel("iteration")
    axes.set_ylabel("mean change of a row")
    axes.set_title("Convergence", loc="left")
    axes.spines["top"].set_visible(False)
    ramp = axes.twinx()
    ramp.plot(iterations, [record.local_weight for record in history], color=ACCENT, linewidth=1)
    ramp.set_ylim(0, 1)
    ramp.set_ylabel("local weight", color=ACCENT)
    ramp.tick_params(colors=ACCENT)
    ramp.spines["top"].set_visible(False)


def draw_doubtful(
    panels: Sequence[Axes],
    images: AnyArray,
    doubtful: Sequence[DoubtfulSample],
    names: Mapping[int, str],
    y_true: AnyArray,
) -> None:
    """Draw the most doubtful samples as thumbnails, each with its two best clusters.

    There are as many panels as doubtful samples; images and classes are those of all samples.
    """
    for axes, sample in zip(panels, doubtful, strict=True):
        axes.imshow(images[sample.row], cmap="gray_r", interpolation="nearest")
        _without_frame(axes)
        guesses = (
            f"{names[sample.first]}: {sample.first_membership:.0%}  "
            f"{names[sample.second]}: {sample.second_membership:.0%}"
        )
        axes.set_title(guesses, fontsize=10)
        truth = f"row {sample.row}, true {y_true[sample.row]}"
        axes.set_xlabel(truth, fontsize=9, color=FAINT, labelpad=3)


def _without_frame(axes: Axes) -> None:
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
