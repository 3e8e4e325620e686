"""Pieces of work dealt to threads on paper."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import critical_path
from graphpac import GPAC
from graphpac._threads import Workers

PAGE = Path(__file__).parents[2] / "docs" / critical_path.PAGE


@pytest.fixture
def team(monkeypatch):
    """A simulated team with a clock that only moves when work is done."""
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(critical_path, "thread_time", lambda: now.seconds)
    team = critical_path.SimulatedTeam()

    def work(seconds):
        now.seconds += seconds
        return -seconds

    team.work = work
    return team


def test_the_longest_chain_counts(team):
    three = Workers(3)
    assert team.map(three, team.work, [4.0, 1.0, 1.0, 2.0]) == [-4.0, -1.0, -1.0, -2.0]
    assert team.clock() == 4.0
    team.work(0.5)  # beside all pieces
    assert team.clock() == 4.5


def test_one_thread_saves_nothing(team):
    team.map(Workers(1), team.work, [4.0, 1.0])
    assert team.clock() == 5.0


def test_pieces_of_pieces_are_shared_too(team):
    inner = Workers(2)
    team.map(Workers(2), lambda _: team.map(inner, team.work, [1.0, 1.0]), range(2))
    assert team.clock() == 1.0  # four threads


def test_progress_is_told(team):
    told = []
    team.map(Workers(2), team.work, [1.0, 1.0], lambda *done: told.append(done))
    assert told == [(1, 2), (2, 2)]


def test_a_simulated_fit_has_the_bits_of_a_real_one_and_less_time_on_more_threads(digits):
    with critical_path.simulated_threads():
        simulated = GPAC(10, n_jobs=8, random_state=0, max_iter=3).fit(digits.X)
    real = GPAC(10, n_jobs=1, random_state=0, max_iter=3).fit(digits.X)
    assert (simulated.memberships_ != real.memberships_).nnz == 0
    assert set(simulated.timings_) == set(critical_path.STAGES)
    assert min(simulated.timings_.values()) > 0.0


def test_the_table_and_its_place(tmp_path):
    (tmp_path / critical_path.PAGE).write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    options = ["digits", "--output", str(tmp_path), "--docs", str(tmp_path)]
    assert critical_path.main(options) == 0
    for file in (critical_path.FILE, critical_path.PAGE):
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert sum(line.startswith("| digits ") for line in text.splitlines()) >= 4
