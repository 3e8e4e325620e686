"""Clusters whose sizes differ a lot: communities merged by what a walk tells, not by chance.

The planted partition prefers to cut a large class in two where another is small: by its price of
chance two halves are worth more than a giant and a dwarf. So here nothing is priced by size alone.
Communities merge while that shortens the description of a walk; a sample moves to another cluster
at half the price of chance; and of the partitions so found the one whose clusters are left by the
smallest shares of their links wins (docs/decisions.md).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from graphpac._typing import IntVector, Progress
from graphpac.solvers.candidates import LEAST_SHARE, Contender, communities_to_merge, judged
from graphpac.solvers.communities import links_between, move_to_rest
from graphpac.solvers.likelihood import FEWEST_MOVED, MOST_SWEEPS, LinkGraph, Moving
from graphpac.solvers.merging import merge

COMMUNITIES_PER_CLUSTER = (1.5, 2.0, 3.0)
MOST_UNEVEN = len(COMMUNITIES_PER_CLUSTER)
FINEST_PER_CLUSTER = 6.0  # the resolution of the finest level of communities
PRICE_OF_CHANCE = 0.5  # as a share of the resolution at which moves raise the likelihood


def uneven_candidates(
    graph: LinkGraph,
    n_clusters: int,
    finest: IntVector | None = None,
    progress: Progress | None = None,
) -> list[Contender]:
    """Find partitions into so many clusters that may differ a lot in size.

    ``finest`` are the labels of `finest_uneven`. There is none if the samples have fewer
    communities than clusters are wanted. Every cluster has a sample. Nothing is drawn, and the
    result does not depend on the threads.
    """
    finest = finest_uneven(graph, n_clusters) if finest is None else finest

    def merged(graph: LinkGraph, communities: IntVector) -> Contender:
        began = time.perf_counter()
        n_found = int(communities.max()) + 1
        merges = merge(
            graph,
            communities,
            criterion="information",
            least=LEAST_SHARE * graph.n_samples / n_clusters,
        )
        labels = settle(graph, merges.cut(n_found, n_clusters)[communities], n_clusters)
        origin = f"{n_found} communities, merged by information"
        return judged(graph, origin, labels, n_clusters, began)

    found = communities_to_merge(graph, n_clusters, COMMUNITIES_PER_CLUSTER, finest)
    return graph.map(merged, found, progress)


def finest_uneven(graph: LinkGraph, n_clusters: int) -> IntVector:
    """Find the groups that communities of uneven sizes are made of."""
    return move_to_rest(graph, FINEST_PER_CLUSTER * n_clusters)


def choose_uneven(graph: LinkGraph, contenders: Sequence[Contender]) -> Contender:
    """Return the partition with the smallest normalized cut, the first of equals."""
    return min(
        contenders,
        key=lambda each: normalized_cut(graph, each.labels, len(each.facts.cluster_sizes)),
    )


def settle(graph: LinkGraph, labels: IntVector, n_clusters: int) -> IntVector:
    """Move samples to where their links lead, with chance at half its price.

    What grows is f - price s, f the share of link ends that stay inside and s what chance gives;
    the best of all sweeps is returned. No cluster is left empty.
    """
    moving = Moving(graph, labels, n_clusters)
    fit = moving.fit
    price = PRICE_OF_CHANCE * fit.resolution
    best, most = labels.copy(), fit.inside - price * fit.chance
    due = np.ones(graph.n_samples, dtype=np.uint8)
    for _ in range(MOST_SWEEPS):
        n_moved, due = moving.sweep(due, price / max(graph.n_ends, 1.0))
        fit = moving.fit
        if fit.inside - price * fit.chance > most:
            best, most = moving.labels.copy(), fit.inside - price * fit.chance
        if n_moved <= FEWEST_MOVED * graph.n_samples:
            break
    return best


def normalized_cut(graph: LinkGraph, labels: IntVector, n_clusters: int) -> float:
    """Sum, over the clusters, of the share of their link ends that lead outside."""
    inside = links_between(graph.links, labels, n_clusters).diagonal()
    totals = graph.clusters(labels, n_clusters).totals
    linked = totals > 0.0
    return float(np.sum(1.0 - inside[linked] / totals[linked]))
