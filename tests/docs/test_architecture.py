"""The page on the architecture names what is there."""

import ast
import re
from pathlib import Path

import graphpac

PACKAGE = Path(graphpac.__file__).parent
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_room_is_on_the_page():
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    rooms |= {path.stem for path in PACKAGE.glob("[a-z]*.py")} - {"exceptions"}
    words = set(re.findall(r"\w+", PAGE))
    assert rooms - words == set()


def test_files_and_names_of_the_page_exist():
    """Paths such as ``solvers/phases.py`` and names such as ``RampPhase``, wherever they stand."""
    sources = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    for quoted in re.findall(r"`([^`\n]+)`", PAGE):
        if "/" in quoted or quoted.endswith(".py"):
            found = [base / quoted for base in (ROOT, PACKAGE) if (base / quoted).exists()]
            nested = list(PACKAGE.rglob(quoted))
            assert found or nested, quoted
        else:
            for name in re.findall(r"[A-Za-z_]{3,}", quoted.split("(")[0]):
                assert name in sources, quoted


def test_no_module_and_no_function_is_too_long():
    """What `CONTRIBUTING.md` asks for."""
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        assert source.count("\n") <= 350, path
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                length = 0 if not body else node.end_lineno - body[0].lineno + 1
                assert length <= 60, f"{path.name}: {node.name}"
