"""One sweep over a mini-batch when only the largest entries of a row of memberships are kept.

Uniform rows are not written out: constants cancel in the shift of the scores and in the smallest
hard score, and in the local average such a row has no opinion. Only a shift that is bounded must
know how many there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix, FloatVector, IntMatrix, IntVector
from graphpac.kernels._jit import kernel, step
from graphpac.kernels._prefetch import prefetch
from graphpac.kernels.batches import NO_LABEL, BatchView, Rule, SparseAssignment
from graphpac.kernels.minima import BLOCK, find_block_minima, find_first, padded
from graphpac.kernels.powers import fuzzy_power, largest_ratio, unnormalized_membership
from graphpac.kernels.sparse_rows import add_row, distance_to_row, keep_largest
from graphpac.kernels.sweep_steps import (
    fetch_lists,
    fetch_rows,
    find_batch_neighbors,
    find_slot,
    hard_score,
    number_slots,
    pull_of_neighbors,
    relative_score,
    shift_scores,
    soft_score,
)

# Support below this is not worth the look: with hundreds of neighbors in a batch it adds up to a
# hundredth of one hard vote, and late in a run it would be most of the time of a sweep.
FAINT = np.float32(1e-4)


class Powered(NamedTuple):
    """What neighbors read of the batch, by slots: a cluster and its p^m side by side.

    So most rows end within one line of the cache. Both are the same bits: of ``clusters`` every
    other column counts, from the first on, of ``values`` the columns between.
    """

    values: FloatMatrix
    clusters: IntMatrix

    @classmethod
    def of(cls, n_batch: int, n_entries: int) -> Powered:
        """Make room for the memberships of a batch."""
        values = np.zeros((n_batch, 2 * n_entries), dtype=np.float32)
        return cls(values, values.view(np.int32))


class SparseTotals(NamedTuple):
    """The totals of p and of hard labels, padded to whole blocks, and how many rows are uniform."""

    soft_total: AnyArray
    hard_total: AnyArray
    n_uniform: int


@kernel
def sweep_sparse_batch(
    view: BatchView[SparseAssignment],
    rule: Rule,
    samples: IntVector,
    found: SparseAssignment,
    room: Powered,
) -> tuple[float, float]:
    """Update the samples of a batch one after another; return the change and the dropped mass.

    What is found is written; its rows, and ``room``, must be zero before.
    """
    pool, due, local, previous = view.pool, view.due, view.local, view.assignment
    n_batch, n_due, n_clusters = samples.size, due.size, rule.n_clusters
    slots = number_slots(pool, view.order, samples)
    label, clusters, p = found
    powered, powered_cluster = room
    soft_total, hard_total, n_uniform = load_sparse_batch(view, slots, samples, rule, found, room)

    # Neighbors are found one sample ahead, so that what is read of them is on its way.
    near, next_near = np.empty(n_batch + 1, np.uint32), np.empty(n_batch + 1, np.uint32)
    n_near, n_next = 0, 0
    if n_due > 0:
        n_next = find_batch_neighbors(pool, due[0], slots, next_near)
    score = np.empty(soft_total.size, np.float64)
    minima = np.empty(soft_total.size // BLOCK, np.float64)
    support = np.zeros(soft_total.size, np.float32)
    row = np.zeros(n_clusters, np.float32)  # the new memberships, zero between samples
    touched = np.empty(n_clusters, np.int32)
    cutoff = largest_ratio(rule.exponent)
    change, dropped = 0.0, 0.0
    for t in range(n_due):
        own = slots[due[t]]
        i = samples[own]
        near, next_near = next_near, near
        n_near, n_next = n_next, 0
        if t + 2 < n_due:
            fetch_lists(pool, due[t + 2], local)
        if t + 1 < n_due:
            fetch_rows(local, pool.members[due[t + 1]], previous.values)
            fetch_rows(local, pool.members[due[t + 1]], previous.clusters)
            n_next = find_batch_neighbors(pool, due[t + 1], slots, next_near)
            fetch_batch_rows(next_near, n_next, powered, label)

        n_uniform -= p[own, 0] == 0.0
        leave_total(clusters, p, own, soft_total)
        collect_votes(
            near, n_near, label, powered, powered_cluster, rule, soft_total, score, support
        )
        smallest = find_block_minima(score, minima)
        # n_uniform / n_clusters is what uniform rows would add to every score.
        shift, best = shift_scores(smallest, n_uniform / n_clusters, rule)
        limit = max(cutoff * best - shift, np.nextafter(smallest, np.inf))
        n_touched, norm = share_by_scores(score, minima, limit, shift, best, rule, row, touched)

        # Eq. 31: p = (1 - lam) p* + lam average.
        pull = pull_of_neighbors(local, i, rule)
        scale = np.float32((1.0 - pull) / norm)
        for x in range(n_touched):
            row[touched[x]] *= scale
        if pull > 0.0:
            n_touched = add_average(view, i, pull, slots, found, row, touched, n_touched)
        change += distance_to_row(clusters[own], p[own], row, touched, n_touched)
        dropped += keep_largest(row, touched, n_touched, clusters[own], p[own])
        enter_total(clusters, p, own, soft_total, powered, powered_cluster, rule)
        if rule.auxiliary:
            if label[own] != NO_LABEL:
                hard_total[label[own]] -= 1.0
            label[own] = pick_hard_label(hard_total, support, rule, score, minima)
            hard_total[label[own]] += 1.0
    return change, dropped


@step
def load_sparse_batch(
    view: BatchView[SparseAssignment],
    slots: IntVector,
    samples: IntVector,
    rule: Rule,
    found: SparseAssignment,
    room: Powered,
) -> SparseTotals:
    """Copy what is known of the batch, and add it to the totals outside."""
    label, clusters, p = found
    powered, powered_cluster = room
    order, outside, assignment = view.order, view.outside, view.assignment
    n_batch, n_entries = order.size, assignment.values.shape[1]
    soft_total = padded(outside[0])
    hard_total = padded(outside[1])
    n_uniform = 0
    for t in range(n_batch):
        own = slots[order[t]]
        i = samples[own]
        label[own] = assignment.labels[i]
        if label[own] != NO_LABEL:
            hard_total[label[own]] += 1.0
        n_uniform += assignment.values[i, 0] == 0.0
        for e in range(n_entries):
            if assignment.values[i, e] == 0.0:
                break
            clusters[own, e] = assignment.clusters[i, e]
            p[own, e] = assignment.values[i, e]
        enter_total(clusters, p, own, soft_total, powered, powered_cluster, rule)
    return SparseTotals(soft_total, hard_total, n_uniform)


@step
def fetch_batch_rows(near: AnyArray, n_near: int, powered: FloatMatrix, label: IntVector) -> None:
    """Begin to load what the votes of some neighbors will read."""
    for x in range(n_near):
        prefetch(powered, near[x])
        prefetch(label, near[x])


@step
def leave_total(clusters: IntMatrix, p: FloatMatrix, own: int, soft_total: AnyArray) -> None:
    """Take a sample out of the total."""
    for e in range(p.shape[1]):
        if p[own, e] == 0.0:
            break
        soft_total[clusters[own, e]] -= p[own, e]


@step
def enter_total(
    clusters: IntMatrix,
    p: FloatMatrix,
    own: int,
    soft_total: AnyArray,
    powered: FloatMatrix,
    powered_cluster: IntMatrix,
    rule: Rule,
) -> None:
    """Add new memberships of a sample to the total, and let neighbors read their powers."""
    excess = np.float32(rule.excess)
    for e in range(p.shape[1]):
        if p[own, e] == 0.0:
            powered[own, 2 * e + 1] = 0.0  # readers stop there as well
            break
        soft_total[clusters[own, e]] += p[own, e]
        powered_cluster[own, 2 * e] = clusters[own, e]
        powered[own, 2 * e + 1] = fuzzy_power(p[own, e], excess)


@step
def collect_votes(
    near: AnyArray,
    n_near: int,
    label: IntVector,
    powered: FloatMatrix,
    powered_cluster: IntMatrix,
    rule: Rule,
    soft_total: AnyArray,
    score: AnyArray,
    support: FloatVector,
) -> None:
    """Algorithm 1: v' of some neighbors, taken off the total at once, and p' (support)."""
    faint = FAINT if rule.auxiliary else np.float32(0.0)
    for k in range(score.size):
        score[k] = soft_total[k]
    support[:] = 0.0
    for x in range(n_near):
        j = near[x]
        if rule.auxiliary and label[j] != NO_LABEL:
            score[label[j]] = soft_score(score[label[j]], 1.0, rule)
        for e in range(0, powered.shape[1], 2):
            if powered[j, e + 1] <= faint:
                break
            support[powered_cluster[j, e]] += powered[j, e + 1]
    if not rule.auxiliary:  # p' of plain p is v'
        for k in range(rule.n_clusters):
            score[k] = soft_score(score[k], support[k], rule)


@step
def share_by_scores(
    score: AnyArray,
    minima: AnyArray,
    limit: float,
    shift: float,
    best: float,
    rule: Rule,
    row: FloatVector,
    touched: IntVector,
) -> tuple[int, float]:
    """Eq. 25: write p* proportional to s^(-1/(m-1)) where a score is below the limit.

    Beyond, memberships are negligible. Return how many there are, and their sum.
    """
    n_touched = 0
    norm = 0.0
    for block in range(minima.size):
        if minima[block] >= limit:
            continue
        for k in range(block * BLOCK, (block + 1) * BLOCK):
            if score[k] < limit:
                ratio = relative_score(score[k], shift, best)
                row[k] = unnormalized_membership(ratio, rule.exponent)
                norm += row[k]
                touched[n_touched] = k
                n_touched += 1
    return n_touched, norm


@step
def add_average(
    view: BatchView[SparseAssignment],
    sample: int,
    pull: float,
    slots: IntVector,
    found: SparseAssignment,
    row: FloatVector,
    touched: IntVector,
    n_touched: int,
) -> int:
    """Add the share of the local average in Eq. 31 to a row; return how many entries it has.

    Neighbors inside the batch have their newest values, those outside what they had before.
    """
    pool, seats, local = view.pool, view.seats, view.local
    _, previous_clusters, previous_values = view.assignment
    _, clusters, values = found
    for edge in range(local.indptr[sample], local.indptr[sample + 1]):
        j = local.indices[edge]
        weight = np.float32(pull) * local.weights[edge]
        slot = find_slot(seats[j], pool.start, slots)
        if slot >= 0:
            n_touched = add_row(clusters[slot], values[slot], weight, row, touched, n_touched)
        else:
            n_touched = add_row(
                previous_clusters[j], previous_values[j], weight, row, touched, n_touched
            )
    return n_touched


@step
def pick_hard_label(
    hard_total: AnyArray, support: FloatVector, rule: Rule, score: AnyArray, minima: AnyArray
) -> int:
    """Return the cluster of the smallest hard score; score and minima are overwritten."""
    for k in range(score.size):
        score[k] = hard_score(hard_total[k], support[k], rule)
    return find_first(score, minima, find_block_minima(score, minima))
