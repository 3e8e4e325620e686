"""Runs the trials that are not in the journal yet, one after the other, and writes each down."""

from __future__ import annotations

import platform
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from graphpac import methods
from graphpac._threads import resolve_n_jobs
from graphpac._typing import Progress
from graphpac.datasets import Dataset
from graphpac.experiments.data import load_data
from graphpac.experiments.trials import Trial
from graphpac.graph.searchers import RememberingSearcher
from graphpac.io.journal import append_entry, read_entries
from graphpac.metrics import clustering_accuracy, score_labels
from graphpac.solvers import IterationRecord, SolverOptions

_PACKAGES = ("graphpac", "numpy", "scipy", "scikit-learn", "numba", "faiss-cpu")


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
) -> dict[str, Outcome]:
    """Return the outcome of every trial by its key; what the journal has is not run again.

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
    found = {key: outcome for key, outcome in read_outcomes(journal).items() if key in wanted}
    missing = sorted(
        (trial for key, trial in wanted.items() if key not in found),
        key=lambda trial: (trial.dataset, trial.n_samples or 0, trial.key),
    )
    if progress is not None:
        progress(len(found), len(wanted))
    for (dataset, n_samples), group in groupby(missing, lambda t: (t.dataset, t.n_samples)):
        data = load_data(dataset, n_samples=n_samples, features=features)
        searchers = Searchers()  # with the graphs of this data set, shared by its trials
        for trial in group:
            outcome = run_trial(trial, data, searchers, n_jobs=n_jobs)
            append_entry(journal, _entry(trial, outcome, resolve_n_jobs(n_jobs)))
            found[trial.key] = outcome
            if progress is not None:
                progress(len(found), len(wanted))
    return found


def run_trial(
    trial: Trial, data: Dataset, searchers: Searchers, *, n_jobs: int | None = None
) -> Outcome:
    """Fit and score."""
    model = make_estimator(trial, data.n_classes, n_jobs)
    if "searcher" in model.get_params() and not trial.timed:
        model.set_params(searcher=searchers[model.searcher])
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


def read_outcomes(journal: Path) -> dict[str, Outcome]:
    """Read what a journal holds, by the key of the trial; the last of equals counts."""
    return {
        entry["key"]: Outcome(
            **{**entry["outcome"], "accuracies": tuple(entry["outcome"]["accuracies"])}
        )
        for entry in read_entries(journal)
    }


def _tracer(data: Dataset, accuracies: list[float]) -> Callable[[IterationRecord], None]:
    def note(record: IterationRecord) -> None:
        if record.labels is not None:
            accuracies.append(clustering_accuracy(data.y, record.labels()))

    return note


def _entry(trial: Trial, outcome: Outcome, n_jobs: int) -> dict[str, Any]:
    return {
        "key": trial.key,
        "trial": asdict(trial),
        "outcome": asdict(outcome),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "n_jobs": n_jobs,
        "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
        "versions": {package: version(package) for package in _PACKAGES},
    }


def _optional_int(value: Any) -> int | None:
    return None if value is None else int(value)
