"""The public names: all there, all documented, and cheap to import."""

import ast
import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import graphpac
from graphpac._optional import require

PACKAGE = Path(graphpac.__file__).parent
REPOSITORY = Path(__file__).parents[2]
HEAVY = {"faiss", "matplotlib", "numba", "numpy", "pandas", "rich", "scipy", "sklearn"}


def modules_after(statement: str) -> set[str]:
    """Run a statement in a new interpreter and return the modules it loaded."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    return set(result.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("name", graphpac.__all__)
def test_public_names_resolve_and_are_listed(name):
    assert getattr(graphpac, name) is not None
    assert name in dir(graphpac)


@pytest.mark.parametrize("name", [name for name in graphpac.__all__ if not name.startswith("__")])
def test_public_names_have_a_docstring(name):
    assert inspect.getdoc(getattr(graphpac, name))


def test_star_import_brings_every_public_name():
    names: dict = {}
    exec("from graphpac import *", names)
    assert set(graphpac.__all__) <= set(names)


def test_unknown_name_is_an_attribute_error_with_the_offer():
    with pytest.raises(AttributeError, match="no attribute 'GPCA'; it offers: .*GPAC, "):
        _ = graphpac.GPCA
    assert not hasattr(graphpac, "_nothing")


def test_version_is_that_of_the_project_file():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    # A source tree that was never installed has no version to tell.
    assert graphpac.__version__ in {project["version"], "0+unknown"}


def test_importing_graphpac_loads_nothing_heavy():
    assert not modules_after("import graphpac") & HEAVY


def test_importing_the_estimator_needs_no_optional_or_drawing_library():
    loaded = modules_after("from graphpac import GPAC")
    assert "sklearn" in loaded
    assert not loaded & {"anndata", "igraph", "matplotlib", "networkx", "polars", "pynndescent"}


FIT_BY_COMMAND = """
import sys
from graphpac.cli.main import main
sys.argv = ["graphpac", "fit", "{rows}", "--clusters", "2", "--output", "{folder}", "--no-report"]
try:
    main()
except SystemExit as end:
    assert end.code == 0
"""


def test_other_methods_are_loaded_only_when_asked_for(tmp_path):
    np.save(tmp_path / "rows.npy", np.eye(8)[np.arange(40) % 2] + np.arange(40)[:, None] / 1000)
    command = FIT_BY_COMMAND.format(rows=tmp_path / "rows.npy", folder=tmp_path / "run")
    for statement in ("from graphpac import GPAC", command):
        loaded = modules_after(statement)
        assert "graphpac.estimators" in loaded
        assert not {name for name in loaded if name.startswith("graphpac.baselines")}
    loaded = modules_after("from graphpac import FINCH")
    others = {name for name in loaded if name.startswith("graphpac.baselines.")}
    assert others == {"graphpac.baselines._finch", "graphpac.baselines._fit"}


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").is_file()


def test_a_missing_extra_names_the_feature_and_the_cure():
    with pytest.raises(ImportError) as caught:
        require("no_such_module", extra="graphs", needed_for="NeighborGraph.from_nowhere")
    assert str(caught.value) == (
        "NeighborGraph.from_nowhere needs no_such_module; "
        "install it with: pip install 'graphpac[graphs]'"
    )


def test_an_installed_module_is_returned():
    assert require("json", extra="graphs", needed_for="this test").__name__ == "json"


def test_nndescent_without_pynndescent_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    X = np.eye(5, dtype=np.float32)
    with pytest.raises(ImportError, match=r"needs pynndescent; .*graphpac\[nndescent\]"):
        graphpac.build_neighbor_graph(X, 2, searcher="nndescent")


def test_every_extra_named_in_a_message_exists():
    named = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "require":
                named.update(
                    keyword.value.value
                    for keyword in node.keywords
                    if keyword.arg == "extra" and isinstance(keyword.value, ast.Constant)
                )
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert named <= set(project["optional-dependencies"])
