"""What is told of the machine and its packages."""

import json
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from graphpac.runs import environment

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_versions_are_those_of_every_dependency():
    found = environment.installed_versions()
    assert list(found)[:2] == ["python", "graphpac"]
    assert found["numpy"] == version("numpy")
    assert found["scikit-learn"] == version("scikit-learn")


def test_extras_are_those_of_the_project():
    stated = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    known = set(stated["optional-dependencies"]) - {"all"}
    if not environment.extras():
        pytest.skip("graphpac is not installed")
    assert environment.extras().keys() <= known  # an older installation may lack a new one


def test_requirements_are_taken_apart(monkeypatch):
    stated = [
        "numpy>=1.26",
        "scikit-learn>=1.6 ; python_version >= '3.11'",
        "no-such-package>=1; extra == 'nndescent'",
        "numpy; extra == 'all'",
        'scipy[full]>=1; python_version < "4" and extra == "single-cell"',
    ]
    monkeypatch.setattr(environment, "requires", lambda _: stated)
    assert list(environment.installed_versions())[2:] == ["numpy", "scikit-learn"]
    assert environment.extras() == {
        "nndescent": {"no-such-package": None},
        "single-cell": {"scipy": version("scipy")},
    }


def test_the_folder_of_compiled_loops_can_be_chosen(monkeypatch, tmp_path):
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "kernel.nbi").write_bytes(b"12345")
    (tmp_path / "other.txt").write_bytes(b"12345")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert environment.kernel_cache() == (tmp_path, 5)


def test_everything_together_is_json():
    found = environment.describe_environment()
    assert json.loads(json.dumps(found)) == found
    assert found["machine"]["threads"] >= 1
