"""Methods beside each other on the same rows, each in a process of its own."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac import methods
from graphpac._threads import resolve_n_jobs
from graphpac._typing import AnyArray, Progress
from graphpac.exceptions import ParameterError
from graphpac.metrics import score_labels
from graphpac.runs.memory import peak_memory, reset_peak

FEW_ROWS = 2000
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
    """Fit methods one after the other and measure each.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,) or None
        Known classes, to compare with.
    names : sequence of str
        Names of methods, as `graphpac.methods` has them.
    contest : Contest
        What every method gets beside the rows.
    progress : callable
        Told how many methods are done.
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
            found, labels = _in_own_process(method.name, Path(folder), contest)
            if y is not None and labels is not None:
                scores = score_labels(y, labels)
                found |= {"nmi": scores.nmi, "acc": scores.acc, "ari": scores.ari}
            measured.append(Measured(method=method.label, **found))
    return measured


def _in_own_process(
    name: str, folder: Path, contest: Contest
) -> tuple[dict[str, Any], AnyArray | None]:
    """Measure in a process whose memory holds nothing else, and which may be killed."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(sender, name, folder, contest), daemon=True)
    process.start()
    sender.close()  # so that the end of the process is the end of the pipe
    try:
        found: tuple[dict[str, Any], AnyArray | None] = receiver.recv()
    except EOFError:
        return {"problem": "its process was killed, most likely for want of memory"}, None
    finally:
        process.terminate()
        process.join()
    return found


def _work(sender: Connection, name: str, folder: Path, contest: Contest) -> None:
    # Ctrl-C reaches this process as well; what there is to say about it the other one says.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        sender.send(_measure(name, folder, contest))
    except (ValueError, TypeError, MemoryError, ImportError) as error:
        sender.send(({"problem": " ".join(str(error).split())}, None))


def _measure(name: str, folder: Path, contest: Contest) -> tuple[dict[str, Any], AnyArray]:
    X = _load(folder)
    _fit(name, X[: max(FEW_ROWS, 4 * contest.n_clusters)], contest)  # imports and compiles
    reset_peak()
    began = perf_counter()
    labels = _fit(name, X, contest)
    found = {
        "seconds": perf_counter() - began,
        "peak_memory": peak_memory(),
        "n_clusters": int(np.unique(labels).size),
    }
    return found, labels


def _fit(name: str, X: Any, contest: Contest) -> AnyArray:
    model = methods.make(name, contest.n_clusters, random_state=contest.seed, n_jobs=contest.n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of empty clusters, which are counted
        labels: AnyArray = np.asarray(model.fit(X).labels_)
    return labels


def _store(X: Any, folder: Path) -> None:
    if sp.issparse(X):
        sp.save_npz(folder / _SPARSE, X, compressed=False)
    else:
        np.save(folder / _DENSE, X)


def _load(folder: Path) -> Any:
    path = folder / _DENSE
    return np.load(path) if path.exists() else sp.load_npz(folder / _SPARSE)
