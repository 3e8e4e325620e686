"""Samples move, one at a time, to the cluster most of their links lead to, less what chance gives.

With a price of gamma / 2M the gain of a move is that of the planted-partition likelihood, or of
modularity at the resolution gamma: links(i, l) - gamma k_i K_l / 2M, K_l without sample i.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import AnyArray, FloatVector, IntVector, OffsetVector
from graphpac.kernels._jit import kernel


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
    touched = np.empty(totals.size, np.int32)
    n_moved = 0
    for x in range(found.size):
        i = first + x
        if not due[i]:
            continue
        n_touched = 0
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            label = found[j - first] if first <= j < first + found.size else labels[j]
            if link[label] == 0.0:
                touched[n_touched] = label
                n_touched += 1
            link[label] += weights[edge]
        own = found[x]
        share = price * degrees[i]
        best, most = own, link[own] - share * (totals[own] - degrees[i])
        for t in range(n_touched):
            label = touched[t]
            gain = link[label] - share * totals[label]
            if label != own and gain > most:
                best, most = label, gain
        for t in range(n_touched):
            link[touched[t]] = 0.0
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
def links_inside(links: Links, labels: IntVector, first: int, last: int) -> float:
    """Sum the links of some samples that stay inside their clusters, each end counted."""
    indptr, indices, weights = links
    inside = 0.0
    for i in range(first, last):
        for edge in range(indptr[i], indptr[i + 1]):
            if labels[indices[edge]] == labels[i]:
                inside += weights[edge]
    return inside


@kernel
def add_links_between(links: Links, labels: IntVector, between: AnyArray) -> None:
    """Add each link to the sum of the groups at its ends."""
    indptr, indices, weights = links
    for i in range(indptr.size - 1):
        for edge in range(indptr[i], indptr[i + 1]):
            between[labels[i], labels[indices[edge]]] += weights[edge]


@kernel
def walks_returning(
    links: Links, labels: IntVector, n_clusters: int, first: int, last: int
) -> float:
    """Sum the walks of two steps over some samples that end in the cluster they began in.

    A walk over sample i has the weight w_ji w_ik / k_i: all walks together weigh as much as all
    link ends.
    """
    indptr, indices, weights = links
    link = np.zeros(n_clusters, np.float64)
    returning = 0.0
    for i in range(first, last):
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
    return returning
