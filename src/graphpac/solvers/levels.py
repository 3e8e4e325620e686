"""Communities of a graph from coarse to fine, and partitions into any number between."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import IntVector
from graphpac.solvers.communities import aggregate, level_by_level, move_to_rest
from graphpac.solvers.likelihood import LinkGraph
from graphpac.solvers.merging import merge

COARSEST, FINEST = 0.05, 250.0  # resolutions; most data have 2 to 10 communities, and thousands
STEP = 1.15  # from one resolution to the next


class Level(NamedTuple):
    """Communities of the finest groups at one resolution."""

    resolution: float
    labels: IntVector
    n_communities: int


class Levels:
    """The communities of a graph at resolutions that rise step by step.

    As in `find_communities`, all samples move once, at the finest resolution, and at each other
    their groups do. Levels are found when they are needed; what a cut is does not depend on others.
    """

    def __init__(self, graph: LinkGraph) -> None:
        self._finest = move_to_rest(graph, FINEST)
        self._groups = aggregate(graph, self._finest)
        self._levels: list[Level] = []
        self._next = COARSEST

    def reach(self, n_communities: int) -> None:
        """Raise the resolution until there are so many communities, or each group is one."""
        wanted = min(n_communities, self._groups.n_samples)
        while not self._levels or self._levels[-1].n_communities < wanted:
            level = self._at(self._next)
            if not self._levels or level.n_communities > self._levels[-1].n_communities:
                self._levels.append(level)
            self._next *= STEP

    def cut(self, n_clusters: int) -> IntVector:
        """Divide the samples into so many clusters, or as many as there are if those are fewer.

        The coarsest communities that are enough merge by likelihood, at their own resolution.
        """
        self.reach(n_clusters)
        enough = (level for level in self._levels if level.n_communities >= n_clusters)
        level = next(enough, self._levels[-1])
        labels = level.labels
        if level.n_communities > n_clusters:
            merges = merge(
                self._groups, labels, criterion="likelihood", resolution=level.resolution
            )
            labels = merges.cut(level.n_communities, n_clusters)[labels]
        return labels[self._finest]

    def _at(self, resolution: float) -> Level:
        n_groups = self._groups.n_samples
        if resolution > FINEST:
            return Level(resolution, np.arange(n_groups, dtype=np.int32), n_groups)
        labels = level_by_level(self._groups, resolution)
        return Level(resolution, labels, int(labels.max()) + 1)
