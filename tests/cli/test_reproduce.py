"""The command, from the outside."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from graphpac.experiments.config import experiment_names, load_experiment
from graphpac.io.lock import locked


def test_help_lists_every_table_and_figure(graphpac):
    shown = graphpac("reproduce", "--help")
    assert shown.code == 0
    for word in (
        "--quick",
        "--features",
        "--runs",
        "--datasets",
        "--methods",
        "--jobs",
        "--output",
    ):
        assert word in shown.out
    for name in experiment_names():
        title = load_experiment(name).title.removeprefix(f"{name[:-1].title()} {name[-1]}. ")
        assert f"{name}: {title}" in shown.out
    assert "all: everything above" in shown.out


def test_version(graphpac):
    assert graphpac("--version").out.startswith("graphpac ")


def test_a_quick_run_prints_and_writes(graphpac, tmp_path):
    done = graphpac(
        *("reproduce", "Figure7", "--quick", "--datasets", "DIGITS,wine", "--output", str(tmp_path))
    )
    assert done.code == 0, done.err
    assert "Figure 7. The start of V\nQuick form: at most " in done.out
    assert "k-means++" in done.out
    assert "wine" in done.out
    assert (tmp_path / "index.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["table9"], 2, "graphpac: there is no experiment 'table9': choose one of table2, "),
        (["table2", "--methods", "umap"], 2, "graphpac: there is no method 'umap': choose one of"),
        (["table2", "--datasets", "nowhere"], 2, "graphpac: there is no data set 'nowhere': "),
        (["table2", "--runs", "0"], 2, "Invalid value for '--runs'"),
        (["table2", "--features", "X"], 2, "must be NAME=FILE"),
        (["table2", "--datasets", " , "], 2, "--datasets: names nothing"),
        (["table2", "--methods", ""], 2, "--methods: names nothing"),
        (["table2", "--methods", "scan"], 2, "table2 does not run scan: its methods are km, fcm"),
    ],
)
def test_errors_are_one_sentence(graphpac, tmp_path, arguments, code, message):
    failed = graphpac("reproduce", *arguments, "--output", str(tmp_path / "out"))
    assert failed.code == code
    assert message in failed.err
    assert "Traceback" not in failed.err


def test_an_output_that_is_a_file_is_refused(graphpac, tmp_path):
    taken = tmp_path / "taken"
    taken.touch()
    failed = graphpac("reproduce", "table2", "--output", str(taken))
    assert failed.code == 2
    assert "is a file" in failed.err


def test_names_may_be_given_twice_and_with_spaces(graphpac, tmp_path):
    names = ("reproduce", "figure7", "FIGURE7", "--quick", "--datasets", "wine, Wine")
    done = graphpac(*names, "--output", str(tmp_path))
    assert done.code == 0, done.err
    assert done.out.count("Figure 7. The start of V") == 1
    assert done.out.count("wine") == 1


def test_a_run_of_which_nothing_came_fails(graphpac, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    command = ("reproduce", "figure7", "--quick", "--datasets", "coil100", "--output")
    done = graphpac(*command, tmp_path / "out")
    assert done.code == 1
    assert "runs failed" in done.out


def test_what_is_done_is_told_without_a_terminal(graphpac, tmp_path):
    arguments = ("reproduce", "figure7", "--quick", "--datasets", "wine")
    told = graphpac(*arguments, "--output", str(tmp_path / "told"))
    lines = told.err.splitlines()
    assert len(lines) > 1
    for number, line in enumerate(lines, start=1):
        start = f"graphpac: {number} of {len(lines)} runs done: gpac on wine, seed "
        assert line.startswith(start)
        assert re.search(r"; about \d+:\d\d:\d\d left$", line)
    quiet = graphpac(*arguments, "--quiet", "--output", str(tmp_path / "quiet"))
    assert quiet.err == ""
    assert quiet.out.splitlines()[:-1] == told.out.splitlines()[:-1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04 and nothing else", "cannot be read as an .npz archive"),
        (b"\x93NUMPY", "cannot be read as an .npz archive"),
    ],
)
def test_features_are_refused_in_one_sentence(graphpac, tmp_path, content, message):
    path = tmp_path / "mine.npz"
    path.write_bytes(content)
    failed = graphpac(
        *("reproduce", "table2", "--datasets", "digits,mine", "--features", f"mine={path}"),
        *("--output", str(tmp_path / "out")),
    )
    assert failed.code == 1
    assert failed.err.startswith(f"graphpac: {path} ")
    assert message in failed.err
    assert failed.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_in_use_is_refused_in_one_sentence(graphpac_process, tmp_path):
    with locked(tmp_path / "records.jsonl.lock"):
        refused = graphpac_process(
            "reproduce", "figure7", "--quick", "--datasets", "wine", "--output", str(tmp_path)
        )
    assert refused.code == 1
    assert refused.err == (
        f"graphpac: {tmp_path} is in use by process {os.getpid()}: wait until that fit is done, or "
        "pass another folder.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["records.jsonl.lock"]


def test_the_page_opens_in_a_browser(graphpac, tmp_path):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    graphpac("reproduce", "figure7", "--quick", "--datasets", "digits", "--output", str(tmp_path))
    flags = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    )
    page = Path(tmp_path, "index.html").as_uri()
    shown = subprocess.run(
        [
            *(chromium, *flags, f"--user-data-dir={tmp_path / 'profile'}"),
            *("--enable-logging=stderr", "--dump-dom", page),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "<h1>The paper's tables and figures</h1>" in shown.stdout
    assert "CONSOLE" not in shown.stderr


def test_files_of_others_are_not_replaced_unasked(graphpac, tmp_path):
    page = tmp_path / "index.html"
    page.write_bytes(b"mine")
    refused = graphpac("reproduce", "figure7", "--quick", "--output", tmp_path)
    assert (refused.code, page.read_bytes()) == (2, b"mine")
    assert "holds index.html, which would be replaced: add --overwrite" in refused.err


def test_no_threads_at_all_is_one_sentence(graphpac):
    failed = graphpac("reproduce", "figure7", "--jobs", "0")
    assert failed.code == 2
    assert "Invalid value for '--jobs': " in failed.err
