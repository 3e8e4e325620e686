"""Communities merge two by two: a tree, and clusters where it is cut."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac.kernels.merging import Groups, merge_groups
from graphpac.solvers.communities import links_between
from graphpac.solvers.likelihood import LinkGraph

Criterion: TypeAlias = Literal["likelihood", "average"]


class Merges(NamedTuple):
    """Pairs of groups in the order they merge; each goes by its lower number afterwards."""

    pairs: AnyArray
    affinities: AnyArray

    def cut(self, n_groups: int, n_clusters: int) -> IntVector:
        """Return the cluster of each group, numbered from 0, when so many are left."""
        goes_by = np.arange(n_groups)
        for a, b in self.pairs[: max(n_groups - n_clusters, 0)]:
            goes_by[goes_by == b] = a
        return np.unique(goes_by, return_inverse=True)[1].astype(np.int32)


def merge(
    graph: LinkGraph,
    labels: IntVector,
    *,
    criterion: Criterion,
    resolution: float = 1.0,
    least: float = 0.0,
    family: IntVector | None = None,
) -> Merges:
    """Merge groups down to one, those that are denser linked first.

    "likelihood" merges by links beyond chance at a resolution, which keeps groups even; "average"
    by links for each pair of samples, which lets them be uneven. Groups with fewer than ``least``
    samples merge before others, groups of one ``family`` before those of two.
    """
    n_groups = int(labels.max()) + 1
    links = links_between(graph.links, labels, n_groups).toarray()
    sizes: AnyArray = np.bincount(labels, minlength=n_groups).astype(np.float64)
    weights: AnyArray = sizes.copy()
    price = 0.0
    if criterion == "likelihood":
        weights = np.bincount(labels, weights=graph.degrees, minlength=n_groups)
        price = resolution / max(graph.n_ends, 1.0)
    pairs = np.empty((n_groups - 1, 2), dtype=np.int32)
    affinities = np.empty(n_groups - 1)
    if family is None:
        family = np.zeros(n_groups, dtype=np.int32)
    merge_groups(Groups(links, weights), sizes, family, price, least, pairs, affinities)
    return Merges(pairs, affinities)
