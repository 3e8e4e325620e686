"""Running trials: one process at a time, nothing strange in the journal, times that are fair."""

import json
import logging
import re
import subprocess
import sys
from dataclasses import asdict, replace
from math import nan
from pathlib import Path

import numpy as np
import pytest

from graphpac.exceptions import CheckpointError
from graphpac.experiments import running
from graphpac.experiments.config import load_experiment, parse_experiment
from graphpac.experiments.outcomes import Failure, Outcome
from graphpac.experiments.records import read_records
from graphpac.experiments.reproduce import reproduce
from graphpac.experiments.requests import Request
from graphpac.experiments.running import run_trials, timing_conditions
from graphpac.experiments.summary import summarize
from graphpac.experiments.trials import Trial, places, runnable_places, trials_at
from graphpac.io.journal import append_entry, read_entries

ROOT = Path(__file__).parents[2]
OUTCOME = Outcome(NMI=0.5, ACC=0.6, ARI=0.4, seconds=1.0, n_clusters=3, n_iter=None)
TRIALS = [Trial("wine", "km", {}, seed) for seed in range(3)]
TIMES = """
title = "Times"
kind = "curve"
measures = ["seconds", "NMI"]
datasets = ["wine"]
runs = 2
[[sweep]]
parameter = "n_samples"
label = "samples"
values = [60, 120, 179, 500]
[[series]]
label = "GPAC"
method = "gpac"
parameters = { max_iter = 2 }
[[series]]
label = "KM"
method = "km"
"""


@pytest.fixture
def quick(monkeypatch):
    """Trials that take no time, and find what is in the list."""
    results = [OUTCOME]
    monkeypatch.setattr(running, "run_trial", lambda *_, **__: results[0])
    return results


def test_a_second_process_is_told_to_wait(tmp_path):
    journal = tmp_path / "records.jsonl"
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from graphpac.experiments import running\n"
        "from graphpac.experiments.trials import Trial\n"
        "def run_trial(*_, **__):\n"
        "    print('running', flush=True)\n"
        "    sys.stdin.readline()\n"
        "    return running.Outcome(0.5, 0.5, 0.5, 1.0, 3, None)\n"
        "running.run_trial = run_trial\n"
        "running.run_trials([Trial('wine', 'km', {}, 0)], Path(sys.argv[1]))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(journal)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as first:
        assert first.stdout.readline() == "running\n"
        message = f"{tmp_path} is in use by process {first.pid}: wait until"
        with pytest.raises(CheckpointError, match=re.escape(message)):
            run_trials(TRIALS[:1], journal)
        first.communicate("go on\n")
        assert first.returncode == 0
    found = run_trials(TRIALS[:1], journal)
    assert found[TRIALS[0].key].NMI == 0.5
    assert len(read_entries(journal)) == 1, "what the first process found is not run again"


@pytest.mark.parametrize("field", ["NMI", "ACC", "ARI", "seconds", "accuracies"])
def test_an_outcome_is_of_finite_numbers(field):
    with pytest.raises(ValueError, match="all must be finite numbers"):
        replace(OUTCOME, **{field: (0.5, nan) if field == "accuracies" else nan})


def test_a_score_that_is_no_number_is_a_failure(tmp_path, monkeypatch):
    scores = running.score_labels(np.array([0, 1]), np.array([0, 1]))
    monkeypatch.setattr(running, "score_labels", lambda *_: scores._replace(nmi=nan))
    journal = tmp_path / "journal"
    found = run_trials(TRIALS[:1], journal)
    assert isinstance(found[TRIALS[0].key], Failure)
    assert "NMI, ACC and ARI are nan, 1.0, 1.0" in found[TRIALS[0].key].reason
    (entry,) = read_entries(journal)
    assert "outcome" not in entry
    assert "NMI" in entry["failure"]


def entry_of(trial, /, **changes):
    """What a journal has of a trial, with changes; None takes something away."""
    facts = {"trial": asdict(trial), "when": "2026-01-01", "machine": "one", "versions": {}}
    told = {"key": trial.key, "outcome": asdict(OUTCOME), **facts, **changes}
    return {name: value for name, value in told.items() if value is not None}


def entry_with(**changes):
    """The same, with changes to the outcome."""
    told = {**asdict(OUTCOME), **changes}
    outcome = {name: value for name, value in told.items() if value != "missing"}
    return entry_of(TRIALS[1], outcome=outcome)


@pytest.mark.parametrize(
    "entry",
    [
        {"outcome": asdict(OUTCOME)},
        {"key": TRIALS[1].key, "outcome": None},
        entry_of(TRIALS[1], key=["strange"]),
        entry_of(TRIALS[1], outcome=[1, 2]),
        *(entry_of(TRIALS[1], **{name: None}) for name in ("key", "trial", "when", "machine")),
        entry_with(ACC="missing"),
        entry_with(accuracies="missing"),
        entry_with(accuracies=None),
        entry_with(F1=0.5),
        entry_with(NMI=nan),
        entry_with(NMI="much"),
        entry_with(NMI=None),
    ],
)
def test_lines_that_tell_no_outcome_are_passed_over_with_one_warning(
    tmp_path, caplog, quick, entry
):
    journal = tmp_path / "journal"
    append_entry(journal, entry_of(TRIALS[0], outcome=asdict(replace(OUTCOME, NMI=0.7))))
    for _ in range(2):
        append_entry(journal, entry)
    with journal.open("ab") as file:
        file.write(b'{"key": "torn')
    found = run_trials(TRIALS[:2], journal)
    assert [found[trial.key].NMI for trial in TRIALS[:2]] == [0.7, 0.5]
    (told,) = (item for item in caplog.records if item.levelno == logging.WARNING)
    assert told.getMessage() == f"{journal}: passed over 2 lines that tell no outcome of ours"
    assert len(read_entries(journal)) == 4


def test_each_finished_trial_is_logged_with_the_time_left(tmp_path, caplog, quick):
    caplog.set_level(logging.INFO, logger="graphpac")
    journal = tmp_path / "journal"
    run_trials(TRIALS[:1], journal)
    caplog.clear()
    missing = Trial("tinyimagenet-10", "km", {}, 0)
    shown = []
    run_trials([*TRIALS, missing], journal, progress=lambda *numbers: shown.append(numbers))
    told = [item.getMessage() for item in caplog.records if item.levelno == logging.INFO]
    pattern = r"{} of 4 runs done: km on \w+(-10)?, seed {}, 1.0 s; about 0:\d\d:\d\d left"
    assert re.fullmatch(pattern.format(3, 1), told[-2])
    assert re.fullmatch(pattern.format(4, 2), told[-1])
    assert shown[0] == (1, 4)
    assert shown[-1] == (4, 4)


def test_data_that_are_not_there_count_as_done_and_are_told(tmp_path, caplog, quick, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_DATA", str(tmp_path / "empty"))
    trials = [Trial("tinyimagenet-10", "km", {}, seed) for seed in range(2)]
    shown = []
    run_trials(trials, tmp_path / "journal", progress=lambda *numbers: shown.append(numbers))
    assert shown == [(0, 2), (2, 2)]
    assert "2 runs on tinyimagenet-10 are left out: DatasetError: " in caplog.text


def all_trials(experiment, **options):
    return [
        trial for place in places(experiment) for trial in trials_at(place, experiment, **options)
    ]


@pytest.fixture
def fits(monkeypatch):
    """Count rows and seed of every fit."""
    fitted = []
    original = running.make_estimator

    def make_estimator(trial, *arguments):
        model = original(trial, *arguments)
        fit = model.fit

        def noted(X, **options):
            fitted.append((trial.method, X.shape[0], trial.seed))
            return fit(X, **options)

        model.fit = noted
        return model

    monkeypatch.setattr(running, "make_estimator", make_estimator)
    monkeypatch.setattr(running, "_warmed_up", set())
    return fitted


def test_compilation_is_not_timed(tmp_path, fits, monkeypatch):
    monkeypatch.setattr(running, "few_rows", lambda X, _: X[:50])
    trials = all_trials(parse_experiment("times", TIMES))
    run_trials([trial for trial in trials if trial.n_samples in {60, 120}], tmp_path / "journal")
    for method in ("gpac", "km"):
        sizes = [n_rows for name, n_rows, _ in fits if name == method]
        assert sizes == [50, 60, 60, 120, 120], "one fit of few rows, before all others"
    assert len(read_entries(tmp_path / "journal")) == 8


def test_the_fit_before_uses_the_search_of_the_trial(tmp_path, fits, monkeypatch):
    """Few rows would be searched in another way, and that of many be loaded while it is timed."""
    searched = []
    original = running.resolve_searcher

    def resolve_searcher(searcher, rows):
        searched.append(rows.shape[0])
        return original(searcher, rows)

    monkeypatch.setattr(running, "resolve_searcher", resolve_searcher)
    monkeypatch.setattr(running, "few_rows", lambda X, _: X[:50])
    run_trials([Trial("wine", "gpac", {}, 0, n_samples=100, timed=True)], tmp_path / "journal")
    assert searched == [100]
    assert fits == [("gpac", 50, 0), ("gpac", 100, 0)]


def test_what_is_not_timed_is_fitted_once(tmp_path, fits):
    run_trials([Trial("wine", "gpac", {"max_iter": 2}, 0)], tmp_path / "journal")
    assert fits == [("gpac", 178, 0)]


def test_times_of_another_machine_are_not_taken_for_ours(tmp_path, quick, monkeypatch):
    experiment = parse_experiment("times", TIMES.replace("values = [", "values = [100] #"))
    journal = tmp_path / "records.jsonl"

    def n_records(n_jobs):
        reproduce([experiment], tmp_path, Request(n_jobs=n_jobs))
        return len(read_entries(journal))

    n_first = n_records(1)
    assert n_records(1) == n_first
    assert n_records(2) == 2 * n_first, "another number of threads"
    monkeypatch.setattr(running, "processor_name", lambda: "a faster one")
    assert n_records(1) == 3 * n_first, "another processor"


def test_a_figure_is_drawn_from_times_of_elsewhere(tmp_path, quick, monkeypatch):
    experiment = parse_experiment("times", TIMES)
    journal = tmp_path / "records.jsonl"
    for processor, seconds in (("old", 9.0), ("new", 1.0)):
        quick[:] = [replace(OUTCOME, seconds=seconds)]
        monkeypatch.setattr(running, "processor_name", lambda name=processor: name)
        run_trials(all_trials(experiment, timed_on=timing_conditions(1)), journal)
    monkeypatch.undo()
    records = read_records([journal])
    assert records.timed_on == "1 thread of new"
    cells = summarize(experiment, records.found, timed_on=records.timed_on)
    times = {value for cell in cells if cell.measure == "seconds" for value in cell.values}
    assert times == {1.0}, "machines are not mixed"


def test_keys_of_what_is_not_timed_are_those_of_before():
    trial = Trial("digits", "gpac", {"alpha": 1.0}, 3)
    assert trial.key == (
        '{"dataset": "digits", "method": "gpac", "n_samples": null, "parameters": {"alpha": 1.0}, '
        '"seed": 3, "timed": false, "traced": false}'
    )
    experiment = load_experiment("table2")
    for first, second in zip(
        all_trials(experiment), all_trials(experiment, timed_on="2 threads"), strict=True
    ):
        assert first.key == second.key
    timed = all_trials(load_experiment("figure8"), timed_on="2 threads of a kind")
    assert all(json.loads(trial.key)["timed_on"] == "2 threads of a kind" for trial in timed)


def test_parts_larger_than_the_data_are_left_out(tmp_path, caplog, quick):
    experiment = parse_experiment("times", TIMES)
    assert {place.n_samples for place in runnable_places(experiment)} == {60, 120}
    assert caplog.messages == ["wine has 178 rows: parts of 179, 500 are left out"]
    (done,) = reproduce([experiment], tmp_path, Request())
    assert {cell.place.value for cell in done.cells} == {60, 120}
    assert {entry["trial"]["n_samples"] for entry in read_entries(tmp_path / "records.jsonl")} == {
        60,
        120,
    }


def test_the_quick_form_still_takes_all_of_small_data(tmp_path, quick):
    table = TIMES[: TIMES.index("[[sweep]]")] + TIMES[TIMES.index("[[series]]") :]
    table = table.replace('"curve"', '"table"').replace('"seconds", ', "")
    (done,) = reproduce([parse_experiment("mine", table)], tmp_path, Request(quick=True))
    assert all(cell.values for cell in done.cells)


def test_the_running_times_are_those_of_the_published_start():
    experiment = load_experiment("figure8")
    (gpac,) = (item for item in experiment.series if item.method == "gpac")
    assert gpac.parameters == {"init": "k-means++"}
    assert experiment.runs == 3
