"""A call in a process of its own, which is ended when it takes too much.

A process of its own is what makes the peak memory that of one fit, keeps what one library does to
threads away from the next, and lets a fit be ended that takes too long or too much.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from graphpac.measuring.resident import resident_memory

Result = TypeVar("Result")

POLL_SECONDS = 0.1
LONGEST_REASON = 160
# The path comes first: with it the modules are found that the call is pickled by.
_WORKER = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer)\n"
    "from graphpac.measuring.own_process import _answer; _answer()"
)


class MeasurementError(Exception):
    """Something could not be measured; the message says why."""


class KilledError(MeasurementError):
    """A process was ended from outside: too slow, too large, or by the system."""


class RaisedError(MeasurementError):
    """What was called raised an error; ``text`` is what it said, without its kind."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}".splitlines()[0][:LONGEST_REASON])
        self.text = text


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
    if seconds == float("inf"):
        yield
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def call_in_own_process(work: Callable[[], Result], *, limits: Limits = NO_LIMITS) -> Result:
    """Call a function in a new Python process, and return what it returns.

    It is a function of a module, or a `functools.partial` of one. The process watches its time
    itself, by `alarm_after`, since only it knows when a fit begins; its memory is watched from
    here. MeasurementError tells of an error it raised, and of a process that was killed or crashed.
    """
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", _WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for this process to tell of
    ) as process:
        try:
            answer = _wait(process, pickle.dumps(sys.path) + pickle.dumps(work), limits)
        finally:
            _end(process)
    if process.returncode:
        raise _failure(process.returncode, limits)
    result, *error = pickle.loads(answer)  # noqa: S301
    if error:
        raise RaisedError(*error)
    found: Result = result
    return found


def _wait(process: subprocess.Popen[bytes], told: bytes | None, limits: Limits) -> bytes:
    poll = None if limits.gigabytes == float("inf") else POLL_SECONDS
    while True:
        try:
            return process.communicate(told, timeout=poll)[0]
        except subprocess.TimeoutExpired:
            told = None  # it has been sent
        if resident_memory(process.pid) > 1000 * limits.gigabytes:
            msg = f"killed: above {limits.gigabytes:g} GB"
            raise KilledError(msg)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started; after a regular end there is nobody left."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _failure(code: int, limits: Limits) -> MeasurementError:
    if code > 0:
        return MeasurementError(f"exit status {code}")
    if code == -signal.SIGALRM:
        return KilledError(f"gave up after {limits.seconds:g} s")
    if code == -signal.SIGKILL:
        return KilledError("its process was killed, most likely for want of memory")
    return MeasurementError(f"crashed: {signal.Signals(-code).name}")


def _answer() -> None:
    """Do in the new process what was asked for; what libraries print goes to stderr."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        try:
            answer: tuple[Any, ...] = (pickle.load(sys.stdin.buffer)(),)  # noqa: S301
        except Exception as error:  # noqa: BLE001
            answer = (None, type(error).__name__, str(error))
        pickle.dump(answer, answers)
