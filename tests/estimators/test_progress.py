"""Progress: bars on a terminal, log lines elsewhere."""

import io

import pytest
from rich.console import Console

from graphpac import GPAC
from graphpac.estimators._progress import FitLog


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
