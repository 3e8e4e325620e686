"""Who may import whom, read from the syntax trees of the package."""

import ast
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import graphpac

PACKAGE = Path(graphpac.__file__).parent
# The public names come from every layer, so the front door is left out.
MODULES = sorted(set(PACKAGE.rglob("*.py")) - {PACKAGE / "__init__.py"})


class Rule(NamedTuple):
    """What the modules of one layer may import, beside their own layer and the standard library."""

    layers: set[str]
    third_party: set[str]
    not_standard: frozenset[str] = frozenset()


BASE = {"_typing", "exceptions", "_bars", "_files", "_lazy", "_machine", "_optional", "_random"}
BASE |= {"_constraints", "_costs", "_threads", "_wording"}
LEAVES = {"metrics", "datasets"}

RULES = {
    "_typing": Rule(set(), {"numpy"}),
    "exceptions": Rule(set(), set()),
    "_bars": Rule({"_typing"}, {"rich"}),
    "_constraints": Rule({"_threads", "_wording", "exceptions"}, set()),
    "_costs": Rule(set(), set()),
    "_files": Rule(set(), set()),
    "_lazy": Rule(set(), set()),
    "_machine": Rule(set(), set()),
    "_optional": Rule(set(), set()),
    "_random": Rule({"_typing"}, {"numpy"}),
    "_threads": Rule({"_typing", "exceptions"}, {"threadpoolctl"}),
    "_wording": Rule(set(), set()),
    # Plain arrays in, plain arrays out.
    "kernels": Rule(BASE, {"numpy", "numba"}, frozenset({"logging"})),
    "graph": Rule({"kernels", *BASE}, {"numpy", "scipy"}),
    "solvers": Rule({"graph", "kernels", *BASE}, {"numpy", "scipy"}),
    # Files tell which version of the package wrote them.
    "io": Rule({"solvers", "graph", "__version__", *BASE}, {"numpy", "scipy"}),
    # Calibrations are measured on synthetic data.
    "planning": Rule({"solvers", "graph", "datasets", *BASE}, {"numpy", "scipy"}),
    # What a fit takes, by the clock and in memory.
    "measuring": Rule(BASE, {"numpy"}),
    # What is odd about data and results, in words.
    "findings": Rule(BASE, {"numpy", "scipy"}),
    # Rows that come after the fit.
    "prediction": Rule({"solvers", "graph", *BASE}, {"numpy", "scipy"}),
    # What every fit goes through.
    "fitting": Rule(
        {"prediction", "findings", "planning", "io", "solvers", "graph", "__version__"}
        | {*BASE, *LEAVES},
        {"numpy", "scipy", "sklearn", "rich"},
    ),
    "estimators": Rule(
        {"fitting", "prediction", "planning", "solvers", "io", "graph", *BASE},
        {"numpy", "scipy", "sklearn"},
    ),
    "baselines": Rule(
        {"estimators", "fitting", "prediction", "solvers", "graph", *BASE},
        {"numpy", "scipy", "sklearn"},
    ),
    # Fitted estimators in files.
    "models": Rule(
        {"estimators", "fitting", "prediction", "io", "solvers", "graph", "__version__", *BASE},
        {"numpy", "scipy", "sklearn"},
    ),
    "metrics": Rule(BASE, {"numpy", "scipy", "sklearn"}),
    "datasets": Rule(BASE, {"numpy", "scipy", "sklearn"}),
    "selection": Rule({"estimators", "fitting", "solvers", "graph", *BASE}, {"numpy"}),
    "report": Rule(
        {"selection", "estimators", "findings", "io", "solvers", "graph", "kernels"}
        | {*BASE, *LEAVES},
        {"numpy", "scipy", "matplotlib", "jinja2", "markupsafe", "PIL"},
    ),
    # Faces for other libraries, which are not imported: they bring their objects.
    "sc": Rule({"estimators", "graph", *BASE}, {"numpy"}),
    "bertopic": Rule({"estimators", *BASE}, {"numpy", "sklearn"}),
    # Classes are named by strings and loaded when a method is made.
    "methods": Rule({"_typing", "exceptions"}, set()),
    "experiments": Rule(
        {"methods", "measuring", "estimators", "fitting", "io", "solvers", "graph", "__version__"}
        | {*BASE, *LEAVES},
        {"numpy", "scipy", "jinja2", "matplotlib"},
    ),
    # What the commands do, and the folders they end in.
    "runs": Rule(
        {"report", "selection", "methods", "models", "estimators", "fitting", "planning", "io"}
        | {"measuring", "solvers", "__version__", *BASE, *LEAVES},
        {"numpy", "scipy", "pyarrow", "matplotlib"},
    ),
    "cli": Rule(
        {"runs", "demo", "experiments", "selection", "methods", "planning", "GPAC", "estimate"}
        | {"__version__", *BASE, *LEAVES},
        {"rich", "typer"},
    ),
    "__main__": Rule({"cli"}, set()),
    "demo": Rule(
        {"report", "estimators", "solvers", "graph", *BASE, *LEAVES},
        {"numpy", "matplotlib", "rich", "sklearn"},
    ),
}

# Libraries a layer may not use in general, each allowed in the one file that wraps it.
WRAPPERS = {
    "graph/searchers/exact.py": {"sklearn"},
    "graph/searchers/faiss_index.py": {"faiss"},
    "graph/searchers/nndescent.py": {"pynndescent"},
    "io/readers/csv_table.py": {"pyarrow"},
    "io/readers/csv_values.py": {"pyarrow"},
    "io/readers/parquet.py": {"pyarrow"},
    "io/readers/parquet_columns.py": {"pyarrow"},
    "io/readers/parquet_parts.py": {"pyarrow"},
    "kernels/_prefetch.py": {"llvmlite"},
    "solvers/plus_plus.py": {"sklearn"},
}


def imported_names(source: str, module: str, *, is_package: bool) -> set[str]:
    """Return the full names of everything a module imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                up = node.level - 1 if is_package else node.level
                parents = module.split(".")[: len(module.split(".")) - up]
                origin = ".".join([*parents, *filter(None, [origin])])
            # "from graphpac import metrics" names a layer only in its second part.
            names.update(f"{origin}.{alias.name}" for alias in node.names)
    return names


def violations(path: str, source: str) -> list[str]:
    """List the imports of one file that its layer does not allow."""
    parts = Path(path).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    module = ".".join(["graphpac", *(parts[:-1] if is_package else parts)])
    layer = parts[0]
    if layer not in RULES:
        return [f"{path}: layer {layer!r} is not in the table of this test"]
    rule = RULES[layer]
    third_party = rule.third_party | WRAPPERS.get(path, set())
    faults = []
    for name in sorted(imported_names(source, module, is_package=is_package)):
        top, _, rest = name.partition(".")
        if top == "graphpac":
            target = rest.partition(".")[0]
            allowed = target == layer or target in rule.layers
        elif top in sys.stdlib_module_names:
            allowed = top not in rule.not_standard
        else:
            allowed = top in third_party
        if not allowed:
            faults.append(f"{path}: {layer} may not import {name}")
    return faults


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_follow_the_layers(path):
    relative = path.relative_to(PACKAGE).as_posix()
    assert violations(relative, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("kernels/rows.py", "import scipy.sparse"),
        ("kernels/rows.py", "import logging"),
        ("kernels/rows.py", "from graphpac.graph import NeighborGraph"),
        ("graph/build.py", "def build():\n    import faiss"),
        ("graph/__init__.py", "from ..solvers import SolverOptions"),
        ("graph/build.py", "from ..solvers.options import SolverOptions"),
        ("graph/build.py", "from graphpac import solvers"),
        ("solvers/gpac.py", "from graphpac import GPAC"),
        ("solvers/gpac.py", "import sklearn"),
        ("solvers/gpac.py", "from graphpac.io import open_checkpoint"),
        ("io/checkpoint.py", "from graphpac.estimators import GPAC"),
        ("io/checkpoint.py", "import pyarrow"),
        ("planning/gpac.py", "from graphpac.estimators import GPAC"),
        ("estimators/_gpac.py", "import numba"),
        ("estimators/_gpac.py", "from graphpac.kernels.rows import sum_rows"),
        ("metrics/hard.py", "from graphpac.datasets import load"),
        ("novelty/one.py", "import os"),
    ],
)
def test_a_wrong_import_is_seen(path, source):
    assert len(violations(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("graph/build.py", "from .searchers import base\nfrom graphpac.kernels import distances"),
        ("graph/searchers/faiss_index.py", "import faiss\nfrom ..rows import prepare_rows"),
        ("estimators/_gpac.py", "from graphpac import solvers\nimport sklearn.base"),
    ],
)
def test_a_right_import_is_allowed(path, source):
    assert violations(path, source) == []
