"""The command, from the outside."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graphpac.experiments.config import experiment_names, load_experiment
from graphpac.io.lock import locked

COMMAND = [sys.executable, "-c", "from graphpac.cli.main import main; main()"]


def graphpac(*arguments, env=None, **options):
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**(env or os.environ), "COLUMNS": "200", "NO_COLOR": "1"},
        **options,
    )


def test_help_lists_every_table_and_figure():
    shown = graphpac("reproduce", "--help")
    assert shown.returncode == 0
    for word in (
        "--quick",
        "--features",
        "--runs",
        "--datasets",
        "--methods",
        "--jobs",
        "--output",
    ):
        assert word in shown.stdout
    for name in experiment_names():
        title = load_experiment(name).title.removeprefix(f"{name[:-1].title()} {name[-1]}. ")
        assert f"{name}: {title}" in shown.stdout
    assert "all: everything above" in shown.stdout


def test_version():
    assert graphpac("--version").stdout.startswith("graphpac ")


def test_a_quick_run_prints_and_writes(tmp_path):
    done = graphpac(
        *("reproduce", "Figure7", "--quick", "--datasets", "DIGITS,wine", "--output", str(tmp_path))
    )
    assert done.returncode == 0, done.stderr
    assert "Figure 7. The start of V" in done.stdout
    assert "k-means++" in done.stdout
    assert "wine" in done.stdout
    assert (tmp_path / "index.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["table9"], 1, "graphpac: there is no experiment 'table9': choose one of table2, "),
        (["table2", "--methods", "umap"], 1, "graphpac: there is no method 'umap': choose one of"),
        (["table2", "--datasets", "nowhere"], 1, "graphpac: there is no data set 'nowhere': "),
        (["table2", "--runs", "0"], 2, "Invalid value for '--runs'"),
        (["table2", "--features", "X"], 2, "must be NAME=FILE"),
        (["table2", "--datasets", " , "], 2, "--datasets names nothing"),
        (["table2", "--methods", ""], 2, "--methods names nothing"),
        (["table2", "--methods", "scan"], 1, "table2 does not run scan: its methods are km, fcm"),
    ],
)
def test_errors_are_one_sentence(tmp_path, arguments, code, message):
    failed = graphpac("reproduce", *arguments, "--output", str(tmp_path / "out"))
    assert failed.returncode == code
    assert message in failed.stderr
    assert "Traceback" not in failed.stderr


def test_an_output_that_is_a_file_is_refused(tmp_path):
    taken = tmp_path / "taken"
    taken.touch()
    failed = graphpac("reproduce", "table2", "--output", str(taken))
    assert failed.returncode == 2
    assert "is a file" in failed.stderr


def test_names_may_be_given_twice_and_with_spaces(tmp_path):
    names = ("reproduce", "figure7", "FIGURE7", "--quick", "--datasets", "wine, Wine")
    done = graphpac(*names, "--output", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Figure 7. The start of V") == 1
    assert done.stdout.count("wine") == 1


def test_a_run_of_which_nothing_came_fails(tmp_path):
    missing = {**os.environ, "GRAPHPAC_DATA": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    command = ("reproduce", "figure7", "--quick", "--datasets", "coil100", "--output")
    done = graphpac(*command, str(tmp_path / "out"), env=missing)
    assert done.returncode == 1
    assert "runs failed" in done.stdout


def test_what_is_done_is_told_without_a_terminal(tmp_path):
    arguments = ("reproduce", "figure7", "--quick", "--datasets", "wine")
    told = graphpac(*arguments, "--output", str(tmp_path / "told"))
    lines = told.stderr.splitlines()
    assert len(lines) > 1
    for number, line in enumerate(lines, start=1):
        start = f"graphpac: {number} of {len(lines)} runs done: gpac on wine, seed "
        assert line.startswith(start)
        assert re.search(r"; about \d+:\d\d:\d\d left$", line)
    quiet = graphpac(*arguments, "--quiet", "--output", str(tmp_path / "quiet"))
    assert quiet.stderr == ""
    assert quiet.stdout.splitlines()[:-1] == told.stdout.splitlines()[:-1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04 and nothing else", "cannot be read as an .npz archive"),
        (b"\x93NUMPY", "cannot be read as an .npz archive"),
    ],
)
def test_features_are_refused_in_one_sentence(tmp_path, content, message):
    path = tmp_path / "mine.npz"
    path.write_bytes(content)
    failed = graphpac(
        *("reproduce", "table2", "--datasets", "digits,mine", "--features", f"mine={path}"),
        *("--output", str(tmp_path / "out")),
    )
    assert failed.returncode == 1
    assert failed.stderr.startswith(f"graphpac: {path} ")
    assert message in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_in_use_is_refused_in_one_sentence(tmp_path):
    with locked(tmp_path / "records.jsonl.lock"):
        refused = graphpac(
            "reproduce", "figure7", "--quick", "--datasets", "wine", "--output", str(tmp_path)
        )
    assert refused.returncode == 1
    assert refused.stderr == (
        f"graphpac: {tmp_path} is in use by process {os.getpid()}: wait until that fit is done, or "
        "pass another folder.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["records.jsonl.lock"]


def test_the_page_opens_in_a_browser(tmp_path):
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
