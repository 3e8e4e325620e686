"""Telling how far a fit is: a bar on a terminal, log lines elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from types import TracebackType

from graphpac._bars import make_bar
from graphpac._typing import Progress
from graphpac.solvers import must_compile

logger = logging.getLogger("graphpac")
notices = logging.getLogger("graphpac.notices")  # what a fit tells before it begins

_COMPILING = "compiling for this machine, once: it takes up to 40 seconds"


class FitLog:
    """Times the stages of a fit and tells about them.

    With verbose=1 a terminal or notebook shows a bar, and every stage is logged at level INFO when
    it is done (at DEBUG with verbose=0); with verbose=2 so is every iteration. The first fit on a
    machine tells that it compiles, in either way.
    """

    def __init__(self, verbose: int) -> None:
        self.timings: dict[str, float] = {}
        self._stage_level = logging.INFO if verbose >= 1 else logging.DEBUG
        self._iteration_level = logging.INFO if verbose >= 2 else logging.DEBUG
        self._bar = make_bar() if verbose >= 1 else None
        self._stage = ""
        self._began = 0.0

    def __enter__(self) -> FitLog:
        if self._bar is not None:
            self._bar.start()
        if must_compile():
            notices.info(_COMPILING)
            if self._bar is not None:
                self._bar.console.print(_COMPILING)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    @contextmanager
    def stage(self, name: str) -> Iterator[Progress]:
        """Time what is done inside; the function given tells how much of it is."""
        task = None if self._bar is None else self._bar.add_task(name, total=None)

        def update(done: int, total: int) -> None:
            if self._bar is not None:
                self._bar.update(task, completed=done, total=total)

        self._stage, self._began = name, perf_counter()
        self.timings[name] = 0.0
        yield update
        self.timings[name] = seconds = self.spent()
        if self._bar is not None:
            self._bar.update(task, completed=1, total=1)
        logger.log(self._stage_level, "%s: %.2f s", name, seconds)

    def spent(self) -> float:
        """Seconds the present stage has taken so far."""
        return self.timings[self._stage] + perf_counter() - self._began

    def add(self, seconds: float) -> None:
        """Count seconds an earlier fit spent on what the present stage takes over from it."""
        self.timings[self._stage] += seconds

    def iteration(self, number: int, change: float, local_weight: float) -> None:
        """Log one iteration."""
        logger.log(
            self._iteration_level,
            "iteration %d: change %.4f, local weight %.2f",
            number,
            change,
            local_weight,
        )
