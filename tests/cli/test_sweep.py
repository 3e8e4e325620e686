"""graphpac sweep: a table, a picture, one recommendation."""

import errno
import json
from dataclasses import fields

import numpy as np
import pytest
from matplotlib.image import imread

from graphpac import suggest_n_clusters
from graphpac.cli.sweep import parse_numbers
from graphpac.selection import ComparedNumber
from graphpac.solvers.counting import NumberJudge

OPTIONS = ("--clusters", "5,10", "--seeds", "2")


def test_the_table_is_that_of_the_library(graphpac, rows_file, rows, tmp_path):
    plot = tmp_path / "sweep.png"
    done = graphpac("sweep", rows_file, *OPTIONS, "--plot", plot)
    assert done.code == 0, done.err
    expected = suggest_n_clusters(rows, [5, 10], n_seeds=2, random_state=0)
    assert expected.reason in done.out
    table = str(expected).partition("\n\n")[0].replace("*", " ").splitlines()
    shown = done.out.partition("\n\n")[0].splitlines()
    assert shown == [table[0], *table[:0:-1]]
    assert done.out.endswith(f"The plot is {plot}, the table {tmp_path / 'sweep.json'}\n")
    assert imread(plot).ndim == 3


def test_beside_a_bar_the_table_still_goes_to_its_file(graphpac, rows_file, tmp_path, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes stderr for a terminal, stdout is none
    done = graphpac("sweep", rows_file, *OPTIONS, "--plot", tmp_path / "sweep.png")
    assert "numbers" in done.err
    assert done.out.startswith("clusters  stability")
    assert [line.split()[0] for line in done.out.splitlines()[1:3]] == ["10", "5"]


def test_json_and_svg(graphpac, rows_file, tmp_path):
    plot = tmp_path / "sweep.svg"
    found = json.loads(graphpac("sweep", rows_file, *OPTIONS, "--plot", plot, "--json").out)
    assert found["n_clusters"] in {5, 10}
    assert [item["n_clusters"] for item in found["candidates"]] == [5, 10]
    kept = json.loads((tmp_path / "sweep.json").read_text(encoding="utf-8"))
    assert found == {**kept, "plot": str(plot)}
    assert "<svg" in plot.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ("5:8", [5, 6, 7, 8]),
        ("5:50:15", [5, 20, 35, 50]),
        ("5, 8,10", [5, 8, 10]),
        ("2:4,10:30:10", [2, 3, 4, 10, 20, 30]),
    ],
)
def test_numbers(given, numbers):
    assert parse_numbers(given) == numbers


@pytest.mark.parametrize("given", ["", "5:", ":5", "5:10:0", "5;8", "five", "-3", "1:2:3:4"])
def test_other_words_are_wrong_usage(graphpac, rows_file, given):
    failed = graphpac("sweep", rows_file, f"--clusters={given}")
    assert failed.code == 2
    assert "must be FIRST:LAST" in " ".join(failed.err.split())


def test_other_formats_are_wrong_usage(graphpac, rows_file):
    failed = graphpac("sweep", rows_file, *OPTIONS, "--plot", "sweep.gif")
    assert failed.code == 2
    assert "must end in .png or .svg" in failed.err


def test_files_are_replaced_when_asked_only(graphpac, rows_file, tmp_path):
    plot = tmp_path / "rows.png"
    plot.write_bytes(b"mine")
    words = ("sweep", rows_file, *OPTIONS, "--plot", plot)
    for resume in ((), ("--resume",)):  # there is nothing to resume, and so the plot is not its own
        refused = graphpac(*words, *resume)
        assert (refused.code, plot.read_bytes()) == (2, b"mine")
        assert "exists: add --overwrite to replace it" in refused.err
    plot.unlink()
    plot.with_suffix(".json").write_bytes(b"{}")
    refused = graphpac(*words)
    assert refused.code == 2
    assert "holds an earlier sweep: add --resume to go on with it" in refused.err
    wrong = {field.name: "2" for field in fields(ComparedNumber)}
    record = {"kind": "graphpac sweep", "format": 2, "parameters": {}, "n_neighbors": 5}
    for content in ({}, {**record, "candidates": [wrong]}):
        plot.with_suffix(".json").write_text(json.dumps(content))
        damaged = graphpac(*words, "--resume")
        assert damaged.code == 1
        assert "is damaged, or not the file of a sweep" in damaged.err
    assert graphpac(*words, "--overwrite").code == 0


@pytest.fixture
def stopped(graphpac, rows_file, tmp_path, monkeypatch):
    """A sweep that was left before its last number; how it ended, and the words to go on."""
    judge, done = NumberJudge.judge, []

    def stop_at_the_last(self, number):
        if done:
            raise KeyboardInterrupt
        done.append(number)
        return judge(self, number)

    words = ("sweep", rows_file, *OPTIONS, "--plot", tmp_path / "sweep.png")
    with monkeypatch.context() as patch:
        patch.setattr(NumberJudge, "judge", stop_at_the_last)
        return graphpac(*words), (*words, "--resume")


def test_ctrl_c_loses_no_finished_number(graphpac, stopped, rows, tmp_path, monkeypatch):
    left, words = stopped
    kept = tmp_path / "sweep.json"
    assert left.code == 130
    assert left.err == f"graphpac: stopped: what was found is kept in {kept}; go on with --resume\n"
    assert left.out.splitlines()[1].split()[0] == "10"
    expected = suggest_n_clusters(rows, [5, 10], n_seeds=2, random_state=0)
    judge, judged = NumberJudge.judge, []

    def remember(self, number):
        judged.append(number)
        return judge(self, number)

    monkeypatch.setattr(NumberJudge, "judge", remember)
    done = graphpac(*words)
    assert done.code == 0, done.err
    assert judged == [5]
    assert expected.reason in done.out
    assert graphpac(*words).out == done.out
    more = graphpac(*words, "--clusters", "7,8")
    assert judged == [5, 8, 7]
    assert [line.split()[0] for line in more.out.splitlines()[1:5]] == ["10", "5", "8", "7"]


def test_another_sweep_is_not_resumed(graphpac, stopped, rows_file, rows):
    _, words = stopped
    other = graphpac(*words, "--seed", "1")
    assert other.code == 2
    assert "is of another sweep (--seed was 0, is 1): add --overwrite instead" in other.err
    np.save(rows_file, rows[::-1])
    changed = graphpac(*words)
    assert changed.code == 2
    assert "(the data have changed)" in changed.err


def test_a_plot_that_cannot_be_written_loses_nothing(graphpac, rows_file, tmp_path, monkeypatch):
    plot = tmp_path / "sweep.png"
    words = ("sweep", rows_file, *OPTIONS, "--plot", plot)

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("matplotlib.figure.Figure.savefig", fail)
        failed = graphpac(*words)
    assert failed.code == 1
    assert failed.err == (
        f"graphpac: {plot} could not be written (No space left on device): what was found is kept "
        f"in {plot.with_suffix('.json')}, and the same command with --resume draws it.\n"
    )
    monkeypatch.setattr(NumberJudge, "judge", None)
    assert graphpac(*words, "--resume").code == 0
    assert imread(plot).ndim == 3


def test_where_the_plot_goes_is_looked_at_before_the_work(graphpac, rows_file, tmp_path):
    failed = graphpac("sweep", rows_file, *OPTIONS, "--plot", tmp_path / "nowhere" / "sweep.png")
    assert failed.code == 2
    assert "there is no folder" in failed.err
    assert ".part" not in failed.err


@pytest.mark.filterwarnings("default:all 60 rows are equal")
def test_equal_rows_get_no_recommendation(graphpac, tmp_path):
    np.save(tmp_path / "equal.npy", np.ones((60, 4), dtype=np.float32))
    plot = tmp_path / "sweep.png"
    found = graphpac("sweep", tmp_path / "equal.npy", *OPTIONS, "--plot", plot, "--json")
    assert found.code == 0, found.err
    assert found.err.startswith("graphpac: warning: all 60 rows are equal: ")
    record = json.loads(found.out)
    assert record["n_clusters"] is None
    assert record["reason"].startswith("No number of clusters is suggested: ")
