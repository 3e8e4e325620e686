"""The command: run in this process where possible, in one of its own where it must be."""

import csv
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from graphpac import GPAC
from graphpac.cli.main import main

COMMAND = [sys.executable, "-m", "graphpac"]
ENVIRONMENT = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}


class Done(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def graphpac(monkeypatch, capsys):
    """Run the command with some arguments."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["graphpac", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(ended.value.code or 0, *capsys.readouterr())

    return run


@pytest.fixture
def graphpac_process():
    """Run the command in a process of its own."""

    def run(*arguments, **options):
        ended = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            env={**ENVIRONMENT, **options.pop("environment", {})},
            timeout=300,
            **options,
        )
        return Done(ended.returncode, ended.stdout, ended.stderr)

    return run


@pytest.fixture(scope="session")
def rows(digits):
    """Few rows, so that a fit takes no time."""
    return digits.X[:400]


@pytest.fixture
def rows_file(rows, tmp_path):
    """The rows in a file."""
    path = tmp_path / "rows.npy"
    np.save(path, rows)
    return path


@pytest.fixture
def rows_csv(rows, tmp_path):
    """The rows in a file with ids and texts, some of them hostile."""
    path = tmp_path / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", *(f"pixel_{place}" for place in range(rows.shape[1])), "text"])
        for number, row in enumerate(rows):
            text = "<script>alert(1)</script>, so" if number % 7 == 0 else f"digit {number}"
            writer.writerow([f"row-{number}", *row, text])
    return path


@pytest.fixture(scope="session")
def fitted(rows):
    """What the library makes of the rows."""
    return GPAC(n_clusters=10, random_state=0).fit(rows)
