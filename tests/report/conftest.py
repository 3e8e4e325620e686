"""A fitted model, its facts, and a browser to look at pages with."""

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

from graphpac import GPAC
from graphpac.report.facts import collect_facts

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def model(digits):
    return GPAC(n_clusters=10, random_state=0).fit(digits.X)


@pytest.fixture(scope="session")
def facts(model):
    return collect_facts(model, map_method="graph")


@pytest.fixture(scope="session")
def thumbnails(digits, facts):
    return (digits.X[facts.shown_rows] * (255 / 16)).astype(np.uint8).reshape(-1, 8, 8)


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """A browser of this machine, in a profile of its own; nothing is downloaded."""
    playwright = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser on this machine, looked for {', '.join(BROWSERS)}")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield chromium
        chromium.close()
