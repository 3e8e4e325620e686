"""Numbers of clusters compared on the rows of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphpac._files import replacing
from graphpac.runs.source import Source
from graphpac.runs.watch import Watch
from graphpac.selection import Suggestion, suggest_n_clusters


def sweep_source(
    source: Source, n_clusters: list[int], plot: Path, *, watch: Watch, **parameters: Any
) -> Suggestion:
    """Compare numbers of clusters and draw what they show.

    Parameters
    ----------
    source : Source
        The rows.
    n_clusters : list of int
        The numbers to compare.
    plot : Path
        Picture to write; its name ends in .png or .svg.
    watch : callable
        Shows stages that take time.
    **parameters
        Of `suggest_n_clusters`.
    """
    with watch("read") as progress:
        table = source.read(progress)
    with watch("fits") as progress:
        suggestion = suggest_n_clusters(table.X, n_clusters, progress=progress, **parameters)
    _draw(plot, suggestion)
    return suggestion


def _draw(path: Path, suggestion: Suggestion) -> None:
    from matplotlib.figure import Figure

    from graphpac.report.figures_selection import draw_suggestion

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    draw_suggestion(figure.subplots(), suggestion)
    with replacing(path) as file:
        figure.savefig(file, format=path.suffix[1:], dpi=120)
