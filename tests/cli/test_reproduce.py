"""The command, from the outside."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graphpac.experiments.config import experiment_names, load_experiment

COMMAND = [sys.executable, "-c", "from graphpac.cli.main import main; main()"]


def graphpac(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
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
    ],
)
def test_errors_are_one_sentence(tmp_path, arguments, code, message):
    failed = graphpac("reproduce", *arguments, "--output", str(tmp_path / "out"))
    assert failed.returncode == code
    assert message in failed.stderr
    assert "Traceback" not in failed.stderr


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
