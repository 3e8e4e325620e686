"""How far the trials of a run are."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from time import perf_counter

from graphpac._typing import Progress
from graphpac.experiments.outcomes import Failure, Outcome
from graphpac.experiments.trials import Trial

logger = logging.getLogger(__name__)


class Tally:
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
