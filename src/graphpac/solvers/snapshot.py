"""A run between two iterations, so that it can be left and taken up again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graphpac._typing import AnyArray
from graphpac.solvers.result import IterationRecord


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that decides what comes after the iterations in ``history``.

    ``arrays`` are those of the state, rows in the order of the caller's samples.
    ``generator`` is the state of the random generator, ``dealt_from`` what it was when the
    present pools were dealt: they are larger than all the rest, and rather dealt again.
    """

    history: tuple[IterationRecord, ...]
    arrays: dict[str, AnyArray]
    generator: Mapping[str, Any]
    dealt_from: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Recorder:
    """Where a run goes on from, if it was left, and who takes its snapshots, and how often.

    No snapshot is taken after the last iteration: what comes then is the result.
    """

    save: Callable[[Snapshot], None]
    latest: Snapshot | None = None
    every: int = 5
