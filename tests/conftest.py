"""Fixtures for all tests: seeds, the embedded digits, data sets that may be absent."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from graphpac.datasets import Dataset, available, load

SEEDS_VARIABLE = "GRAPHPAC_TEST_SEEDS"
DATA_VARIABLE = "GRAPHPAC_DATA"
DATA_BESIDE_REPOSITORY = Path(__file__).parents[2] / "shared" / "data"

# The first call of a kernel compiles it, which no deadline allows for. Without
# a request for other seeds a run repeats the last one exactly.
settings.register_profile("graphpac", deadline=None, derandomize=SEEDS_VARIABLE not in os.environ)
settings.load_profile("graphpac")
# For `make check`: a first look after each change.
settings.register_profile("few", max_examples=25)


def requested_seeds() -> list[int]:
    """Read ``GRAPHPAC_TEST_SEEDS``: numbers and ranges such as ``3,10-19``; by default only 0."""
    seeds: list[int] = []
    for part in os.environ.get(SEEDS_VARIABLE, "0").split(","):
        first, _, last = part.partition("-")
        seeds.extend(range(int(first), int(last or first) + 1))
    return seeds


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test that asks for ``seed`` once per requested seed."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", requested_seeds())


@pytest.fixture(scope="session")
def digits() -> Dataset:
    """The embedded digits, read-only: whoever writes into the caller's array fails here."""
    data = load("digits")
    data.X.flags.writeable = False
    return data


@pytest.fixture
def dataset(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Dataset]:
    """Load a data set by name, or skip the test where the file is absent. Never downloads."""
    if not os.environ.get(DATA_VARIABLE) and DATA_BESIDE_REPOSITORY.is_dir():
        monkeypatch.setenv(DATA_VARIABLE, str(DATA_BESIDE_REPOSITORY))

    def load_or_skip(name: str) -> Dataset:
        if available()[name] not in {"embedded", "on disk"}:
            pytest.skip(f"{name} is not on this machine: set {DATA_VARIABLE} to the data folder")
        return load(name, download=False)

    return load_or_skip
