"""Processes that take too long, grow too large or fail are ended, and it is told why."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from benchmarks.measure import measure
from graphpac.measuring.own_process import (
    KilledError,
    Limits,
    MeasurementError,
    RaisedError,
    alarm_after,
    call_in_own_process,
)


def sleep_within(limit):
    # The sleeping thread never handles a signal in Python: the handler of the interpreter is off.
    with alarm_after(limit):
        time.sleep(60)


def sleep_after(limit):
    with alarm_after(limit):
        pass
    time.sleep(2 * limit)
    os.write(1, b"what is printed is no answer\n")
    return "scored"


def grow():
    held = bytearray(b"x") * 300_000_000
    time.sleep(60)
    return len(held)


def start_another():
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid


def fail(text):
    raise ValueError(text)


def end_by(number):
    os.kill(os.getpid(), number)


def test_a_slow_process_is_ended_even_where_python_is_not_asked():
    began = time.monotonic()
    with pytest.raises(KilledError, match="gave up after 0.2 s"):
        call_in_own_process(partial(sleep_within, 0.2), limits=Limits(seconds=0.2))
    assert time.monotonic() - began < 30


def test_what_comes_after_the_fit_has_time():
    work = partial(sleep_after, 0.3)
    assert call_in_own_process(work, limits=Limits(seconds=0.3)) == "scored"


def test_a_process_that_grows_too_large_is_ended():
    began = time.monotonic()
    with pytest.raises(KilledError, match="killed: above 0.2 GB"):
        call_in_own_process(grow, limits=Limits(gigabytes=0.2))
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("work", "kind", "reason"),
    [
        (partial(fail, "two\nlines"), RaisedError, "^ValueError: two$"),
        (partial(fail, "long " * 100), RaisedError, "^ValueError: (long ?)+lon$"),
        (partial(sys.exit, 3), MeasurementError, "^exit status 3$"),
        (partial(end_by, signal.SIGKILL), KilledError, "most likely for want of memory$"),
        (partial(end_by, signal.SIGSEGV), MeasurementError, "^crashed: SIGSEGV$"),
    ],
)
def test_the_reason_of_a_failure(work, kind, reason):
    with pytest.raises(kind, match=reason) as raised:
        call_in_own_process(work)
    assert type(raised.value) is kind
    assert len(str(raised.value)) <= 160


def test_what_a_process_started_ends_with_it():
    pid = call_in_own_process(start_another)
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if _is_zombie(pid):
            return
        time.sleep(0.05)
    pytest.fail("the process is still there")


def _is_zombie(pid):
    """Where nobody collects orphans a dead one stays in the list."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        return stat.rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_limits_are_compared_by_both():
    assert Limits(60, 4).cover(Limits(60, 4))
    assert not Limits(60, 4).cover(Limits(61, 4))
    assert not Limits(60, 4).cover(Limits(60, 5))


@pytest.mark.parametrize(
    ("contender", "dataset", "limits", "kind", "reason"),
    [
        ("KMeans", "mixture-3000x16-10", Limits(seconds=1e-4), KilledError, "gave up after"),
        ("KMeans", "mixture-300x4-3", Limits(gigabytes=0.03), KilledError, "above 0.03 GB"),
        ("HDBSCAN", "mixture-6x2-2", Limits(), MeasurementError, "ValueError: .*min_samples"),
    ],
)
def test_a_contender_that_fails(contender, dataset, limits, kind, reason, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_BENCH_CACHE", str(tmp_path))
    with pytest.raises(kind, match=reason):
        measure(contender, dataset, [0], warm_up="none", limits=limits)
