"""The parts of the documentation that need other packages, where these are installed."""

import pytest

from tests.docs.test_examples import BLOCK, PAGES, page_name, run_blocks


def needs(page):
    """Return the packages the blocks of a page ask for."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    return sorted({required for _, required, _ in blocks if required})


@pytest.mark.parametrize("page", [page for page in PAGES if needs(page)], ids=page_name)
def test_blocks_run_beside_the_packages_they_need(page, tmp_path, monkeypatch):
    for package in needs(page):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    run_blocks(page)
