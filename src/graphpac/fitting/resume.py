"""Fits that can be left and taken up again: what identifies one, and what is kept of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeAlias

import scipy.sparse as sp

from graphpac._threads import resolve_n_jobs
from graphpac._typing import AnyArray, Progress
from graphpac._wording import short_path, short_repr
from graphpac.fitting.init import Init
from graphpac.fitting.problem import options_of
from graphpac.fitting.progress import FitLog, logger
from graphpac.fitting.seeds import Streams, draw_seeds
from graphpac.graph import NeighborGraph
from graphpac.io import Checkpoint, Run, open_checkpoint
from graphpac.io.blocks import digest
from graphpac.io.parts import GRAPH, RESULT, START, STATE, Part, Sizes, Value
from graphpac.solvers import Recorder

Folder: TypeAlias = str | os.PathLike[str]

_NOT_DECISIVE = {"n_jobs", "verbose"}
_ONLY_FOR_ROWS = {"n_neighbors", "metric", "searcher"}


class Stages:
    """The stages of one fit: computed, or taken from a checkpoint that has them."""

    def __init__(self, log: FitLog, seeds: list[int], checkpoint: Checkpoint | None = None) -> None:
        self.log = log
        self.streams = Streams.from_seeds(seeds)
        self._checkpoint = checkpoint

    @property
    def need_rows(self) -> bool:
        """Whether the graph or the start is still to be made."""
        stored = self._checkpoint
        return stored is None or not (stored.has(GRAPH) and stored.has(START))

    @property
    def remaining(self) -> tuple[str, ...]:
        """Names of the stages that are still to be worked on."""
        if self._checkpoint is not None and self._checkpoint.has(RESULT):
            return ()
        return ("graph", "start", "optimize") if self.need_rows else ("optimize",)

    def take(self, part: Part[Value], compute: Callable[[], Value]) -> Value:
        """Return a part that is stored, or compute and store it; inside a stage of the log."""
        if self._checkpoint is None:
            return compute()
        stored = self._checkpoint.load(part)
        if stored is not None:
            value, seconds = stored
            self.log.add(seconds)
            return value
        value = compute()
        self._checkpoint.save(part, value, seconds=self.log.spent())
        return value

    def recorder(self, max_iter: int, progress: Progress) -> Recorder | None:
        """Go on from the last snapshot, and store later ones; None without a checkpoint."""
        checkpoint = self._checkpoint
        if checkpoint is None:
            return None
        latest = None
        if (stored := checkpoint.load(STATE)) is not None:
            latest, seconds = stored
            self.log.add(seconds)
            done = len(latest.history)
            progress(done, max_iter)
            logger.info(
                "resuming from %s after iteration %d of %d",
                short_path(checkpoint.folder),
                done,
                max_iter,
            )
        return Recorder(
            save=lambda snapshot: checkpoint.save(STATE, snapshot, seconds=self.log.spent()),
            latest=latest,
        )


@contextmanager
def open_stages(
    estimator: Any, folder: Folder | None, log: FitLog, init: Init, given: Any
) -> Iterator[Stages]:
    """Begin a fit, or go on with the one a folder holds; the folder is locked meanwhile.

    Parameters
    ----------
    estimator : BaseEstimator
        Holds the parameters, already checked.
    folder : path or None
        Where to keep what is reached; None keeps nothing.
    log : FitLog
        Times the stages.
    init : str, labels or memberships
        What `resolve_init` returned.
    given : NeighborGraph, array or CSR matrix
        What is clustered, already checked.
    """
    # Drawn even if stored seeds are used, so that a generator of the caller moves on all the same.
    seeds = draw_seeds(estimator.random_state)
    if folder is None:
        yield Stages(log, seeds)
        return
    with open_checkpoint(_checked_path(folder)) as checkpoint:
        identity = _identify(estimator, init, given)
        n_samples = given.n_samples if isinstance(given, NeighborGraph) else given.shape[0]
        seeds = checkpoint.begin(Run(identity, seeds), Sizes(n_samples, estimator.n_clusters))
        _tell(checkpoint)
        yield Stages(log, seeds, checkpoint)


def _identify(estimator: Any, init: Init, given: Any) -> dict[str, Any]:
    """Collect all that decides the result of a fit but the numbers a generator draws."""
    from graphpac import __version__

    of_graph = isinstance(given, NeighborGraph)
    n_jobs = resolve_n_jobs(estimator.n_jobs)
    identity: dict[str, Any] = {
        "graphpac": __version__,
        "estimator": type(estimator).__name__,
        "method": "fit_graph" if of_graph else "fit",
        "graph" if of_graph else "X": _fingerprint(given, n_jobs),
    }
    unused = _NOT_DECISIVE | (_ONLY_FOR_ROWS if of_graph else set())
    parameters = estimator.get_params(deep=False)
    for name in sorted(parameters.keys() - unused):
        value = parameters[name]
        if name == "init":
            identity[name] = init if isinstance(init, str) else _fingerprint(init, n_jobs)
        elif name == "solver":
            options = asdict(options_of(estimator))
            identity |= {f"solver.{key}": plain_value(kept) for key, kept in options.items()}
        else:
            identity[name] = plain_value(value)
    return identity


def plain_value(value: Any) -> Any:
    """Turn a parameter into what JSON can hold and give back."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    # A searcher shows its options. A generator shows where it is in memory, which decides nothing.
    shown = repr(value)
    return type(value).__name__ if " at 0x" in shown else shown


def _fingerprint(data: Any, n_jobs: int) -> dict[str, str]:
    """Describe data in words, and by a digest of every value."""
    arrays: list[AnyArray]
    if isinstance(data, NeighborGraph):
        arrays = [data.indptr, data.indices, data.values]
        if data.copy_of is not None:
            arrays.append(data.copy_of)
        words = f"a graph of {data.kind}, {data.n_samples} samples and {data.n_edges} edges"
    elif sp.issparse(data):
        arrays = [data.indptr, data.indices, data.data]
        words = f"a sparse matrix of {data.dtype}, shape {data.shape}"
    else:
        arrays = [data]
        words = f"an array of {data.dtype}, shape {data.shape}"
    return {"is": words, "sha256": digest(arrays, n_jobs)}


def _checked_path(folder: Any) -> Path:
    if not isinstance(folder, str | os.PathLike):
        msg = f"checkpoint={short_repr(folder)} must be None or the path of a folder."
        raise TypeError(msg)
    return Path(folder)


def _tell(checkpoint: Checkpoint) -> None:
    """Log what is taken from a checkpoint; a snapshot, which knows its iteration, tells itself."""
    if checkpoint.has(RESULT):
        logger.info("the fit in %s is finished, taking its result", short_path(checkpoint.folder))
    elif not checkpoint.has(STATE):
        for part in (START, GRAPH):
            if checkpoint.has(part):
                logger.info(
                    "resuming from %s after the %s", short_path(checkpoint.folder), part.name
                )
                break
