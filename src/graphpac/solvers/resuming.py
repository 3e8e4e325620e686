"""Leaving a run between two iterations, and going on from there with the same bits."""

from __future__ import annotations

from typing import Any

from graphpac.graph.locality import Numbering
from graphpac.solvers.pools import Dealer
from graphpac.solvers.result import IterationRecord
from graphpac.solvers.snapshot import Recorder, Snapshot
from graphpac.solvers.state import State


def resume(
    recorder: Recorder | None, state: State[Any], dealer: Dealer, numbering: Numbering
) -> list[IterationRecord]:
    """Go back to the latest snapshot, if there is one; return the iterations made before it."""
    if recorder is None or (latest := recorder.latest) is None:
        return []
    state.restore({name: numbering.to_run(rows) for name, rows in latest.arrays.items()})
    dealer.go_back(latest.dealt_from, latest.generator)
    return list(latest.history)


def keep_snapshot(
    recorder: Recorder | None,
    history: list[IterationRecord],
    state: State[Any],
    dealer: Dealer,
    numbering: Numbering,
) -> None:
    """Let the recorder save where the run is, if it is time and not just where it went on from."""
    if recorder is None or not history or len(history) % recorder.every:
        return
    if recorder.latest is not None and len(recorder.latest.history) == len(history):
        return
    # By the numbers of the caller: those in force may differ on another machine.
    arrays = {name: numbering.to_caller(rows) for name, rows in state.arrays().items()}
    generator = dealer.rng.bit_generator.state
    recorder.save(Snapshot(tuple(history), arrays, generator, dealer.dealt_from))
