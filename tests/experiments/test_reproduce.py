"""Runs are kept, gone on with and never repeated; what is written can be read."""

import csv
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphpac.exceptions import DatasetError, FileFormatError, ParameterError
from graphpac.experiments import running
from graphpac.experiments.config import load_experiment, parse_experiment
from graphpac.experiments.data import load_data, paper_name
from graphpac.experiments.reproduce import JOURNAL, PAGE, reproduce
from graphpac.experiments.requests import ASKED, Request
from graphpac.experiments.trials import places, trials_at
from graphpac.io.journal import append_entry, read_entries
from tests.experiments.made_up import made_up_outcome

ROOT = Path(__file__).parents[2]
TABLE = """
title = "Two methods"
kind = "table"
datasets = ["digits"]
runs = 2
quick_samples = 300
[[series]]
label = "KM"
method = "km"
[[series]]
label = "GPAC"
method = "gpac"
parameters = { max_iter = 5 }
"""
CURVE = """
title = "A curve <b>"
kind = "curve"
measures = ["ACC", "NMI"]
datasets = ["digits"]
runs = 2
quick_samples = 300
claim = "It rises & falls."
[[sweep]]
parameter = "n_neighbors"
label = "k"
values = [5, 10]
[[series]]
label = "GPAC"
method = "gpac"
parameters = { max_iter = 3 }
"""


def trials_of(text, *, limit=None):
    experiment = parse_experiment("mine", text)
    return [
        trial
        for place in places(experiment)
        for trial in trials_at(place, experiment, max_samples=limit)
    ]


@pytest.fixture
def counted(monkeypatch):
    """Count the fits."""
    calls = []
    original = running.run_trial

    def run_trial(trial, *arguments, **options):
        calls.append(trial.key)
        return original(trial, *arguments, **options)

    monkeypatch.setattr(running, "run_trial", run_trial)
    return calls


def test_more_runs_only_run_the_new_ones(tmp_path, counted):
    experiment = parse_experiment("mine", TABLE)
    first = reproduce([experiment], tmp_path, Request(quick=True))
    assert len(counted) == 2  # one seed of each
    again = reproduce([experiment], tmp_path, Request(quick=True))
    assert len(counted) == 2
    assert [cell.values for cell in first[0].cells] == [cell.values for cell in again[0].cells]
    reproduce([experiment], tmp_path, Request(quick=True, runs=3))
    assert len(counted) == 6
    assert len(set(counted)) == 6


def test_experiments_share_equal_trials(tmp_path, counted):
    other = parse_experiment("other", TABLE)
    reproduce([parse_experiment("mine", TABLE), other], tmp_path, Request(quick=True))
    assert len(counted) == 2


def test_what_is_written(tmp_path):
    experiments = [parse_experiment("mine", TABLE), parse_experiment("curve", CURVE)]
    request = Request(quick=True, runs=2, methods=("GPAC",))
    done = reproduce(experiments, tmp_path, request)
    assert {cell.place.series.label for cell in done[0].cells} == {"GPAC"}
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        *(JOURNAL, f"{JOURNAL}.lock", ASKED, PAGE, "mine.csv", "mine.md"),
        *("curve.csv", "curve.md", "curve.png", "curve.svg"),
    }
    text = (tmp_path / "curve.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert [(row["parameter"], row["value"], row["metric"]) for row in rows] == [
        ("n_neighbors", value, metric) for value in ("5", "10") for metric in ("ACC", "NMI")
    ]
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert "A curve &lt;b&gt;" in page
    assert "It rises &amp; falls." in page
    assert "<svg" in page
    assert not re.search(r"(src|href)=.?https?:", page), "something is fetched"


def test_a_page_shows_what_was_asked_for_and_nothing_else(tmp_path, monkeypatch):
    """Not what shares fits with it, and data of an earlier call as well."""
    monkeypatch.setattr(running, "run_trial", made_up_outcome)
    table, figure = load_experiment("table2"), load_experiment("figure7")
    reproduce([table], tmp_path, Request(quick=True, datasets=("wine",), methods=("gpac", "km")))
    reproduce([figure], tmp_path, Request(quick=True, datasets=("digits",)))
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert re.findall(r'<section id="(\w+)">', page) == ["table2", "figure7"]
    assert page.index('class="group">wine') < page.index('class="group">digits')
    assert "FCM" not in page


def test_the_quick_form_says_everywhere_that_it_is_one(tmp_path):
    experiment = parse_experiment("mine", TABLE)
    (done,) = reproduce([experiment], tmp_path, Request(quick=True))
    told = "Quick form: at most 300 rows of each data set and 1 seed, not to be compared with the"
    assert done.warning.startswith(told)
    for name in ("mine.md", PAGE):
        assert told in (tmp_path / name).read_text(encoding="utf-8")
    rows = list(csv.DictReader((tmp_path / "mine.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["form"] for row in rows} == {"quick: at most 300 rows of the data"}
    with pytest.raises(ParameterError, match="holds runs on parts of the data, which do not go"):
        reproduce([experiment], tmp_path, Request())


def test_a_page_keeps_what_earlier_calls_ran(tmp_path):
    """Also when a call asks for one method of a table only, and when it asks for another table."""
    mine, curve = parse_experiment("mine", TABLE), parse_experiment("curve", CURVE)
    reproduce([mine], tmp_path, Request(quick=True, runs=3))
    reproduce([mine], tmp_path, Request(quick=True, methods=("gpac",), runs=1))
    rows = list(csv.DictReader((tmp_path / "mine.csv").read_text(encoding="utf-8").splitlines()))
    assert {(row["method"], row["runs"]) for row in rows} == {("KM", "3"), ("GPAC", "3")}
    assert rows[0]["seeds"] == "0 1 2"
    assert "graphpac" in rows[0]["versions"]
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert "Seeds: 3. Measured 20" in page
    assert "Quick form" in page

    reproduce([curve, mine], tmp_path, Request(quick=True, methods=("gpac",), runs=1))
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert page.index('id="mine"') != page.index('id="curve"')
    assert "KM" in page


def test_a_page_shows_every_table_the_folder_has_records_of(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "run_trial", made_up_outcome)
    monkeypatch.setattr(running, "load_data", lambda *_, **__: None)
    reproduce([load_experiment("table5")], tmp_path, Request(runs=2))
    reproduce([load_experiment("figure7")], tmp_path, Request(runs=2))
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert page.index('id="table5"') < page.index('id="figure7"')
    assert "FCM+LCC" in page
    assert 'id="table6"' not in page


def test_runs_are_those_asked_for_except_where_nothing_is_drawn():
    table = load_experiment("table2")
    n_runs = {
        place.series.label: len(trials_at(place, narrowed))
        for narrowed in [Request(runs=12).applied(table)]
        for place in places(narrowed)
    }
    assert (n_runs["GPAC"], n_runs["SC"], n_runs["FINCH"]) == (12, 12, 1)
    n_defined = {place.series.label: len(trials_at(place, table)) for place in places(table)}
    assert (n_defined["GPAC"], n_defined["SC"], n_defined["FINCH"]) == (10, 3, 1)


def test_methods_an_experiment_does_not_have_are_refused(tmp_path):
    request = Request(methods=("scan",))
    with pytest.raises(ValueError, match="mine does not run scan: its methods are km, gpac"):
        reproduce([parse_experiment("mine", TABLE)], tmp_path, request)
    assert not list(tmp_path.iterdir())


def test_results_do_not_depend_on_who_shares_the_graph(tmp_path):
    """A trial alone has the scores it has among others."""
    trials = trials_of(TABLE, limit=300)
    together = running.run_trials(trials, tmp_path / "together.jsonl")
    for trial in trials:
        alone = running.run_trials([trial], tmp_path / f"{trial.method}{trial.seed}.jsonl")
        assert alone[trial.key].NMI == together[trial.key].NMI


@pytest.mark.slow
def test_a_killed_run_loses_nothing_and_repeats_nothing(tmp_path):
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from pathlib import Path\n"
        "from graphpac.experiments.running import run_trials\n"
        "from tests.experiments.test_reproduce import TABLE, trials_of\n"
        "text = TABLE.replace('runs = 2', 'runs = 6')\n"
        "run_trials(trials_of(text, limit=400), Path(sys.argv[1]))\n"
    )
    journal = tmp_path / JOURNAL
    for _ in range(3):
        child = subprocess.Popen([sys.executable, "-c", code, str(journal)], cwd=ROOT)
        before = len(read_entries(journal))
        patience = time.monotonic() + 120
        while len(read_entries(journal)) < before + 2 and child.poll() is None:
            assert time.monotonic() < patience
            time.sleep(0.01)
        if child.poll() is None:
            os.kill(child.pid, signal.SIGKILL)
        child.wait()
    finished = [entry["key"] for entry in read_entries(journal)]
    with journal.open("ab") as file:
        file.write(b'{"key": "torn')
    trials = trials_of(TABLE.replace("runs = 2", "runs = 6"), limit=400)
    outcomes = running.run_trials(trials, journal)
    entries = [entry["key"] for entry in read_entries(journal)]
    assert entries[: len(finished)] == finished
    assert len(entries) == len(set(entries)) == len(trials) == len(outcomes)


@pytest.fixture
def failing(monkeypatch):
    """Let k-means run out of memory until told otherwise."""
    broken = {"km": MemoryError("Unable to allocate\n 9 GiB")}
    original = running.run_trial

    def run_trial(trial, *arguments, **options):
        if trial.method in broken:
            raise broken[trial.method]
        return original(trial, *arguments, **options)

    monkeypatch.setattr(running, "run_trial", run_trial)
    return broken


def test_a_failed_trial_is_told_and_tried_again(tmp_path, failing):
    experiment = parse_experiment("mine", TABLE)
    (first,) = reproduce([experiment], tmp_path, Request(quick=True))

    reason = "KM on digits: 1 of 1 runs failed. MemoryError: Unable to allocate 9 GiB"
    assert [f"{remark.subject}: {remark.text}" for remark in first.remarks] == [reason]
    for name in ("mine.md", PAGE):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "failed" in text
        assert "Unable to allocate 9 GiB" in text
    labels = {cell.place.series.label: len(cell.values) for cell in first.cells}
    assert labels == {"KM": 0, "GPAC": 1}, "the others must have gone on"
    rows = csv.DictReader((tmp_path / "mine.csv").read_text(encoding="utf-8").splitlines())
    assert next(rows)["mean"] == ""

    failing.clear()
    (again,) = reproduce([experiment], tmp_path, Request(quick=True))
    assert again.remarks == []
    assert all(len(cell.values) == 1 for cell in again.cells)
    kept = ["failure" in entry for entry in read_entries(tmp_path / JOURNAL)]
    assert sorted(kept) == [False, False, True]


def test_data_that_are_not_there_do_not_end_the_others(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_DATA", str(tmp_path / "empty"))
    experiment = parse_experiment("mine", TABLE)
    missing = "tinyimagenet100a_effnetlite2"
    (done,) = reproduce([experiment], tmp_path, Request(quick=True, datasets=(missing, "digits")))
    assert {cell.place.dataset for cell in done.cells if cell.values} == {"digits"}
    assert "is not on this machine" in done.remarks[0].text


def test_an_unknown_name_is_refused_before_anything_runs(tmp_path, counted):
    experiment = parse_experiment("mine", TABLE)
    with pytest.raises(DatasetError, match="no data set 'digit': did you mean 'digits'"):
        reproduce([experiment], tmp_path, Request(datasets=("digits", "digit")))
    assert counted == []


def test_records_tell_the_machine(tmp_path):
    running.run_trials(trials_of(TABLE, limit=300)[:1], tmp_path / JOURNAL)
    (entry,) = read_entries(tmp_path / JOURNAL)
    assert entry["processor"]
    assert entry["cores"] >= 1
    assert entry["versions"]["graphpac"]
    assert entry["when"].startswith("20")


def test_a_journal_survives_a_torn_line(tmp_path):
    path = tmp_path / "journal.jsonl"
    append_entry(path, {"a": 1})
    with path.open("ab") as file:
        file.write(b'{"b": ')
    append_entry(path, {"c": 3})
    assert read_entries(path) == [{"a": 1}, {"c": 3}]
    assert read_entries(tmp_path / "none.jsonl") == []


def test_a_part_of_the_data_is_always_the_same():
    part, again = (load_data("digits", n_samples=100) for _ in range(2))
    np.testing.assert_array_equal(part.X, again.X)
    assert part.y.size == 100
    assert load_data("digits", n_samples=10**6).y.size == 1797


def test_own_features_stand_beside_the_paper_and_are_not_mixed_up(tmp_path, counted):
    experiment = parse_experiment("mine", TABLE + 'beside = "KM"\n')
    experiment = replace(experiment, published="table4", datasets=(), runs=1)
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 30)
    paths = [tmp_path / "first.npz", tmp_path / "second.npz"]
    for path in paths:
        np.savez(path, X=np.eye(3)[y] + rng.normal(0.0, 0.1, (90, 3)), y=y)
    for n_fits, path in ((2, paths[0]), (4, paths[1]), (4, paths[0])):
        request = Request(features={"CIFAR-10": path})
        (done,) = reproduce([experiment], tmp_path / "out", request)
        assert len(counted) == n_fits, "another file under the same name is other data"
        assert {cell.place.dataset for cell in done.cells} == {"cifar-10"}
        assert all(cell.printed is not None for cell in done.cells)
    with pytest.raises(ValueError, match="features of mine would not be used: add --datasets mine"):
        reproduce([experiment], tmp_path / "out", Request(features={"mine": paths[0]}))


def test_own_features_take_the_name_they_are_given(tmp_path):
    path = tmp_path / "mine.npz"
    np.savez(path, X=np.eye(6), y=np.array(list("aabbcc")))
    data = load_data("CIFAR-10", features={"cifar-10": path})
    assert (data.X.shape, data.n_classes, data.y.tolist()) == ((6, 6), 3, [0, 0, 1, 1, 2, 2])
    assert paper_name("cifar-10", {"CIFAR-10": path}) == "CIFAR-10"
    assert paper_name("cifar10_effnetlite2_20k") is None
    np.savez(path, X=np.eye(6))
    with pytest.raises(FileFormatError, match="has no array 'y'"):
        load_data("CIFAR-10", features={"cifar-10": path})
