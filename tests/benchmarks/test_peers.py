"""A suite is measured once, goes on where it stopped, and keeps failures."""

from dataclasses import replace

import pytest

from benchmarks import peers
from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.records import read_records
from benchmarks.suites import SUITES, Suite
from graphpac.measuring.own_process import KilledError, Limits, MeasurementError
from tests.benchmarks.made_up import made_up_record

SMALL, MIDDLE, LARGE = (f"mixture-{n}x4-3" for n in (100, 200, 400))
SUITE = Suite("title", (SMALL, MIDDLE, LARGE), ("GPAC", "KMeans"), Limits(60, 4), growing=True)
PAGE = "".join(
    f"<!-- {name}:start -->\n<!-- {name}:end -->\n" for name in ("methods", "picture", *SUITES)
)


@pytest.fixture
def asked(monkeypatch):
    """Stand in for the measuring process: what was asked for, and what shall go wrong."""

    class Asked(list):
        def __init__(self):
            super().__init__()
            self.failures = {}

    asked = Asked()

    def stand_in(contender, dataset, seeds, *, warm_up, limits):
        asked.append((dataset, contender, *seeds))
        if (contender, dataset) in asked.failures:
            raise asked.failures[contender, dataset]
        return made_up_record(dataset, contender).measurement

    monkeypatch.setattr(peers, "measure", stand_in)
    monkeypatch.setattr(peers, "call_in_own_process", lambda work: work.args)
    return asked


def test_everything_is_measured_once(asked, tmp_path):
    path = tmp_path / "growth.jsonl"
    assert peers.run_suite(SUITE, path)
    assert asked == [(data, name, 0) for data in SUITE.datasets for name in SUITE.contenders]
    records = read_records(path)
    assert [record.key for record in records] == asked
    assert all(record.machine.cores >= 1 and record.when for record in records)

    asked.clear()
    peers.run_suite(SUITE, path)
    assert asked == []
    peers.run_suite(SUITE, path, n_seeds=2)
    assert {seed for *_, seed in asked} == {1}
    asked.clear()
    peers.run_suite(SUITE, path, again=True)
    assert len(asked) == 6
    assert len(read_records(path)) == 18


def test_an_interrupted_run_goes_on_where_it_stopped(asked, tmp_path):
    path = tmp_path / "growth.jsonl"
    asked.failures["GPAC", MIDDLE] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        peers.run_suite(SUITE, path)
    asked.clear()
    asked.failures.clear()
    peers.run_suite(SUITE, path)
    assert asked[0] == (MIDDLE, "GPAC", 0)
    assert len(asked) == 4


def test_who_is_killed_is_not_tried_with_more_rows(asked, tmp_path):
    path = tmp_path / "growth.jsonl"
    asked.failures["KMeans", SMALL] = KilledError("gave up after 60 s")
    peers.run_suite(SUITE, path, n_seeds=2)
    assert [(data, seed) for data, name, seed in asked if name == "KMeans"] == [(SMALL, 0)]
    told = [(r.status, r.reason) for r in read_records(path) if r.contender == "KMeans"]
    not_tried = ("not tried", f"not tried: gave up after 60 s on {SMALL}")
    assert told == [("killed", "gave up after 60 s"), not_tried, not_tried]


def test_more_generous_limits_give_another_chance(asked, tmp_path):
    path = tmp_path / "growth.jsonl"
    asked.failures["KMeans", SMALL] = KilledError("gave up after 60 s")
    peers.run_suite(SUITE, path)
    asked.clear()
    peers.run_suite(SUITE, path)
    assert asked == []
    asked.failures.clear()
    peers.run_suite(replace(SUITE, limits=Limits(120, 4)), path)
    assert asked == [(data, "KMeans", 0) for data in SUITE.datasets]


def test_an_error_is_kept_and_the_next_size_is_tried(asked, tmp_path):
    path = tmp_path / "growth.jsonl"
    asked.failures["KMeans", SMALL] = MeasurementError("ValueError: no")
    peers.run_suite(SUITE, path)
    told = [(r.status, r.reason) for r in read_records(path) if r.contender == "KMeans"]
    assert told == [("error", "error: ValueError: no"), ("done", ""), ("done", "")]


def test_defeat_on_one_of_several_data_sets_says_nothing_of_the_next(asked, tmp_path):
    asked.failures["KMeans", SMALL] = KilledError("gave up after 60 s")
    peers.run_suite(replace(SUITE, growing=False), tmp_path / "real.jsonl")
    assert (MIDDLE, "KMeans", 0) in asked


def test_who_is_not_installed_is_left_out_and_told(asked, tmp_path, monkeypatch, capsys):
    absent = Contender(CONTENDERS["KMeans"].fit, ("no-such-package",), "")
    monkeypatch.setitem(CONTENDERS, "absent", absent)
    suite = replace(SUITE, contenders=("KMeans", "absent"))
    assert not peers.run_suite(suite, tmp_path / "growth.jsonl")
    assert "absent: left out, needs no-such-package" in capsys.readouterr().err
    assert {record.contender for record in read_records(tmp_path / "growth.jsonl")} == {"KMeans"}


def test_the_command_line_narrows_a_suite(asked, tmp_path):
    (tmp_path / "benchmarks.md").write_text(PAGE, encoding="utf-8")
    options = ["--suite", "growth", "--contenders", "KMeans", "--max-rows", "30000"]
    options += ["--output", str(tmp_path), "--docs", str(tmp_path)]
    assert peers.main([*options, "--max-seconds", "5", "--max-gb", "2"]) == 0
    datasets = SUITES["growth"].datasets
    assert asked == [(data, "KMeans", 0) for data in datasets if "x128-100" in data][:2]
    assert read_records(tmp_path / "growth.jsonl")[0].limits == Limits(5, 2)

    asked.clear()
    assert peers.main([*options, "--again", "--tables-only"]) == 0
    assert asked == []


def test_suites_name_contenders_that_exist():
    for suite in SUITES.values():
        assert set(suite.contenders) <= set(CONTENDERS)


@pytest.mark.slow
def test_a_whole_suite_in_small(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GRAPHPAC_BENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "benchmarks.md").write_text(PAGE, encoding="utf-8")
    options = ["--suite", "growth", "--datasets", "mixture-300x8-3", "no_such_data"]
    options += ["--contenders", "GPAC", "KMeans", "--max-seconds", "300"]
    options += ["--output", str(tmp_path), "--docs", str(tmp_path)]

    assert peers.main(options) == 1

    told = capsys.readouterr()
    assert "no_such_data: left out." in told.err
    ours, theirs = (record.measurement for record in read_records(tmp_path / "growth.jsonl"))
    assert ours.shape == (300, 8)
    assert ours.peak > ours.baseline > 10
    run = ours.runs[0]
    assert run.seconds > 0
    assert run.cpu_seconds > 0
    assert run.nmi > 0.5
    assert run.n_iter == 40
    assert run.recall > 0.99
    assert set(run.stages) == {"graph", "start", "optimize", "choose"}
    assert theirs.runs[0].recall is None
    assert (tmp_path / "images" / "growth.png").stat().st_size > 10_000
    assert "| KMeans" in (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
