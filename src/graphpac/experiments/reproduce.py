"""Run experiments and write what they show: records, CSV, Markdown, figures, one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graphpac import methods
from graphpac._typing import Progress
from graphpac.exceptions import ParameterError
from graphpac.experiments.config import Experiment, experiment_names, load_experiment
from graphpac.experiments.data import check_features, check_names
from graphpac.experiments.outcomes import Found
from graphpac.experiments.page import make_section, render_page
from graphpac.experiments.published import is_printed
from graphpac.experiments.records import Records, read_records
from graphpac.experiments.reproduced import Reproduced, write
from graphpac.experiments.run import run_trials, timing_conditions
from graphpac.experiments.summary import summarize
from graphpac.experiments.trials import runnable_places, trials_at

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

    def formed(self, experiment: Experiment) -> Experiment:
        """Return the experiment in its quick form, if that is asked for."""
        return experiment.quickened() if self.quick else experiment

    def applied(self, experiment: Experiment) -> Experiment:
        """Return the experiment narrowed to what is asked for; it may have nothing left to do."""
        experiment = self.formed(experiment)
        if self.datasets:
            asked = tuple(dict.fromkeys(name.lower() for name in self.datasets))
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
            series = tuple(replace(item, runs=None) for item in experiment.series)
            experiment = replace(experiment, runs=self.runs, series=series)
        return experiment

    @property
    def timed_on(self) -> str:
        """What running times depend on beside the trial itself."""
        return timing_conditions(self.n_jobs)

    def limit(self, experiment: Experiment) -> int | None:
        """Return the largest number of rows."""
        return experiment.quick_samples if self.quick else None


def reproduce(
    experiments: Sequence[Experiment],
    output: Path,
    request: Request,
    progress: Progress | None = None,
) -> list[Reproduced]:
    """Run what is missing, write everything the folder has records of, return what was asked for.

    The journal in the output folder keeps every finished trial, so a run that was ended goes on
    where it stopped, and asking for more runs only runs the new ones. What is written tells of all
    of them, also of those that earlier calls asked for.
    """
    narrowed = [request.applied(experiment) for experiment in experiments]
    _check(experiments, narrowed, request)
    output.mkdir(parents=True, exist_ok=True)
    asked = [
        trial
        for experiment in narrowed
        for place in runnable_places(experiment, request.features)
        for trial in trials_at(
            place,
            experiment,
            max_samples=request.limit(experiment),
            features=request.features,
            timed_on=request.timed_on,
        )
    ]
    found = run_trials(
        asked,
        output / JOURNAL,
        n_jobs=request.n_jobs,
        features=request.features,
        progress=progress,
    )
    records = read_records([output / JOURNAL])
    records = replace(records, found={**records.found, **found})
    _write_all(experiments, narrowed, records, output, request)
    return [
        _summarized(experiment, records, request, found, request.timed_on)
        for experiment in narrowed
    ]


def _check(
    experiments: Sequence[Experiment], narrowed: Sequence[Experiment], request: Request
) -> None:
    """Refuse what would do nothing, before hours are spent on the rest."""
    if not any(item.series for item in narrowed):
        told = dict.fromkeys(s.method for item in experiments for s in item.series)
        asked_for = ", ".join(request.methods)
        names = ", ".join(item.name for item in experiments)
        msg = f"{names} does not run {asked_for}: its methods are {', '.join(told)}."
        raise ParameterError(msg)
    datasets = {name for item in narrowed for name in item.datasets}
    check_names(datasets, request.features)
    for name in request.features or {}:
        if name.lower() not in datasets:
            msg = f"the features of {name} would not be used: add --datasets {name}."
            raise ParameterError(msg)
    check_features(request.features)


def _write_all(
    experiments: Sequence[Experiment],
    narrowed: Sequence[Experiment],
    records: Records,
    output: Path,
    request: Request,
) -> None:
    """Write the files of what was asked for, and a page of all the folder has records of."""
    asked = {item.name: item for item in narrowed}
    known = {name: load_experiment(name) for name in experiment_names()}
    known |= {item.name: item for item in experiments}
    sections = []
    for name, experiment in known.items():
        whole = records.every_seed(request.formed(experiment))
        if name in asked:
            datasets = dict.fromkeys((*whole.datasets, *asked[name].datasets))
            whole = replace(whole, datasets=tuple(datasets))
        timed_on = request.timed_on if name in asked else records.timed_on
        item = _summarized(whole, records, request, records.found, timed_on)
        if name in asked:
            item.write(output)
        if name in asked or item.cells:
            sections.append(make_section(item))
    write(output / PAGE, render_page(sections, quick=request.quick))


def _summarized(
    experiment: Experiment, records: Records, request: Request, found: Found, timed_on: str
) -> Reproduced:
    cells = summarize(
        experiment,
        found,
        max_samples=request.limit(experiment),
        features=request.features,
        timed_on=timed_on,
    )
    return Reproduced(experiment, cells, records)
