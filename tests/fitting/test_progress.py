"""Progress: bars on a terminal, log lines elsewhere."""

import io
import os
import subprocess
import sys

import pytest
from rich.console import Console

from graphpac import GPAC
from graphpac.fitting.progress import FitLog
from graphpac.solvers import must_compile


@pytest.fixture
def terminal(monkeypatch):
    """Pretend that there is a terminal, and return what is drawn on it."""
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    monkeypatch.setattr("rich.console.Console", lambda **_: console)
    return screen


def test_a_terminal_shows_a_bar_for_every_stage(digits, terminal):
    GPAC(n_clusters=10, max_iter=3, random_state=0, verbose=1).fit(digits.X)
    for stage in ("graph", "start", "optimize"):
        assert stage in terminal.getvalue()
    assert "100%" in terminal.getvalue()


def test_the_bar_ends_with_an_error(digits, terminal):
    model = GPAC(n_clusters=10, verbose=1)
    with pytest.raises(ZeroDivisionError):
        model.fit(digits.X, callback=lambda _: 1 // 0)
    # A second display on the same console is refused while one is active.
    GPAC(n_clusters=10, max_iter=2, verbose=1).fit(digits.X)


def test_stages_are_timed():
    with FitLog(0) as log:
        with log.stage("graph") as progress:
            progress(1, 2)
        with log.stage("start"):
            pass
    assert list(log.timings) == ["graph", "start"]
    assert all(seconds >= 0.0 for seconds in log.timings.values())


def test_nothing_is_drawn_without_being_asked(digits, terminal):
    GPAC(n_clusters=10, max_iter=2, random_state=0).fit(digits.X)
    assert terminal.getvalue() == ""


def test_the_first_fit_on_a_machine_tells_that_it_compiles(digits, terminal, monkeypatch, caplog):
    caplog.set_level("INFO", "graphpac.notices")
    for first in (True, False):
        monkeypatch.setattr("graphpac.fitting.progress.must_compile", lambda first=first: first)
        GPAC(n_clusters=10, max_iter=2, random_state=0, verbose=1).fit(digits.X)
    told = "compiling for this machine, once"
    assert terminal.getvalue().count(told) == 1
    logged = [text for name, _, text in caplog.record_tuples if name == "graphpac.notices"]
    assert [text[: len(told)] for text in logged] == [told]


def test_a_machine_without_compiled_code_is_recognized(digits, tmp_path):
    GPAC(n_clusters=10, max_iter=2, random_state=0).fit(digits.X)
    assert not must_compile()
    asked = "import graphpac; from graphpac.solvers import must_compile; print(must_compile())"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout == "True\n"
