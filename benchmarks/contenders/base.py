"""What a contender is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from graphpac._machine import installed_version

Matrix = Any  # float32 array of shape (n_samples, n_features), perhaps a read-only memory map


@dataclass(frozen=True)
class Fitted:
    """Stands for a fitted estimator where a library has none, with what is read of one."""

    labels_: Any  # -1 for rows left out as noise
    timings_: Mapping[str, float] = field(default_factory=dict)  # seconds of stages
    n_iter_: int | None = None


# Takes the rows, the number of clusters and a seed; returns a fitted estimator, or `Fitted`. Where
# it has a ``graph_``, its recall is measured.
Fit = Callable[[Matrix, int, int], Any]


@dataclass(frozen=True)
class Contender:
    """A method, the packages it comes in, and how it is set, in half a sentence for the tables.

    ``rehearse`` runs on a few rows before the fit that is timed, so that everything is imported
    and compiled; by default it is the fit itself.
    """

    fit: Fit
    packages: tuple[str, ...]  # none for our own; the version of the first is kept in the records
    setting: str
    rehearse: Fit | None = None

    @property
    def version(self) -> str:
        """Name and version of its package."""
        from graphpac import __version__

        if not self.packages:
            return f"graphpac {__version__}"
        return f"{self.packages[0]} {version(self.packages[0])}"


def missing_packages(contender: Contender) -> list[str]:
    """Name what has to be installed first."""
    return [name for name in contender.packages if installed_version(name) is None]
