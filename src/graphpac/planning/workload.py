"""What is asked of a fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from graphpac._costs import Cost
from graphpac.graph.data_size import DataSize

StageCosts: TypeAlias = Callable[[DataSize, int], Mapping[str, Cost]]
"""From the size of data and a number of threads to the cost of each stage, in their order."""


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A fit: the size of its data, its threads, and what its stages cost for any such.

    A fit that counts its clusters is taken for one of ``n_clusters``.
    """

    size: DataSize
    costs: StageCosts
    n_jobs: int = 1
    n_clusters: int = 1
    counts_clusters: bool = False
    n_neighbors: int = 0

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.size.n_samples

    def stages(self) -> Mapping[str, Cost]:
        """Ask for the cost of each stage."""
        return self.costs(self.size, self.n_jobs)

    def resized(self, n_samples: int) -> Workload:
        """Return the same fit of more or fewer samples."""
        return replace(self, size=self.size.resized(n_samples))
