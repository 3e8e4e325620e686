"""Methods beside each other on the same rows, each in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac import methods
from graphpac._threads import resolve_n_jobs
from graphpac._typing import AnyArray, Progress
from graphpac.exceptions import ParameterError
from graphpac.measuring.fits import few_rows, measure_fit
from graphpac.measuring.own_process import MeasurementError, RaisedError, call_in_own_process
from graphpac.metrics import score_labels

_DENSE, _SPARSE = "rows.npy", "rows.npz"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one method took and found; None where it failed, or where no labels are known.

    ``peak_memory`` is that of the process in MB, with the rows and all libraries.
    """

    method: str
    seconds: float | None = None
    peak_memory: float | None = None
    n_clusters: int | None = None
    nmi: float | None = None
    acc: float | None = None
    ari: float | None = None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class Contest:
    """What every method gets: rows, clusters to find, a seed and threads."""

    n_clusters: int
    seed: int = 0
    n_jobs: int | None = None


def measure_methods(
    X: Any, y: Any, names: Sequence[str], contest: Contest, progress: Progress
) -> list[Measured]:
    """Fit methods, by their names, one after the other and measure each.

    ``y`` are the known classes of the rows to compare with, if any; the progress is told how many
    methods are done.
    """
    chosen = [methods.find(name) for name in names]
    resolve_n_jobs(contest.n_jobs)
    if contest.n_clusters > X.shape[0]:
        msg = f"n_clusters={contest.n_clusters} must be at most {X.shape[0]}, the number of rows."
        raise ParameterError(msg)
    measured = []
    with TemporaryDirectory() as folder:
        _store(X, Path(folder))
        for done, method in enumerate(chosen):
            progress(done, len(chosen))
            measured.append(_measure(method, Path(folder), contest, y))
    return measured


def _measure(method: methods.Method, folder: Path, contest: Contest, y: Any) -> Measured:
    work = partial(fit_stored, method.name, folder, contest)
    try:
        found, labels = call_in_own_process(work)
    except MeasurementError as error:
        told = error.text if isinstance(error, RaisedError) else str(error)
        return Measured(method=method.label, problem=" ".join(told.split()))
    if y is not None:
        scores = score_labels(y, labels)
        found |= {"nmi": scores.nmi, "acc": scores.acc, "ari": scores.ari}
    return Measured(method=method.label, **found)


def fit_stored(name: str, folder: Path, contest: Contest) -> tuple[dict[str, Any], AnyArray]:
    """Measure one method on the rows in a folder; return what it took, and the labels."""
    X = _load(folder)

    def fit(X: Any) -> Any:
        n_clusters, seed, n_jobs = contest.n_clusters, contest.seed, contest.n_jobs
        return methods.make(name, n_clusters, random_state=seed, n_jobs=n_jobs).fit(X)

    measure_fit(lambda: fit(few_rows(X, contest.n_clusters)))  # imports and compiles
    done = measure_fit(lambda: fit(X))
    names = ("seconds", "peak_memory", "n_clusters")
    return {name: getattr(done, name) for name in names}, done.labels


def _store(X: Any, folder: Path) -> None:
    if sp.issparse(X):
        sp.save_npz(folder / _SPARSE, X, compressed=False)
    else:
        np.save(folder / _DENSE, X)


def _load(folder: Path) -> Any:
    path = folder / _DENSE
    return np.load(path) if path.exists() else sp.load_npz(folder / _SPARSE)
