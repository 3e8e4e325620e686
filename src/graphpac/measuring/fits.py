"""One fit with a clock and a scale beside it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

import numpy as np

from graphpac._typing import AnyArray
from graphpac.measuring.resident import peak_memory, reset_peak

FEW_ROWS = 2000


@dataclass(frozen=True, kw_only=True)
class MeasuredFit:
    """A fitted model and what the fit took.

    The model has ``labels_``, -1 for rows left out as noise; what else estimators usually tell it
    may tell. ``peak_memory`` is that of the whole process in MB, with the data and all libraries.
    """

    model: Any
    seconds: float
    cpu_seconds: float  # of all threads, user and system
    peak_memory: float | None

    @property
    def labels(self) -> AnyArray:
        """The cluster of each row."""
        return np.asarray(self.model.labels_)

    @property
    def n_clusters(self) -> int:
        """How many clusters have rows."""
        return int(np.unique(self.labels[self.labels >= 0]).size)

    @property
    def n_iter(self) -> int | None:
        """Iterations, where the model counts any."""
        told = getattr(self.model, "n_iter_", None)
        return None if told is None else int(told)

    @property
    def stages(self) -> Mapping[str, float]:
        """Seconds of the stages of the fit, where the model tells them."""
        return dict(getattr(self.model, "timings_", {}))


def measure_fit(fit: Callable[[], Any]) -> MeasuredFit:
    """Fit, and measure what it takes; the function returns the fitted model.

    Warnings are not shown: empty clusters and missed tolerances show in what was found.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reset_peak()
        cpu_began, began = process_time(), perf_counter()
        model = fit()
        seconds, cpu_seconds = perf_counter() - began, process_time() - cpu_began
    return MeasuredFit(
        model=model, seconds=seconds, cpu_seconds=cpu_seconds, peak_memory=peak_memory()
    )


def few_rows(X: Any, n_clusters: int) -> Any:
    """Return as many rows as a rehearsal needs, so that nothing is compiled while a clock runs."""
    return X[: max(FEW_ROWS, 4 * n_clusters)]
