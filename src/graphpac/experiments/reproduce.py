"""Run experiments and write what they show: records, CSV, Markdown, figures, one page."""

from __future__ import annotations

import io
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from graphpac import methods
from graphpac._files import replacing
from graphpac._typing import Progress
from graphpac.experiments.config import Experiment
from graphpac.experiments.figures import draw_bars, draw_curves, draw_iterations
from graphpac.experiments.page import Section, make_section, render_page
from graphpac.experiments.run import Outcome, run_trials
from graphpac.experiments.summary import Cell, summarize
from graphpac.experiments.tables import csv_text, markdown_table
from graphpac.experiments.trials import places, trials_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JOURNAL = "records.jsonl"
PAGE = "index.html"


@dataclass(frozen=True)
class Request:
    """What a user asks for beside the names of experiments; None and empty mean as defined."""

    runs: int | None = None
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    quick: bool = False
    n_jobs: int | None = None
    features: Mapping[str, Path] | None = None

    def applied(self, experiment: Experiment) -> Experiment:
        """Return the experiment narrowed to what is asked for; it may have nothing left to do."""
        if self.quick:
            experiment = experiment.quickened()
        if self.datasets:
            asked = tuple(name.lower() for name in self.datasets)
            experiment = replace(experiment, datasets=asked)
        if self.methods:
            asked = tuple(methods.find(name).name for name in self.methods)
            kept = tuple(s for s in experiment.series if methods.find(s.method).name in asked)
            experiment = replace(experiment, series=kept)
        if self.runs is not None:
            series = tuple(
                item if item.runs is None else replace(item, runs=min(item.runs, self.runs))
                for item in experiment.series
            )
            experiment = replace(experiment, runs=self.runs, series=series)
        return experiment


@dataclass(frozen=True)
class Reproduced:
    """One experiment after its trials: cells, Markdown, and a figure if it has one."""

    experiment: Experiment
    cells: Sequence[Cell]
    markdown: str
    figure: Figure | None


def reproduce(
    experiments: Sequence[Experiment],
    output: Path,
    request: Request,
    progress: Progress | None = None,
) -> list[Reproduced]:
    """Run what is missing and write everything anew.

    The journal in the output folder keeps every finished trial, so a run that was ended goes on
    where it stopped, and asking for more runs only runs the new ones.
    """
    output.mkdir(parents=True, exist_ok=True)
    narrowed = [request.applied(experiment) for experiment in experiments]
    asked = [
        trial
        for experiment in narrowed
        for place in places(experiment)
        for trial in trials_at(place, experiment, max_samples=_limit(experiment, request))
    ]
    outcomes = run_trials(
        asked,
        output / JOURNAL,
        n_jobs=request.n_jobs,
        features=request.features,
        progress=progress,
    )
    done = [_show(experiment, outcomes, request) for experiment in narrowed]
    _write_all(done, output, request)
    return done


def _limit(experiment: Experiment, request: Request) -> int | None:
    return experiment.quick_samples if request.quick else None


def _show(experiment: Experiment, outcomes: Mapping[str, Outcome], request: Request) -> Reproduced:
    limit = _limit(experiment, request)
    cells = summarize(experiment, outcomes, max_samples=limit, features=request.features)
    figure = None
    if experiment.kind == "curve":
        figure = draw_curves(experiment, cells)
    elif experiment.kind == "bars":
        figure = draw_bars(experiment, cells)
    elif experiment.kind == "iterations":
        figure = draw_iterations(experiment, outcomes, max_samples=limit)
    return Reproduced(experiment, cells, markdown_table(cells), figure)


def _write_all(done: Sequence[Reproduced], output: Path, request: Request) -> None:
    sections: list[Section] = []
    for item in done:
        name = item.experiment.name
        _write(output / f"{name}.csv", csv_text(item.cells))
        _write(output / f"{name}.md", f"# {item.experiment.title}\n\n{item.markdown}\n")
        sections.append(make_section(item.experiment, item.cells, item.figure))
        if item.figure is not None:
            for ending in ("png", "svg"):
                drawn = io.BytesIO()
                item.figure.savefig(drawn, format=ending, dpi=150)
                _write(output / f"{name}.{ending}", drawn.getvalue())
    _write(output / PAGE, render_page(sections, _conditions(request)))


def _write(path: Path, content: str | bytes) -> None:
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def _conditions(request: Request) -> str:
    from graphpac import __version__

    quick = "Quick form: parts of the data, few runs, not to be compared. " if request.quick else ""
    return (
        f"{quick}Means and standard deviations over the runs, the printed number in brackets. "
        f"Drawn {datetime.now(UTC):%Y-%m-%d} by graphpac {__version__} on {os.cpu_count()} cores "
        f"({platform.machine()}, {platform.system()}), Python {platform.python_version()}."
    )
