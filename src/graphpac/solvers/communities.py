"""Communities of a graph: local moves by modularity, level by level, at the resolution wanted."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import scipy.sparse as sp

from graphpac._typing import IntVector, OffsetVector
from graphpac.kernels.moves import (
    Clusters,
    Links,
    add_links_between,
    move_block,
    sum_links_between,
)
from graphpac.solvers.likelihood import LinkGraph

MOST_SWEEPS = 30
FEWEST_MOVED = 1e-3  # share of the samples of a level; below, a sweep was its last
LOWEST_RESOLUTION = 1e-3
MOST_CELLS_PER_LINK = 1  # of a whole matrix of groups: it takes no more than the graph
MOST_TOO_MANY = 1.02  # times the number wanted: near enough to search no further
GROUPS_PER_ROOT = 3.5  # groups of the finest level, for each root of samples times clusters
SEARCHES = 12  # of the resolution, each halving the factor it may be off by


def find_communities(
    graph: LinkGraph, wanted: Sequence[int], finest: IntVector | None = None
) -> list[IntVector]:
    """Divide the samples into about so many communities, once for each number; numbered from 0.

    Only the finest level has all samples, and it depends little on the resolution: it is moved
    once, at a resolution that is certainly high enough (if it is not given, the largest number),
    and the others on its groups.
    """
    if finest is None:
        finest = move_to_rest(graph, float(max(wanted)))
    groups = aggregate(graph, finest)
    found = graph.workers.map(lambda number: _search_resolution(groups, number), wanted)
    return [labels[finest] for labels in found]


def _search_resolution(groups: LinkGraph, wanted: int) -> IntVector:
    """Find the resolution that leaves so many communities, or few more."""
    low, high = np.log(LOWEST_RESOLUTION), np.log(4.0 * wanted)
    best: IntVector = np.arange(groups.n_samples, dtype=np.int32)
    for _ in range(SEARCHES):
        middle = (low + high) / 2.0
        labels = level_by_level(groups, float(np.exp(middle)), wanted)
        n_found = int(labels.max()) + 1
        if n_found < wanted:
            low = middle
            continue
        high = middle
        if n_found <= int(best.max()) + 1:
            best = labels
        if n_found <= MOST_TOO_MANY * wanted:
            break
    return best


def level_by_level(graph: LinkGraph, resolution: float, least: int = 0) -> IntVector:
    """Merge samples, then groups of samples, as long as modularity grows; numbered from 0.

    Groups never become more again: where fewer than ``least`` are left, it ends at once.
    """
    labels = move_to_rest(graph, resolution, least)
    n_groups = int(labels.max()) + 1
    while n_groups >= least:
        above = move_to_rest(aggregate(graph, labels), resolution, least)
        n_above = int(above.max()) + 1
        if n_above == n_groups:
            break
        labels, n_groups = above[labels], n_above
    return labels


def move_to_rest(graph: LinkGraph, resolution: float, least: int = 0) -> IntVector:
    """Move every sample out of a group of its own while modularity grows; numbered from 0.

    Where fewer than ``least`` groups are left after a sweep, it is the last.
    """
    n = graph.n_samples
    labels: IntVector = np.arange(n, dtype=np.int32)
    clusters = Clusters(graph.degrees.copy(), np.ones(n, dtype=np.int64))
    due = np.ones(n, dtype=np.uint8)
    price = resolution / max(graph.n_ends, 1.0)
    for _ in range(MOST_SWEEPS):
        next_due = np.zeros_like(due)
        n_moved = move_block(
            graph.links, graph.degrees, labels, clusters, due, next_due, 0, labels, price, 0
        )
        due = next_due
        if n_moved <= FEWEST_MOVED * n or np.count_nonzero(clusters.counts) < least:
            break
    numbers = np.cumsum(clusters.counts > 0, dtype=np.int32) - np.int32(1)
    numbered: IntVector = numbers[labels]
    return numbered


def aggregate(graph: LinkGraph, labels: IntVector) -> LinkGraph:
    """Make each group one sample; links inside become loops."""
    between = links_between(graph.links, labels, int(labels.max()) + 1)
    n_groups = between.shape[0]
    sources = np.repeat(np.arange(n_groups, dtype=np.int32), np.diff(between.indptr))
    is_loop = between.indices == sources
    loops = np.zeros(n_groups)
    loops[sources[is_loop]] = between.data[is_loop]
    if graph.loops is not None:
        loops = loops + np.bincount(labels, weights=graph.loops, minlength=n_groups)
    indptr = between.indptr.astype(np.int64)
    indptr[1:] -= np.cumsum(np.bincount(sources[is_loop], minlength=n_groups))
    indices: IntVector = between.indices[~is_loop].astype(np.int32, copy=False)
    weights = between.data[~is_loop].astype(np.float32)
    return LinkGraph(Links(indptr, indices, weights), graph.workers, loops)


def links_between(links: Links, labels: IntVector, n_groups: int) -> sp.csr_array:
    """Sum the links between groups, inside one both ends counted.

    A matrix with room for all pairs of groups is filled faster than a sparse one, if it is no
    larger than the graph.
    """
    if n_groups**2 <= MOST_CELLS_PER_LINK * links.indices.size:
        between = np.zeros((n_groups, n_groups))
        add_links_between(links, labels, between)
        return sp.csr_array(between)
    samples = np.argsort(labels, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(labels, minlength=n_groups))
    indptr: OffsetVector = np.zeros(n_groups + 1, dtype=np.int64)
    indices: IntVector = np.empty(links.indices.size, dtype=np.int32)
    sums = np.empty(links.indices.size)
    sum_links_between(links, labels, samples, ends, indptr, indices, sums)
    n_pairs = int(indptr[-1])
    shape = (n_groups, n_groups)
    return sp.csr_array((sums[:n_pairs], indices[:n_pairs], indptr), shape=shape)


def expected_groups(n_samples: int, n_clusters: float) -> float:
    """Count, about, the groups of the finest level where so many clusters are looked for."""
    return min(float(n_samples), GROUPS_PER_ROOT * sqrt(n_samples * n_clusters))
