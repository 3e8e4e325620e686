"""Run experiments and write what they show: records, CSV, Markdown, figures, one page."""

from __future__ import annotations

import io
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from graphpac import methods
from graphpac._files import replacing
from graphpac._machine import processor_name
from graphpac._threads import resolve_n_jobs
from graphpac._typing import Progress
from graphpac.experiments.choices import Comparison, compare_readings
from graphpac.experiments.config import Experiment
from graphpac.experiments.data import check_names
from graphpac.experiments.explanations import Remark, remarks_on
from graphpac.experiments.figures import draw_bars, draw_curves
from graphpac.experiments.page import make_section, render_page
from graphpac.experiments.published import is_printed
from graphpac.experiments.run import Found, run_trials
from graphpac.experiments.summary import Cell, summarize
from graphpac.experiments.tables import (
    Grid,
    csv_rows,
    csv_text,
    grids_of,
    markdown_of,
    markdown_table,
)
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
        elif self.features:
            brought = tuple(
                name.lower()
                for name in self.features
                if is_printed(experiment.published, name.upper())
            )
            experiment = replace(experiment, datasets=(*experiment.datasets, *brought))
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
    """One experiment after its trials, and everything that is shown of it."""

    experiment: Experiment
    cells: Sequence[Cell]

    @cached_property
    def grids(self) -> list[Grid]:
        """Its tables."""
        return grids_of(self.experiment, self.cells)

    @cached_property
    def remarks(self) -> list[Remark]:
        """What is said about marked and failed cells."""
        return remarks_on(self.cells)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Readings of the paper on each data set, of an experiment that compares them."""
        if self.experiment.kind != "choices" or not self.cells:
            return []
        return compare_readings(self.cells, self.experiment.series[0].label)

    @cached_property
    def figure(self) -> Figure | None:
        """Its figure, None of a table or where nothing came to its end."""
        is_drawn = self.experiment.kind not in {"table", "choices"}
        if not is_drawn or not any(cell.values for cell in self.cells):
            return None
        draw = draw_bars if self.experiment.kind == "bars" else draw_curves
        return draw(self.experiment, self.cells)

    def markdown(self) -> str:
        """Tables, verdicts and remarks."""
        parts = [markdown_of(grid) for grid in self.grids]
        for comparison in self.comparisons:
            if comparison.readings:
                parts += [f"**{comparison.title}**", markdown_table(*comparison.table())]
            parts.append(comparison.sentence())
        if self.remarks:
            parts.append("\n".join(f"- {remark}" for remark in self.remarks))
        return "\n\n".join(parts)


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
    narrowed = [request.applied(experiment) for experiment in experiments]
    asked_for = {name for item in narrowed for name in item.datasets}
    check_names(asked_for, request.features)
    for name in request.features or {}:
        if name.lower() not in asked_for:
            msg = f"the features of {name} would not be used: add --datasets {name}."
            raise ValueError(msg)
    output.mkdir(parents=True, exist_ok=True)
    asked = [
        trial
        for experiment in narrowed
        for place in places(experiment)
        for trial in trials_at(
            place,
            experiment,
            max_samples=_limit(experiment, request),
            features=request.features,
        )
    ]
    found = run_trials(
        asked,
        output / JOURNAL,
        n_jobs=request.n_jobs,
        features=request.features,
        progress=progress,
    )
    done = [_summarized(experiment, found, request) for experiment in narrowed]
    _write_all(done, output, request)
    return done


def _limit(experiment: Experiment, request: Request) -> int | None:
    return experiment.quick_samples if request.quick else None


def _summarized(experiment: Experiment, found: Found, request: Request) -> Reproduced:
    limit = _limit(experiment, request)
    cells = summarize(experiment, found, max_samples=limit, features=request.features)
    return Reproduced(experiment, cells)


def _write_all(done: Sequence[Reproduced], output: Path, request: Request) -> None:
    for item in done:
        name = item.experiment.name
        if item.cells:
            _write(output / f"{name}.csv", csv_text(csv_rows(item.cells)))
            _write(output / f"{name}.md", f"# {item.experiment.title}\n\n{item.markdown()}\n")
        if item.figure is not None:
            for ending in ("png", "svg"):
                _write(output / f"{name}.{ending}", drawn(item.figure, ending))
    sections = [
        make_section(item.experiment, item.grids, item.remarks, item.comparisons, item.figure)
        for item in done
    ]
    _write(output / PAGE, render_page(sections, _conditions(request)))


def drawn(figure: Figure, ending: str, *, dots_per_inch: int = 150) -> bytes:
    """Draw a figure as PNG or SVG."""
    out = io.BytesIO()
    figure.savefig(out, format=ending, dpi=dots_per_inch)
    return out.getvalue()


def _write(path: Path, content: str | bytes) -> None:
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def _conditions(request: Request) -> str:
    from graphpac import __version__

    quick = "Quick form: parts of the data, few runs, not to be compared. " if request.quick else ""
    return (
        f"{quick}Means and standard deviations over the runs; below them, in brackets, what the "
        "paper prints, and the difference, in color where it exceeds three standard deviations. "
        f"Drawn {datetime.now(UTC):%Y-%m-%d} by graphpac {__version__} on {resolve_n_jobs(None)} "
        f"cores ({processor_name()}), {platform.system()}, Python {platform.python_version()}."
    )
