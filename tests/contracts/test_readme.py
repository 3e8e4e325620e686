"""The first lines of Python a visitor copies must run."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_first_example_runs(tmp_path, monkeypatch):
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks[0], "README.md", "exec"), {"__name__": "__main__"})
