"""Runs the trials that are not in the journal yet, one after the other, and writes each down."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from graphpac import methods
from graphpac._machine import processor_name
from graphpac._threads import resolve_n_jobs
from graphpac._typing import Progress
from graphpac.datasets import Dataset
from graphpac.exceptions import DatasetError, FileFormatError
from graphpac.experiments.data import load_data
from graphpac.experiments.outcomes import Failure, Found, Outcome, entry_of, read_outcomes
from graphpac.experiments.tally import Tally
from graphpac.experiments.trials import Trial
from graphpac.fitting.problem import searcher_of
from graphpac.graph.searchers import NeighborSearcher, RememberingSearcher, resolve_searcher
from graphpac.io.journal import append_entry
from graphpac.io.lock import locked
from graphpac.measuring.fits import few_rows, measure_fit
from graphpac.metrics import clustering_accuracy, score_labels
from graphpac.solvers import IterationRecord, SolverOptions

logger = logging.getLogger(__name__)

_warmed_up: set[tuple[str, str]] = set()  # what this process has compiled and loaded already


class Searchers(dict[str | NeighborSearcher, RememberingSearcher]):
    """For each searcher a method may ask for, one that remembers what it found."""

    def __missing__(self, name: str | NeighborSearcher) -> RememberingSearcher:
        self[name] = RememberingSearcher(name)
        return self[name]


def run_trials(
    trials: Iterable[Trial],
    journal: Path,
    *,
    n_jobs: int | None = None,
    features: Mapping[str, Path] | None = None,
    progress: Progress | None = None,
) -> Found:
    """Return what every trial found, by its key; what the journal has is not run again.

    The journal grows by a line for each finished trial, so a run that was ended goes on after the
    last. Equal trials are run once. One that fails is noted and does not end the others; neither do
    data that cannot be read. A second process that is given the same journal meanwhile gets a
    CheckpointError. Threads do not change what is found; features are files a user brings, see
    `load_data`.
    """
    wanted = {trial.key: trial for trial in trials}
    journal.parent.mkdir(parents=True, exist_ok=True)
    with locked(journal.with_name(f"{journal.name}.lock")):
        found: dict[str, Outcome | Failure] = {
            key: outcome for key, outcome in read_outcomes(journal).items() if key in wanted
        }
        missing = sorted(
            (trial for key, trial in wanted.items() if key not in found),
            key=lambda trial: (trial.dataset, trial.n_samples or 0, trial.key),
        )
        tally = Tally(len(missing), len(wanted), progress)
        for (dataset, n_samples), same_data in groupby(missing, lambda t: (t.dataset, t.n_samples)):
            group = list(same_data)
            try:
                data = load_data(dataset, n_samples=n_samples, features=features)
            except (DatasetError, FileFormatError, OSError, MemoryError) as error:
                found |= {trial.key: Failure.of(error) for trial in group}
                tally.leave_out(group, Failure.of(error))
                continue
            searchers = Searchers()  # with the graphs of this data set, shared by its trials
            for trial in group:
                found[trial.key] = _attempt(trial, data, searchers, n_jobs)
                append_entry(journal, entry_of(trial, found[trial.key], resolve_n_jobs(n_jobs)))
                tally.add(trial, found[trial.key])
    return found


def _attempt(
    trial: Trial, data: Dataset, searchers: Searchers, n_jobs: int | None
) -> Outcome | Failure:
    try:
        return run_trial(trial, data, searchers, n_jobs=n_jobs)
    except Exception as error:
        # Whatever it is, hours of other trials do not depend on it.
        failure = Failure.of(error)
        told = (trial.method, trial.dataset, trial.seed, failure.reason)
        logger.warning("%s on %s, seed %d, failed: %s", *told)
        logger.debug("where it failed", exc_info=True)
        return failure


def run_trial(
    trial: Trial, data: Dataset, searchers: Searchers, *, n_jobs: int | None = None
) -> Outcome:
    """Fit and score."""
    model = make_estimator(trial, data.n_classes, n_jobs)
    if "searcher" in model.get_params() and not trial.timed:
        model.set_params(searcher=searchers[searcher_of(model)])
    if trial.timed:
        _warm_up(trial, data, n_jobs)
    accuracies: list[float] = []
    fit_parameters: dict[str, Any] = {}
    if trial.traced:
        fit_parameters["callback"] = _tracer(data, accuracies)
    done = measure_fit(lambda: model.fit(data.X, **fit_parameters))
    scores = score_labels(data.y, done.labels)
    return Outcome(
        NMI=scores.nmi,
        ACC=scores.acc,
        ARI=scores.ari,
        seconds=done.seconds,
        n_clusters=done.n_clusters,
        n_iter=done.n_iter,
        accuracies=tuple(accuracies),
    )


def _warm_up(trial: Trial, data: Dataset, n_jobs: int | None) -> None:
    """Fit a few rows before the first of some timed trials, which would pay for compilation."""
    model = make_estimator(trial, data.n_classes, n_jobs)
    searcher = None
    if "searcher" in model.get_params():
        searcher = resolve_searcher(searcher_of(model), data.X)  # few rows might be given another
        model.set_params(searcher=searcher)
    kind = (replace(trial, seed=0, n_samples=None).key, type(searcher).__name__)
    if kind in _warmed_up:
        return
    measure_fit(lambda: model.fit(few_rows(data.X, data.n_classes)))
    _warmed_up.add(kind)


def make_estimator(trial: Trial, n_classes: int, n_jobs: int | None = None) -> Any:
    """Make the estimator of a trial; the number of clusters is that of the true classes."""
    parameters = dict(trial.parameters)
    if "batch_per_cluster" in parameters:
        parameters["batch_size"] = int(parameters.pop("batch_per_cluster") * n_classes)
    if "solver" in parameters:
        parameters["solver"] = SolverOptions(**parameters["solver"])
    return methods.make(
        trial.method, n_classes, random_state=trial.seed, n_jobs=n_jobs, **parameters
    )


def timing_conditions(n_jobs: int | None) -> str:
    """Tell what a running time depends on beside the trial itself."""
    n_threads = resolve_n_jobs(n_jobs)
    return f"{n_threads} {'thread' if n_threads == 1 else 'threads'} of {processor_name()}"


def _tracer(data: Dataset, accuracies: list[float]) -> Callable[[IterationRecord], None]:
    def note(record: IterationRecord) -> None:
        if record.labels is not None:
            accuracies.append(clustering_accuracy(data.y, record.labels()))

    return note
