"""New Python processes, in the root of the repository, ended when they take too much."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from benchmarks.memory import resident_memory

ROOT = Path(__file__).parents[1]
POLL_SECONDS = 0.1
LONGEST_REASON = 160


class MeasurementError(Exception):
    """Something could not be measured; the message says why, from the last its process wrote."""


class KilledError(MeasurementError):
    """A process was ended from outside: too slow, too large, or by the system."""


@dataclass(frozen=True)
class Limits:
    """How long one fit may take, and how large its process may grow."""

    seconds: float = float("inf")
    gigabytes: float = float("inf")

    def cover(self, other: Limits) -> bool:
        """Whether these are as generous as the others."""
        return self.seconds >= other.seconds and self.gigabytes >= other.gigabytes


NO_LIMITS = Limits()


@contextmanager
def alarm_after(seconds: float) -> Iterator[None]:
    """End this process if what is inside takes longer, even when it never returns to Python."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0 if seconds == float("inf") else seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def last_line(
    arguments: Sequence[str],
    environment: dict[str, str] | None = None,
    limits: Limits = NO_LIMITS,
) -> str:
    """Run Python and return the last line it prints.

    The process watches its time itself, by `alarm_after`, since only it knows when a fit begins;
    its memory is watched from here.
    """
    with TemporaryFile("w+", encoding="utf-8") as out, TemporaryFile("w+", encoding="utf-8") as err:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            _wait(process, limits)
        finally:
            # With all that it started; after a regular end there is nobody left.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise _failure(process.returncode, err.read(), limits)
        return out.read().splitlines()[-1]


def _wait(process: subprocess.Popen[bytes], limits: Limits) -> None:
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(POLL_SECONDS)
            return
        if resident_memory(process.pid) > 1000 * limits.gigabytes:
            msg = f"killed: above {limits.gigabytes:g} GB"
            raise KilledError(msg)


def _failure(code: int, stderr: str, limits: Limits) -> MeasurementError:
    if code == -signal.SIGALRM:
        return KilledError(f"gave up after {limits.seconds:g} s")
    if code == -signal.SIGKILL:
        return KilledError("killed by the system, which was short of memory")
    if code < 0:
        return MeasurementError(f"crashed: {signal.Signals(-code).name}")
    _, traced, text = stderr.rpartition("Traceback (most recent call last):\n")
    lines = [line for line in text.splitlines() if line.strip()] or [f"exit status {code}"]
    # A message of several lines begins after the last indented one of its traceback.
    raised = [line for line in lines if not line.startswith(" ")] if traced else lines[-1:]
    return MeasurementError((raised or lines)[0][:LONGEST_REASON])
