"""Numbers of clusters compared on the rows of a file, each kept as soon as it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from graphpac._files import reason_of, replacing
from graphpac._wording import short_path
from graphpac.io.blocks import digest
from graphpac.runs.outputs import check_file
from graphpac.runs.source import Source
from graphpac.runs.sweep_file import SweepFile
from graphpac.runs.watch import Watch
from graphpac.selection import ComparedNumber, Suggestion, compare_n_clusters
from graphpac.selection.rule import choose
from graphpac.selection.suggest import checked_numbers, neighbors_for

_PLOTS = (".png", ".svg")


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """Where a sweep ends, and what to do with what is there."""

    plot: Path
    resume: bool = False
    overwrite: bool = False

    @property
    def file(self) -> Path:
        """Where the numbers are kept: beside the plot, under the same name."""
        return self.plot.with_suffix(".json")

    @property
    def goes_on(self) -> bool:
        """Whether there is something to go on with, and it is asked for."""
        return self.resume and self.file.exists()


def sweep_source(
    source: Source,
    n_clusters: list[int],
    options: SweepOptions,
    *,
    watch: Watch,
    found: Callable[[ComparedNumber], None],
    **parameters: Any,
) -> dict[str, Any]:
    """Compare numbers of clusters, keep what was found about each, draw it; return what is kept.

    Numbers of a sweep that is resumed are added. ``found`` is told each candidate as soon as it is
    judged, and those that were before at once; the parameters are those of `compare_n_clusters`.
    """
    numbers = checked_numbers(n_clusters)
    _check_outputs(options, source)
    with watch("read") as progress:
        table = source.read(progress)
    n_jobs = parameters.pop("n_jobs")
    file = SweepFile(options.file, {"data": _digest(table.X), **parameters})
    if options.goes_on:
        file.resume()
    parameters["n_neighbors"] = file.neighbors or neighbors_for(
        table.X, numbers, parameters["n_neighbors"]
    )
    file.neighbors = parameters["n_neighbors"]
    for number in sorted(file.candidates, reverse=True):
        found(file.candidates[number])
    try:
        with watch("numbers") as progress:
            for candidate in compare_n_clusters(
                table.X,
                numbers,
                n_jobs=n_jobs,
                progress=progress,
                skipped=file.candidates,
                **parameters,
            ):
                file.add(candidate)
                found(candidate)
    except KeyboardInterrupt:
        if not file.candidates:
            raise
        msg = f"what was found is kept in {short_path(file.path)}; go on with --resume"
        raise KeyboardInterrupt(msg) from None
    suggestion = choose(file.candidates.values())
    record = file.write(suggestion)
    _draw(options, suggestion)
    return {**record, "plot": str(options.plot)}


def _check_outputs(options: SweepOptions, source: Source) -> None:
    """Raise an error unless the plot and the file may and can be written."""
    if options.file.exists() and not (options.resume or options.overwrite):
        msg = (
            f"{short_path(options.file)} holds an earlier sweep: add --resume to go on with it, "
            "--overwrite to replace it, or name another file with --plot."
        )
        raise FileExistsError(msg)
    may_replace = options.overwrite or options.goes_on
    for path, endings in ((options.plot, _PLOTS), (options.file, (".json",))):
        check_file(path, "--plot", endings=endings, inputs=source.inputs, overwrite=may_replace)


def _digest(X: Any) -> str:
    """Tell rows from others, wherever they were read."""
    return digest([X.indptr, X.indices, X.data] if sp.issparse(X) else [X])


def _draw(options: SweepOptions, suggestion: Suggestion) -> None:
    from matplotlib.figure import Figure

    from graphpac.report.figures_selection import draw_suggestion

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    draw_suggestion(figure.subplots(), suggestion)
    try:
        with replacing(options.plot) as file:
            figure.savefig(file, format=options.plot.suffix[1:], dpi=120)
    except OSError as error:
        msg = (
            f"{short_path(options.plot)} could not be written ({reason_of(error)}): what was found "
            f"is kept in {short_path(options.file)}, and the same command with --resume draws it."
        )
        raise OSError(msg) from error
