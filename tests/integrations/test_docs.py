"""The parts of the documentation that need other packages, where these are installed."""

import pytest

from tests.docs.test_examples import BLOCK, PAGES, page_name, run_blocks

NEEDY = [
    page
    for page in PAGES
    if any(required for _, required, _ in BLOCK.findall(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("page", NEEDY, ids=page_name)
def test_blocks_run_beside_the_packages_they_need(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_blocks(page)
