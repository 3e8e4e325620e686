"""Runs the trials that are not in the journal yet, one after the other, and writes each down."""

from __future__ import annotations

import logging
import platform
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version
from itertools import groupby
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from graphpac import methods
from graphpac._machine import processor_name
from graphpac._threads import resolve_n_jobs
from graphpac._typing import Progress
from graphpac.datasets import Dataset
from graphpac.exceptions import DatasetError, FileFormatError
from graphpac.experiments.data import load_data
from graphpac.experiments.trials import Trial
from graphpac.graph.searchers import RememberingSearcher, resolve_searcher
from graphpac.io.journal import append_entry, read_entries
from graphpac.io.lock import locked
from graphpac.metrics import clustering_accuracy, score_labels
from graphpac.solvers import IterationRecord, SolverOptions

logger = logging.getLogger(__name__)

_PACKAGES = ("graphpac", "numpy", "scipy", "scikit-learn", "numba", "faiss-cpu")
_OF_EVERY_ENTRY = ("key", "outcome", "trial", "when", "machine", "versions")
_LONGEST_REASON = 300  # characters
_WARM_UP_ROWS = 1000
_warmed_up: set[tuple[str, str]] = set()  # what this process has compiled and loaded already


@dataclass(frozen=True)
class Outcome:
    """What a trial found: scores, cost, and the accuracy after each iteration if it was traced."""

    NMI: float
    ACC: float
    ARI: float
    seconds: float
    n_clusters: int
    n_iter: int | None
    accuracies: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        scores = (self.NMI, self.ACC, self.ARI)
        if not all(map(isfinite, (*scores, self.seconds, *self.accuracies))):
            told = ", ".join(map(str, scores))
            msg = f"NMI, ACC and ARI are {told} after {self.seconds} s: all must be finite numbers."
            raise ValueError(msg)


@dataclass(frozen=True)
class Failure:
    """Why a trial found nothing; the next call tries it again."""

    reason: str


Found: TypeAlias = Mapping[str, Outcome | Failure]


class Searchers(dict[str, RememberingSearcher]):
    """For each searcher a method may ask for, one that remembers what it found."""

    def __missing__(self, name: str) -> RememberingSearcher:
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

    A trial that fails is noted and does not end the others; neither do data that cannot be read.
    A second process that is given the same journal meanwhile gets a CheckpointError.

    Parameters
    ----------
    trials : iterable of Trial
        In any order; equal ones are run once.
    journal : path
        Grows by a line for each finished trial. A run that was ended goes on after the last.
    n_jobs : int, optional
        Threads of a fit; they do not change its result.
    features : mapping of str to path, optional
        Files a user brings; see `load_data`.
    progress : callable, optional
        Called with the numbers of finished and of all trials.
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
        tally = _Tally(len(missing), len(wanted), progress)
        for (dataset, n_samples), same_data in groupby(missing, lambda t: (t.dataset, t.n_samples)):
            group = list(same_data)
            try:
                data = load_data(dataset, n_samples=n_samples, features=features)
            except (DatasetError, FileFormatError, OSError, MemoryError) as error:
                found |= {trial.key: _failure(error) for trial in group}
                tally.leave_out(group, _failure(error))
                continue
            searchers = Searchers()  # with the graphs of this data set, shared by its trials
            for trial in group:
                found[trial.key] = _attempt(trial, data, searchers, n_jobs)
                append_entry(journal, _entry(trial, found[trial.key], resolve_n_jobs(n_jobs)))
                tally.add(trial, found[trial.key])
    return found


class _Tally:
    """Tells how far the trials are: a bar by numbers, the log by a line for each trial."""

    def __init__(self, n_missing: int, n_all: int, progress: Progress | None) -> None:
        self._n_missing = n_missing
        self._n_all = n_all
        self._progress = progress
        self._n_run = 0
        self._began = perf_counter()
        self._show()

    def add(self, trial: Trial, found: Outcome | Failure) -> None:
        """Tell of a trial that was run."""
        self._n_run += 1
        self._n_missing -= 1
        self._show()
        seconds_left = (perf_counter() - self._began) / self._n_run * self._n_missing
        logger.info(
            "%d of %d runs done: %s on %s, seed %d, %s; about %s left",
            *(self._n_all - self._n_missing, self._n_all),
            *(trial.method, trial.dataset, trial.seed),
            "failed" if isinstance(found, Failure) else f"{found.seconds:.1f} s",
            timedelta(seconds=round(seconds_left)),
        )

    def leave_out(self, trials: Sequence[Trial], failure: Failure) -> None:
        """Tell of trials whose data are not there; they say nothing about the time left."""
        self._n_missing -= len(trials)
        self._show()
        told = (len(trials), trials[0].dataset, failure.reason)
        logger.warning("%d runs on %s are left out: %s", *told)

    def _show(self) -> None:
        if self._progress is not None:
            self._progress(self._n_all - self._n_missing, self._n_all)


def _attempt(
    trial: Trial, data: Dataset, searchers: Searchers, n_jobs: int | None
) -> Outcome | Failure:
    try:
        return run_trial(trial, data, searchers, n_jobs=n_jobs)
    except Exception as error:
        # Whatever it is, hours of other trials do not depend on it.
        failure = _failure(error)
        told = (trial.method, trial.dataset, trial.seed, failure.reason)
        logger.warning("%s on %s, seed %d, failed: %s", *told)
        logger.debug("where it failed", exc_info=True)
        return failure


def _failure(error: Exception) -> Failure:
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return Failure(reason[:_LONGEST_REASON])


def run_trial(
    trial: Trial, data: Dataset, searchers: Searchers, *, n_jobs: int | None = None
) -> Outcome:
    """Fit and score."""
    model = make_estimator(trial, data.n_classes, n_jobs)
    if "searcher" in model.get_params() and not trial.timed:
        model.set_params(searcher=searchers[model.searcher])
    if trial.timed:
        _warm_up(trial, data, n_jobs)
    accuracies: list[float] = []
    fit_parameters: dict[str, Any] = {}
    if trial.traced:
        fit_parameters["callback"] = _tracer(data, accuracies)
    began = perf_counter()
    with warnings.catch_warnings():
        # Empty clusters and missed tolerances show in the scores.
        warnings.simplefilter("ignore")
        model.fit(data.X, **fit_parameters)
    seconds = perf_counter() - began
    scores = score_labels(data.y, model.labels_)
    return Outcome(
        NMI=scores.nmi,
        ACC=scores.acc,
        ARI=scores.ari,
        seconds=seconds,
        n_clusters=int(np.unique(model.labels_).size),
        n_iter=_optional_int(getattr(model, "n_iter_", None)),
        accuracies=tuple(accuracies),
    )


def _warm_up(trial: Trial, data: Dataset, n_jobs: int | None) -> None:
    """Fit a few rows before the first of some timed trials, which would pay for compilation."""
    model = make_estimator(trial, data.n_classes, n_jobs)
    searcher = None
    if "searcher" in model.get_params():
        searcher = resolve_searcher(model.searcher, data.X)  # few rows might be given another
        model.set_params(searcher=searcher)
    kind = (replace(trial, seed=0, n_samples=None).key, type(searcher).__name__)
    if kind in _warmed_up:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data.X[: max(_WARM_UP_ROWS, 2 * data.n_classes)])
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


def read_outcomes(journal: Path) -> dict[str, Outcome]:
    """Read the trials a journal holds that did not fail, by key; the last of equals counts."""
    outcomes: dict[str, Outcome] = {}
    n_strange = 0
    for entry in read_entries(journal):
        if "outcome" not in entry:
            continue
        try:
            key, told, *_ = (entry[name] for name in _OF_EVERY_ENTRY)
            outcomes[key] = Outcome(**{**told, "accuracies": tuple(told["accuracies"])})
        except (KeyError, TypeError, ValueError):
            n_strange += 1
    if n_strange:
        logger.warning("%s: passed over %d lines that tell no outcome of ours", journal, n_strange)
    return outcomes


def _tracer(data: Dataset, accuracies: list[float]) -> Callable[[IterationRecord], None]:
    def note(record: IterationRecord) -> None:
        if record.labels is not None:
            accuracies.append(clustering_accuracy(data.y, record.labels()))

    return note


def _entry(trial: Trial, found: Outcome | Failure, n_jobs: int) -> dict[str, Any]:
    what = {"failure": found.reason} if isinstance(found, Failure) else {"outcome": asdict(found)}
    return {
        "key": trial.key,
        "trial": asdict(trial),
        **what,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "n_jobs": n_jobs,
        **_surroundings(),
    }


@cache
def _surroundings() -> Mapping[str, Any]:
    return {
        "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
        "processor": processor_name(),
        "cores": resolve_n_jobs(None),
        "versions": {package: version(package) for package in _PACKAGES},
    }


def _optional_int(value: Any) -> int | None:
    return None if value is None else int(value)
