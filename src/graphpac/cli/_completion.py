"""Names a shell may complete; what knows them is loaded only when the shell asks."""

from __future__ import annotations

from collections.abc import Iterable


def dataset_names(incomplete: str) -> list[str]:
    """Names of data sets."""
    from graphpac.datasets import available

    return _beginning_with(incomplete, available())


def method_names(incomplete: str) -> list[str]:
    """Names of methods."""
    from graphpac.methods import names

    return _beginning_with(incomplete, names())


def experiment_names(incomplete: str) -> list[str]:
    """Names of the paper's tables and figures."""
    from graphpac.experiments.config import experiment_names as names

    return _beginning_with(incomplete, [*names(), "all"])


def _beginning_with(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete.lower())]
