"""The first lines a visitor copies must run: of Python, and of the command."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from graphpac.cli.main import main

README = Path(__file__).parents[2] / "README.md"


def blocks_of(language):
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def test_the_first_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks_of("python")[0], "README.md", "exec"), {"__name__": "__main__"})


def test_the_first_commands_run(tmp_path, monkeypatch, digits):
    monkeypatch.chdir(tmp_path)
    np.save("embeddings.npy", digits.X[:500])
    np.save("new.npy", digits.X[500:510])
    lines = next(block for block in blocks_of("sh") if "graphpac fit" in block).splitlines()
    assert lines[0].startswith("graphpac fit embeddings.npy --clusters 10 --output run/")
    for line in lines:
        monkeypatch.setattr(sys, "argv", shlex.split(line, comments=True))
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code, line
    assert Path("run/report.html").is_file()
    assert Path("new.parquet").is_file()
