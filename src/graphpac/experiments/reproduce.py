"""Run experiments and write what they show: records, CSV, Markdown, figures, one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from graphpac._typing import Progress
from graphpac.exceptions import ParameterError
from graphpac.experiments.config import Experiment, experiment_names, load_experiment
from graphpac.experiments.data import check_features, check_names
from graphpac.experiments.outcomes import Found
from graphpac.experiments.page import render_page
from graphpac.experiments.records import Records, read_records
from graphpac.experiments.reproduced import Reproduced, write
from graphpac.experiments.requests import Request, check_form, read_requests, remember
from graphpac.experiments.running import run_trials
from graphpac.experiments.summary import summarize
from graphpac.experiments.trials import runnable_places, trials_at

JOURNAL = "records.jsonl"
PAGE = "index.html"


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
    check_form(request, output)
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
    remember(request, [experiment.name for experiment in experiments], output)
    records = read_records([output / JOURNAL])
    records = replace(records, found={**records.found, **found})
    _write_all(experiments, records, output, request)
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
    experiments: Sequence[Experiment], records: Records, output: Path, request: Request
) -> None:
    """Write the files of what is asked for, and a page of all that ever was in this folder."""
    known = {name: load_experiment(name) for name in experiment_names()}
    known |= {item.name: item for item in experiments}
    asked = read_requests(output)
    sections = []
    for name, experiment in known.items():
        forms = [form.applied(experiment) for form in asked.get(name, [])]
        if not forms:
            continue
        is_new = experiment in experiments
        timed_on = request.timed_on if is_new else records.timed_on
        whole = _joined(records.every_seed(request.formed(experiment)), forms)
        item = _summarized(whole, records, request, records.found, timed_on)
        if is_new:
            item.write(output)
        sections.append(item)
    write(output / PAGE, render_page(sections, quick=request.quick))


def _joined(experiment: Experiment, forms: Sequence[Experiment]) -> Experiment:
    """Narrow an experiment to the data and the methods that any of its forms has."""
    return replace(
        experiment,
        datasets=tuple(dict.fromkeys(name for form in forms for name in form.datasets)),
        series=tuple(
            series
            for series in experiment.series
            if any(series.label == kept.label for form in forms for kept in form.series)
        ),
    )


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
    return Reproduced(experiment, cells, records, subset=request.limit(experiment))
