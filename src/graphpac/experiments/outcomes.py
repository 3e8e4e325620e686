"""What a trial found, and the line a journal keeps of it."""

from __future__ import annotations

import logging
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from graphpac._machine import installed_version, processor_name
from graphpac._threads import resolve_n_jobs
from graphpac.experiments.trials import Trial
from graphpac.io.journal import read_entries

logger = logging.getLogger(__name__)

_PACKAGES = ("graphpac", "numpy", "scipy", "scikit-learn", "numba", "faiss-cpu")
_OF_EVERY_ENTRY = ("key", "outcome", "trial", "when", "machine", "versions")
_LONGEST_REASON = 300  # characters


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

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Tell an error in one line."""
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return cls(reason[:_LONGEST_REASON])


Found: TypeAlias = Mapping[str, Outcome | Failure]


def entry_of(trial: Trial, found: Outcome | Failure, n_jobs: int) -> dict[str, Any]:
    """Return the line of a journal."""
    what = {"failure": found.reason} if isinstance(found, Failure) else {"outcome": asdict(found)}
    return {
        "key": trial.key,
        "trial": asdict(trial),
        **what,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "n_jobs": n_jobs,
        **_surroundings(),
    }


def read_outcomes(journal: Path) -> dict[str, Outcome]:
    """Read the trials a journal holds that did not fail, by key; the last of equals counts."""
    return outcomes_of(read_entries(journal), journal)


def outcomes_of(entries: Iterable[Mapping[str, Any]], journal: Path) -> dict[str, Outcome]:
    """Find them among the lines of a journal, which is named where some are not ours."""
    outcomes: dict[str, Outcome] = {}
    n_strange = 0
    for entry in entries:
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


@cache
def _surroundings() -> Mapping[str, Any]:
    return {
        "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
        "processor": processor_name(),
        "cores": resolve_n_jobs(None),
        "versions": {package: installed_version(package) for package in _PACKAGES},
    }
