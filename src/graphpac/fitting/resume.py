"""Fits that can be left and taken up again: what a checkpoint keeps of one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from graphpac._typing import Progress
from graphpac._wording import short_path, short_repr
from graphpac.fitting.progress import FitLog, logger
from graphpac.io import Checkpoint, Run, open_checkpoint
from graphpac.io.parts import GRAPH, RESULT, START, STATE, Part, Sizes, Value
from graphpac.solvers import Recorder

Folder: TypeAlias = str | os.PathLike[str]


class Kept:
    """The parts of a fit: taken from a checkpoint that has them, or computed and stored there."""

    def __init__(
        self, log: FitLog, checkpoint: Checkpoint | None = None, n_starts: int = 1
    ) -> None:
        self._log = log
        self._checkpoint = checkpoint
        self._n_starts = n_starts

    def lacks(self, part: Part[Any]) -> bool:
        """Tell whether a part is still to be computed."""
        return self._checkpoint is None or not self._checkpoint.has(part)

    @property
    def remaining(self) -> tuple[str, ...]:
        """Names of the stages that a checkpoint can keep and that are still to be worked on."""
        parts = {
            "graph": [GRAPH],
            "start": _each(START, self._n_starts),
            "optimize": _each(RESULT, self._n_starts),
        }
        return tuple(name for name, made in parts.items() if any(map(self.lacks, made)))

    def take(self, part: Part[Value], compute: Callable[[], Value]) -> Value:
        """Return a part that is stored, or compute and store it; inside a stage of the log."""
        if self._checkpoint is None:
            return compute()
        stored = self._checkpoint.load(part)
        if stored is not None:
            value, seconds = stored
            self._log.add(seconds)
            return value
        before = self._log.spent()
        value = compute()
        self._checkpoint.save(part, value, seconds=self._log.spent() - before)
        return value

    def expect(self, sizes: Sizes) -> None:
        """Tell what all further parts must go with, now that the clusters are counted."""
        if self._checkpoint is not None:
            self._checkpoint.expect(sizes)

    def recorder(self, max_iter: int, progress: Progress, number: int = 0) -> Recorder | None:
        """Go on from the last snapshot of a start, and store later ones; None without a checkpoint.

        ``number`` is that of the start.
        """
        checkpoint, state = self._checkpoint, STATE.numbered(number)
        before = self._log.spent()
        if checkpoint is None:
            return None
        latest = None
        if (stored := checkpoint.load(state)) is not None:
            latest, seconds = stored
            self._log.add(seconds)
            done = len(latest.history)
            progress(done, max_iter)
            of_start = f" of start {number + 1}" if self._n_starts > 1 else ""
            logger.info(
                "resuming from %s after iteration %d of %d%s",
                short_path(checkpoint.folder),
                done,
                max_iter,
                of_start,
            )
        return Recorder(
            save=lambda snapshot: checkpoint.save(
                state, snapshot, seconds=self._log.spent() - before
            ),
            latest=latest,
        )


@contextmanager
def open_kept(
    folder: Folder | None,
    log: FitLog,
    *,
    seeds: list[int],
    sizes: Sizes,
    n_starts: int,
    identify: Callable[[], dict[str, Any]],
) -> Iterator[tuple[Kept, list[int]]]:
    """Begin a fit, or go on with the one a folder holds; the folder is locked meanwhile.

    Yields the parts of the fit, and the seeds it began with: those given, or those stored.
    ``identify`` returns all that decides the result beside them; it is called for a folder only,
    because it reads every value of the data.
    """
    if folder is None:
        yield Kept(log), seeds
        return
    with open_checkpoint(_checked_path(folder)) as checkpoint:
        seeds = checkpoint.begin(Run(identify(), seeds), sizes)
        _tell(checkpoint, n_starts)
        yield Kept(log, checkpoint, n_starts), seeds


def _checked_path(folder: Any) -> Path:
    if not isinstance(folder, str | os.PathLike):
        msg = f"checkpoint={short_repr(folder)} must be None or the path of a folder."
        raise TypeError(msg)
    return Path(folder)


def _each(part: Part[Any], n_starts: int) -> list[Part[Any]]:
    """Return the parts of all starts."""
    return [part.numbered(number) for number in range(n_starts)]


def _tell(checkpoint: Checkpoint, n_starts: int) -> None:
    """Log what is taken from a checkpoint; a snapshot, which knows its iteration, tells itself."""
    folder = short_path(checkpoint.folder)
    n_done = sum(map(checkpoint.has, _each(RESULT, n_starts)))
    if n_done == n_starts:
        logger.info("all iterations of the fit in %s are done, taking their result", folder)
    elif any(map(checkpoint.has, _each(STATE, n_starts))):
        return
    elif n_done > 0:
        logger.info("resuming from %s after start %d of %d", folder, n_done, n_starts)
    else:
        for part in (START, GRAPH):
            if checkpoint.has(part):
                logger.info("resuming from %s after the %s", folder, part.name)
                break
