"""What the documentation shows runs, Python and commands marked so, page by page from the top."""

import re
import runpy
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from graphpac import GPAC
from graphpac.cli.main import main

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
LONG = {"tutorial.md", "choosing-c.md"}  # to run
# What follows "requires=" on the first line of a block is a package it needs.
BLOCK = re.compile(r"^```(python|sh run)(?: requires=(\w+))?\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)[^)]*\)")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = "https://github.com/graphpac/graphpac"
OWN_ADDRESS = re.compile(
    rf"({REPOSITORY}/blob|https://raw.githubusercontent.com/graphpac/graphpac)/main/([^\s)#]+)"
)


def page_name(path):
    return path.relative_to(ROOT).as_posix()


def run_blocks(page):
    """Run the blocks of a page one after another, up to the first that needs what is not here."""
    text = page.read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        language, required, code = block.groups()
        if required is not None:
            pytest.importorskip(required, reason=f"the last part of {page.name} needs {required}")
        if language != "python":
            run_commands(code)
            continue
        # Line numbers of the page, so that an error points to it.
        line = text.count("\n", 0, block.start(3))
        exec(compile("\n" * line + code, page.name, "exec"), names)


def run_commands(lines):
    """Run commands as a shell would in a clone, but in this process."""
    for line in lines.splitlines():
        program, *words = shlex.split(line, comments=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", [program, *words])
            if program == "graphpac":
                with pytest.raises(SystemExit) as ended:
                    main()
                assert not ended.value.code, line
            else:
                assert program == "python"
                patch.setattr(sys, "argv", words)
                runpy.run_path(str(ROOT / words[0]), run_name="__main__")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page.name in LONG)) for page in PAGES],
    ids=page_name,
)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_blocks(page)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_to_files_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_reachable_from_the_readme():
    linked = {target for _, target in OWN_ADDRESS.findall(README.read_text(encoding="utf-8"))}
    assert {page_name(page) for page in PAGES[1:]} <= linked


def test_the_readme_links_as_pypi_needs_it():
    """PyPI shows the README alone: a relative link or picture leads nowhere there."""
    assert PROJECT["readme"] == README.name
    text = re.sub(r"^```.*?^```", "", README.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert LINK.findall(text) == []
    assert re.findall(r"(?:src|href)=", text) == []
    defined = dict(re.findall(r"^\[([^]]+)\]: (\S+)$", text, re.M))
    used = re.findall(r"(?<=\])\[([^]]+)\]|\[([^]]+)\](?=\[\])", text)
    assert {there or alone for there, alone in used} == set(defined)
    pictures = [target for kind, target in OWN_ADDRESS.findall(text) if "raw" in kind]
    assert pictures == ["docs/images/demo.png"]


def test_addresses_of_the_repository_lead_to_its_files():
    texts = [README.read_text(encoding="utf-8"), *PROJECT["urls"].values()]
    targets = [target for text in texts for _, target in OWN_ADDRESS.findall(text)]
    assert len(targets) > len(PAGES)
    for target in targets:
        assert (ROOT / target).is_file(), f"there is no {target}"
    assert PROJECT["urls"]["Homepage"] == REPOSITORY
    assert f"repository-code: {REPOSITORY}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_every_parameter_is_on_its_page_with_its_default():
    text = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `?\"?([^|`\"]+)\"?`? \|", text, re.M))
    defaults = {name: str(value) for name, value in GPAC().get_params().items()}
    assert {name: value.strip() for name, value in rows.items()} == defaults
