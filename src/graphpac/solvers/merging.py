"""Communities merge two by two: a tree, and clusters where it is cut."""

from __future__ import annotations

from math import log
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac.kernels.merging import (
    AVERAGE,
    INFORMATION,
    LIKELIHOOD,
    Groups,
    Rule,
    merge_groups,
)
from graphpac.solvers.communities import links_between
from graphpac.solvers.likelihood import LinkGraph

Criterion: TypeAlias = Literal["likelihood", "average", "information"]


class Merges(NamedTuple):
    """Pairs of groups in the order they merge; each goes by its lower number afterwards."""

    pairs: AnyArray
    affinities: AnyArray

    def cut(self, n_groups: int, n_clusters: int) -> IntVector:
        """Return the cluster of each group, numbered from 0, when so many are left."""
        pairs = self.pairs[: max(n_groups - n_clusters, 0)]
        goes_by = np.arange(n_groups)
        goes_by[pairs[:, 1]] = pairs[:, 0]
        for group in np.sort(pairs[:, 1]).tolist():
            goes_by[group] = goes_by[goes_by[group]]  # lower, so it is settled already
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
    by links for each pair of samples, which lets them be uneven; "information" by how much shorter
    a walk is described, which lets them differ the most. Groups with fewer than ``least`` samples
    merge before others, groups of one ``family`` before those of two.
    """
    n_groups = int(labels.max()) + 1
    links = links_between(graph.links, labels, n_groups).toarray()
    sizes: AnyArray = np.bincount(labels, minlength=n_groups).astype(np.float64)
    groups, rule = _groups_and_rule(graph, labels, links, sizes, criterion, resolution)
    pairs = np.empty((n_groups - 1, 2), dtype=np.int32)
    affinities = np.empty(n_groups - 1)
    if family is None:
        family = np.zeros(n_groups, dtype=np.int32)
    n_families = np.unique(family).size
    merge_groups(groups, sizes, family, n_families, rule, least, pairs, affinities)
    return Merges(pairs, affinities)


def _groups_and_rule(
    graph: LinkGraph,
    labels: IntVector,
    links: AnyArray,
    sizes: AnyArray,
    criterion: Criterion,
    resolution: float,
) -> tuple[Groups, Rule]:
    """Weigh the groups as a criterion counts them."""
    if criterion == "average":
        return Groups(links, sizes.copy(), np.zeros_like(sizes)), Rule(AVERAGE, 0.0)
    n_ends = max(graph.n_ends, 1.0)
    degrees = np.bincount(labels, weights=graph.degrees, minlength=sizes.size)
    if criterion == "likelihood":
        return Groups(links, degrees, np.zeros_like(sizes)), Rule(LIKELIHOOD, resolution / n_ends)
    shares = links / n_ends
    cuts = np.maximum(degrees / n_ends - shares.diagonal(), 0.0)
    # ln Q + 1; without a link between groups nothing is priced.
    price = log(cuts.sum()) + 1.0 if cuts.sum() > 0.0 else 0.0
    return Groups(shares, degrees / n_ends, cuts), Rule(INFORMATION, price)
