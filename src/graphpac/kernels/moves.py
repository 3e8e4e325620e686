"""Samples move, one at a time, to the cluster most of their links lead to, less what chance gives.

With a price of gamma / 2M the gain of a move is that of the planted-partition likelihood, or of
modularity at the resolution gamma: links(i, l) - gamma k_i K_l / 2M, K_l without sample i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphpac._typing import AnyArray, FloatVector, IntVector, OffsetVector
from graphpac.kernels._jit import kernel

_ONE: Any = np.int64(1)  # not the same to the compiler as 1


class Links(NamedTuple):
    """A symmetric graph without loops: what sample i is linked to, and how strongly."""

    indptr: OffsetVector
    indices: IntVector
    weights: FloatVector


class Clusters(NamedTuple):
    """K_l, the summed degrees of each cluster, and its number of samples."""

    totals: AnyArray
    counts: AnyArray


@kernel
def move_block(
    links: Links,
    degrees: AnyArray,
    labels: IntVector,
    clusters: Clusters,
    due: AnyArray,
    next_due: AnyArray,
    first: int,
    found: IntVector,
    price: float,
    fewest: int,
) -> int:
    """Move the samples of a block that are due, in order; return how many moved.

    The block begins at ``first`` and is as long as ``found``, its labels, which are changed; labels
    outside are read from ``labels``. ``clusters`` follow the moves, ``next_due`` marks moved
    samples' neighbors. No cluster is left with fewer than ``fewest`` samples.
    """
    indptr, indices, weights = links
    totals, counts = clusters
    link = np.zeros(totals.size, np.float64)
    touched = np.empty(totals.size + 1, np.int32)
    n_moved = 0
    for x in range(found.size):
        i = first + x
        if not due[i]:
            continue
        n_touched = 0
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            label = found[j - first] if first <= j < first + found.size else labels[j]
            # Written in any case: whether a label is new cannot be foretold, and guessing is slow.
            touched[n_touched] = label
            n_touched += link[label] == 0.0
            link[label] += weights[edge]
        own = found[x]
        share = price * degrees[i]
        best, most = own, link[own] - share * (totals[own] - degrees[i])
        for t in range(n_touched):
            label = touched[t]
            gain = link[label] - share * totals[label]
            link[label] = 0.0
            if gain > most and label != own:
                best, most = label, gain
        if best == own or counts[own] <= fewest:
            continue
        totals[own] -= degrees[i]
        totals[best] += degrees[i]
        counts[own] -= 1
        counts[best] += 1
        found[x] = best
        n_moved += 1
        for edge in range(indptr[i], indptr[i + 1]):
            next_due[indices[edge]] = 1
    return n_moved


@kernel
def move_blocks(
    links: Links,
    degrees: AnyArray,
    labels: IntVector,
    clusters: Clusters,
    due: AnyArray,
    next_due: AnyArray,
    bounds: AnyArray,
    found: IntVector,
    price: float,
    changes: Clusters,
) -> int:
    """Move blocks that do not see each other's moves by `move_block`; return how many moved.

    ``found`` are the labels of the blocks, end to end, which are changed; ``clusters`` are those of
    ``labels``, and ``changes`` what each block adds to them, one row each. No cluster is emptied by
    one block alone.
    """
    n_moved = 0
    for b in range(bounds.size - 1):
        first, last = bounds[b], bounds[b + 1]
        totals, counts = clusters.totals.copy(), clusters.counts.copy()
        block = found[first - bounds[0] : last - bounds[0]]
        own = Clusters(totals, counts)
        n_moved += move_block(links, degrees, labels, own, due, next_due, first, block, price, _ONE)
        for cluster in range(totals.size):
            changes.totals[b, cluster] = totals[cluster] - clusters.totals[cluster]
            changes.counts[b, cluster] = counts[cluster] - clusters.counts[cluster]
    return n_moved


@kernel
def links_inside(links: Links, labels: IntVector, bounds: AnyArray, sums: AnyArray) -> None:
    """Sum the links of each block of samples that stay inside clusters, each end counted."""
    indptr, indices, weights = links
    for b in range(sums.size):
        inside = 0.0
        for i in range(bounds[b], bounds[b + 1]):
            for edge in range(indptr[i], indptr[i + 1]):
                inside += weights[edge] if labels[indices[edge]] == labels[i] else 0.0
        sums[b] = inside


@kernel
def inside_changes(
    links: Links, was: IntVector, labels: IntVector, bounds: AnyArray, sums: AnyArray
) -> None:
    """Sum by how much the links inside clusters grew as labels changed, each end counted.

    Only samples that changed are looked at, so a link counts for the end that did not, too.
    """
    indptr, indices, weights = links
    for b in range(sums.size):
        change = 0.0
        for i in range(bounds[b], bounds[b + 1]):
            if was[i] == labels[i]:
                continue
            for edge in range(indptr[i], indptr[i + 1]):
                j = indices[edge]
                n_ends = 1 if was[j] != labels[j] else 2
                grew = int(labels[i] == labels[j]) - int(was[i] == was[j])
                change += n_ends * grew * weights[edge]
        sums[b] = change


@kernel
def sum_links_between(
    links: Links,
    labels: IntVector,
    samples: IntVector,
    ends: AnyArray,
    indptr: OffsetVector,
    indices: IntVector,
    sums: AnyArray,
) -> None:
    """Sum the links of each group to each other one: rows of a CSR matrix, in order.

    ``samples`` are sorted by group, those of group g end at ``ends[g]``. There must be room for all
    pairs of groups that are linked. Links of a sample are summed in float32, like they are kept,
    those of a group in float64: beyond 2^24 links float32 can no longer add one.
    """
    n_groups = ends.size
    row = np.zeros(n_groups, np.float64)
    link = np.zeros(n_groups, np.float32)
    others = np.empty(n_groups + 1, np.int64)
    touched = np.empty(n_groups + 1, np.int32)
    first, n_entries = 0, 0
    for g in range(n_groups):
        n_others = 0
        for s in range(first, ends[g]):
            i = samples[s]
            n_touched = 0
            for edge in range(links.indptr[i], links.indptr[i + 1]):
                label = labels[links.indices[edge]]
                touched[n_touched] = label
                n_touched += link[label] == 0.0
                link[label] += links.weights[edge]
            for t in range(n_touched):
                label = touched[t]
                others[n_others] = label
                n_others += row[label] == 0.0
                row[label] += link[label]
                link[label] = 0.0
        first = ends[g]
        others[:n_others].sort()
        for t in range(n_others):
            indices[n_entries + t] = others[t]
            sums[n_entries + t] = row[others[t]]
            row[others[t]] = 0.0
        n_entries += n_others
        indptr[g + 1] = n_entries


@kernel
def add_links_between(links: Links, labels: IntVector, between: AnyArray) -> None:
    """Add each link to the sum of the groups at its ends."""
    indptr, indices, weights = links
    for i in range(indptr.size - 1):
        for edge in range(indptr[i], indptr[i + 1]):
            between[labels[i], labels[indices[edge]]] += weights[edge]


@kernel
def walks_returning(
    links: Links, labels: IntVector, n_clusters: int, bounds: AnyArray, sums: AnyArray
) -> None:
    """Sum the walks of two steps over each block of samples that end in the cluster they began in.

    A walk over sample i has the weight w_ji w_ik / k_i: all walks together weigh as much as all
    link ends.
    """
    indptr, indices, weights = links
    link = np.zeros(n_clusters, np.float64)
    for b in range(sums.size):
        returning = 0.0
        for i in range(bounds[b], bounds[b + 1]):
            degree = 0.0
            for edge in range(indptr[i], indptr[i + 1]):
                link[labels[indices[edge]]] += weights[edge]
                degree += weights[edge]
            squares = 0.0
            for edge in range(indptr[i], indptr[i + 1]):
                label = labels[indices[edge]]
                squares += link[label] * link[label]
                link[label] = 0.0
            if degree > 0.0:
                returning += squares / degree
        sums[b] = returning
