"""Processes that take too long, grow too large or fail are ended, and it is told why."""

import os
import time
from pathlib import Path

import pytest

from benchmarks.measure import measure
from benchmarks.processes import KilledError, Limits, MeasurementError, last_line


def test_a_slow_process_is_ended_even_where_python_is_not_asked():
    # The sleeping thread never handles a signal in Python: the handler of the interpreter is off.
    code = (
        "import time; from benchmarks.processes import alarm_after\n"
        "with alarm_after(0.2): time.sleep(60)"
    )
    began = time.monotonic()
    with pytest.raises(KilledError, match="gave up after 0.2 s"):
        last_line(["-c", code], limits=Limits(seconds=0.2))
    assert time.monotonic() - began < 30


def test_what_comes_after_the_fit_has_time():
    code = (
        "import time; from benchmarks.processes import alarm_after\n"
        "with alarm_after(0.3): pass\n"
        "time.sleep(0.6); print('scored')"
    )
    assert last_line(["-c", code], limits=Limits(seconds=0.3)) == "scored"


def test_a_process_that_grows_too_large_is_ended():
    code = "import time; held = bytearray(b'x') * 300_000_000; time.sleep(60)"
    began = time.monotonic()
    with pytest.raises(KilledError, match="killed: above 0.2 GB"):
        last_line(["-c", code], limits=Limits(gigabytes=0.2))
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        ("raise ValueError('two\\nlines')", MeasurementError, "^ValueError: two$"),
        ("import sys; sys.exit('no such file')", MeasurementError, "^no such file$"),
        ("import sys; sys.exit(3)", MeasurementError, "^exit status 3$"),
        ("import os; os.kill(os.getpid(), 9)", KilledError, "short of memory"),
        ("import os; os.kill(os.getpid(), 11)", MeasurementError, "^crashed: SIGSEGV$"),
        ("raise ValueError('long ' * 100)", MeasurementError, "^ValueError: (long ?)+lon$"),
    ],
)
def test_the_reason_of_a_failure(code, kind, reason):
    with pytest.raises(kind, match=reason) as raised:
        last_line(["-c", code])
    assert type(raised.value) is kind
    assert len(str(raised.value)) <= 160


def test_what_a_process_started_ends_with_it():
    code = (
        "import subprocess, sys\n"
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid)"
    )
    pid = int(last_line(["-c", code]))
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
