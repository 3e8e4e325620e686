"""The table of the README and the measurements below it, on the smallest data there is."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import contenders, measure, quality, run, startup, tables
from benchmarks.contenders import Contender, Fitted
from benchmarks.machine import describe_machine
from graphpac.measuring.own_process import MeasurementError
from graphpac.measuring.resident import peak_memory, reset_peak


def made_up(contender="GPAC", dataset="digits", seconds=2.0, **changes):
    stages = dict.fromkeys(tables.STAGES, seconds / 4) if contender == "GPAC" else {}
    runs = tuple(
        measure.TimedFit(seed, seconds + seed, 0.9, 0.95, 0.85, 0.0, 10, stages)
        for seed in range(3)
    )
    values = {
        "contender": contender,
        "dataset": dataset,
        "shape": (100, 4),
        "n_classes": 10,
        "source": "nowhere",
        "baseline": 100.0,
        "peak": 200.0,
        "runs": runs,
    }
    return measure.Measurement(**(values | changes))


@pytest.mark.slow
def test_the_whole_command_in_small(tmp_path, capsys):
    readme = tmp_path / "README.md"
    old = "before\n<!-- bench:start -->\nold\n<!-- bench:end -->\nafter\n"
    readme.write_text(old, encoding="utf-8")
    options = ["--datasets", "iris", "--contenders", "GPAC", "KMeans", "--seeds", "2"]
    options += ["--no-startup", "--output", str(tmp_path), "--readme", str(readme)]

    assert run.main(options) == 0

    text = (tmp_path / "latest.md").read_text(encoding="utf-8")
    assert text in capsys.readouterr().out
    assert "time / KMeans" in text
    assert "benchmarks.run --datasets iris" in text
    shown = readme.read_text(encoding="utf-8")
    assert text.strip() in shown
    assert "old" not in shown
    assert shown.startswith("before\n")
    assert shown.endswith("after\n")
    content = json.loads(next(tmp_path.glob("*.json")).read_text(encoding="utf-8"))
    assert content["machine"]["cores"] >= 1
    ours, other = content["measurements"]
    assert ours["shape"] == [150, 4]
    assert [(item["contender"], len(item["runs"])) for item in (ours, other)] == [
        ("GPAC", 2),
        ("KMeans", 2),
    ]
    for item in (ours, other):
        assert item["peak"] >= item["baseline"] > 10
        assert all(run["seconds"] > 0 for run in item["runs"])
    assert ours["runs"][0]["stages"]["optimize"] > 0
    assert other["runs"][0]["stages"] == {}


@pytest.mark.slow
def test_quality_in_small(tmp_path, capsys):
    assert quality.main(["--datasets", "iris", "--seeds", "2", "--output", str(tmp_path)]) == 0
    text = (tmp_path / "quality.md").read_text(encoding="utf-8")
    assert "| iris" in text
    assert text in capsys.readouterr().out
    with (tmp_path / "quality.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["dataset"], row["seed"]) for row in rows] == [("iris", "0"), ("iris", "1")]
    assert float(rows[0]["optimize_seconds"]) > 0


@pytest.mark.slow
def test_a_missing_data_set_is_told_and_the_rest_is_measured(tmp_path, capsys):
    options = ["--datasets", "irs", "iris", "--contenders", "KMeans", "--seeds", "1"]
    assert run.main([*options, "--no-startup", "--output", str(tmp_path)]) == 1
    assert "did you mean 'iris'?" in capsys.readouterr().err
    assert "| iris" in (tmp_path / "latest.md").read_text(encoding="utf-8")


def test_rows_left_out_and_clusters_are_counted(monkeypatch):
    def leave_out_a_third(X, n_clusters, seed):
        return Fitted(np.arange(len(X)) % 3 - 1)

    monkeypatch.setitem(contenders.CONTENDERS, "third", Contender(leave_out_a_third, (), ""))
    found = measure.measure_here("third", "iris", [0])
    assert found.typical("noise") == pytest.approx(1 / 3)
    assert found.typical("n_clusters") == 2


@pytest.mark.parametrize(
    ("warm_up", "fits"),
    [
        ("fit", [("fit", 3), ("fit", 3), ("fit", 4)]),
        ("few rows", [("rehearse", 3), ("fit", 3), ("fit", 4)]),
        ("none", [("fit", 3), ("fit", 4)]),
    ],
)
def test_what_comes_before_is_not_timed(monkeypatch, warm_up, fits):
    seen = []

    def stand_in(name):
        def fit(X, n_clusters, seed):
            seen.append((name, seed))
            return Fitted(np.zeros(len(X)), n_iter_=np.int32(7))

        return fit

    contender = Contender(stand_in("fit"), (), "", rehearse=stand_in("rehearse"))
    monkeypatch.setitem(contenders.CONTENDERS, "remember", contender)
    found = measure.measure_here("remember", "iris", [3, 4], warm_up=warm_up)
    assert seen == fits
    assert [entry.seed for entry in found.runs] == [3, 4]
    assert found.typical("n_iter") == 7
    assert np.isnan(found.typical("recall"))
    assert np.isnan(found.typical("optimize"))


def test_the_peak_is_that_of_the_timed_fit(monkeypatch):
    def use(megabytes):
        def fit(X, n_clusters, seed):
            np.ones(megabytes * 125_000)
            return Fitted(np.zeros(len(X)))

        return fit

    reset_peak()
    before = peak_memory()
    contender = Contender(use(150), (), "", rehearse=use(600))
    monkeypatch.setitem(contenders.CONTENDERS, "hungry", contender)
    found = measure.measure_here("hungry", "iris", [0], warm_up="few rows")
    assert found.peak - before > 120
    if Path("/proc/self/clear_refs").exists():
        assert found.peak - before < 450


def test_a_process_that_fails_gives_its_last_line():
    with pytest.raises(MeasurementError, match="KeyError: 'nobody'"):
        measure.measure("nobody", "iris", [0])


def test_a_statement_is_timed_in_a_new_process():
    assert startup._seconds("pass") < startup._seconds("sum(range(10_000_000))") < 5


def test_ratios_are_of_medians_in_the_same_run():
    text = tables.ratio_table([made_up(), made_up("KMeans", seconds=0.5), made_up(dataset="iris")])
    digits, iris = text.splitlines()[2:]
    assert [cell.strip() for cell in digits.split("|")[1:-1]] == [
        "digits",
        *("0.50" for _ in tables.STAGES),
        "2.00",
    ]
    assert iris.split("|")[-2].strip() == "-"


def test_a_busy_machine_is_told():
    quiet, busy = (replace(describe_machine(), load=load) for load in (0.1, 3.2))
    assert "busy" not in tables.report([made_up()], None, quiet, "make bench")
    assert "load 3.2 before the run" in tables.report([made_up()], None, busy, "make bench")


def test_startup_is_shown_when_it_was_measured():
    times = startup.Startup(0.0123, 1.5, 12.0, 2.0, 1.4, 0.15)
    text = tables.report([made_up()], times, describe_machine(), "make bench")
    assert "| `import graphpac`" in text
    assert " 0.012 |" in text


def test_a_readme_without_marks_is_refused(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("nothing", encoding="utf-8")
    with pytest.raises(ValueError, match="must hold the marks"):
        tables.fill_marks(readme, "bench", "table")


@pytest.mark.parametrize("dataset", ["digits", "iris"])
def test_a_bar_is_met_where_there_is_one(dataset):
    assert quality.reaches_bar(made_up(dataset=dataset))


def test_a_missed_bar_is_shown_and_fails():
    poor = tuple(measure.TimedFit(seed, 1.0, 0.5, 0.5, 0.5, 0.0, 10, {}) for seed in range(2))
    missed = made_up(runs=poor)
    assert not quality.reaches_bar(missed)
    assert " NO |" in quality.quality_table([missed])
    assert "0.500 ± 0.000" in quality.quality_table([missed])
