"""One sweep over a mini-batch when rows of memberships are short enough to be kept whole.

``columns`` are the numbers of a row's columns. Of a tuple the length is known to the compiler, and
loops of a length that is known become vector instructions: worth a fifth of the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix, FloatVector, IntVector
from graphpac.kernels._jit import kernel, step
from graphpac.kernels.batches import NO_LABEL, BatchView, DenseAssignment, Rule
from graphpac.kernels.powers import fuzzy_power, largest_ratio, unnormalized_membership
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

LANES = 16  # rows are padded to a multiple of this


class DenseBatch(NamedTuple):
    """The batch during a sweep, by slots: p^m, hard labels, and the totals of p and labels.

    The slot after the last is nobody's: it pads groups of four neighbors, has no mass and votes for
    no cluster. Totals are infinite for clusters that only pad: their scores are never the smallest.
    """

    powered: FloatMatrix
    label: AnyArray
    soft_total: AnyArray
    hard_total: AnyArray


@kernel
def sweep_dense_batch(
    view: BatchView[DenseAssignment],
    rule: Rule,
    columns: tuple[int, ...],
    samples: IntVector,
    found: DenseAssignment,
) -> float:
    """Update the samples of a batch one after another; write what is found, return the change."""
    pool, seats, due, local = view.pool, view.seats, view.due, view.local
    previous, p = view.assignment.rows, found.rows
    n_batch, n_due, width = samples.size, due.size, len(columns)
    slots = number_slots(pool, view.order, samples)
    powered, label, soft_total, hard_total = load_dense_batch(
        view, slots, samples, rule, columns, p
    )
    near = np.empty(n_batch + 4, np.uint32)
    votes = np.empty((4, width + 1), np.float32)
    support = np.empty(width, np.float32)
    score = np.empty(width, np.float64)
    fresh = np.empty(width, np.float32)
    average = np.empty(width, np.float32)
    cutoff = largest_ratio(rule.exponent)
    change = 0.0
    for t in range(n_due):
        own = slots[due[t]]
        i = samples[own]
        if t + 2 < n_due:
            fetch_lists(pool, due[t + 2], local)
        if t + 1 < n_due:
            fetch_rows(local, pool.members[due[t + 1]], previous)

        n_near = find_batch_neighbors(pool, due[t], slots, near)
        near[n_near : n_near + 3] = n_batch
        collect_votes(label, powered, near, n_near, votes, support, columns)
        score_clusters(p, soft_total, own, votes, support, rule, score, columns)
        smallest = find_smallest(score, rule.n_clusters)
        norm = share_by_scores(score, smallest, cutoff, rule, fresh, columns)

        # Eq. 31: p = (1 - lam) p* + lam average.
        pull = pull_of_neighbors(local, i, rule)
        average[:] = 0.0
        if pull > 0.0:
            for edge in range(local.indptr[i], local.indptr[i + 1]):
                j = local.indices[edge]
                slot = find_slot(seats[j], pool.start, slots)
                w = local.weights[edge]
                # Newest values inside the batch, those before the round outside. With two loops of
                # one kind a sweep was 7 % slower.
                if slot >= 0:
                    for k in range(width):
                        average[k] += w * p[slot, k]
                else:
                    for first in range(0, width, LANES):
                        for k in range(first, first + LANES):
                            average[k] += w * previous[j, k]
        scale, share = np.float32((1.0 - pull) / norm), np.float32(pull)
        for k in range(width):
            fresh[k] = scale * fresh[k] + share * average[k]
        change = replace_row(p, powered, soft_total, own, fresh, change, rule, columns)

        if rule.auxiliary:
            if label[own] != width:
                hard_total[label[own]] -= 1.0
            label[own] = pick_hard_label(hard_total, support, rule)
            hard_total[label[own]] += 1.0
    for slot in range(n_batch):
        found.labels[slot] = label[slot] if label[slot] != width else NO_LABEL
    return change


@step
def load_dense_batch(
    view: BatchView[DenseAssignment],
    slots: IntVector,
    samples: IntVector,
    rule: Rule,
    columns: tuple[int, ...],
    p: FloatMatrix,
) -> DenseBatch:
    """Copy what is known of the batch, and add it to the totals outside."""
    order, outside, assignment = view.order, view.outside, view.assignment
    n_batch, width = order.size, len(columns)
    excess = np.float32(rule.excess)
    powered = np.zeros((n_batch + 1, width), np.float32)
    label = np.full(n_batch + 1, width, np.uint32)
    soft_total = outside[0].copy()
    hard_total = outside[1].copy()
    for t in range(n_batch):
        own = slots[order[t]]
        i = samples[own]
        if assignment.labels[i] != NO_LABEL:
            label[own] = assignment.labels[i]
            hard_total[label[own]] += 1.0
        for first in range(0, width, LANES):
            for k in range(first, first + LANES):
                p[own, k] = assignment.rows[i, k]
                soft_total[k] += p[own, k]
                powered[own, k] = fuzzy_power(p[own, k], excess)
    soft_total[rule.n_clusters :] = np.inf
    hard_total[rule.n_clusters :] = np.inf
    return DenseBatch(powered, label, soft_total, hard_total)


@step
def collect_votes(
    label: AnyArray,
    powered: FloatMatrix,
    near: AnyArray,
    n_near: int,
    votes: FloatMatrix,
    support: FloatVector,
    columns: tuple[int, ...],
) -> None:
    """Algorithm 1: v' (votes, the sum of four rows) and p' (support) of some neighbors.

    Four neighbors at a time: additions to the same number wait for each other.
    """
    votes[:] = 0.0
    support[:] = 0.0
    for x in range(0, n_near, 4):
        a, b, c, d = near[x], near[x + 1], near[x + 2], near[x + 3]
        votes[0, label[a]] += np.float32(1.0)
        votes[1, label[b]] += np.float32(1.0)
        votes[2, label[c]] += np.float32(1.0)
        votes[3, label[d]] += np.float32(1.0)
        for first in range(0, len(columns), LANES):
            for k in range(first, first + LANES):
                support[k] += (powered[a, k] + powered[b, k]) + (powered[c, k] + powered[d, k])


@step
def score_clusters(
    p: FloatMatrix,
    soft_total: AnyArray,
    own: int,
    votes: FloatMatrix,
    support: FloatVector,
    rule: Rule,
    score: AnyArray,
    columns: tuple[int, ...],
) -> None:
    """Eq. 39: s = P~ - p_i - alpha v', and p_i leaves P~; without V, p' of plain p is v'."""
    for k in range(len(columns)):
        soft_total[k] -= p[own, k]
        if rule.auxiliary:
            agreement = (votes[0, k] + votes[1, k]) + (votes[2, k] + votes[3, k])
        else:
            agreement = support[k]
        score[k] = soft_score(soft_total[k], agreement, rule)


@step
def share_by_scores(
    score: AnyArray,
    smallest: float,
    cutoff: float,
    rule: Rule,
    fresh: FloatVector,
    columns: tuple[int, ...],
) -> float:
    """Eqs. 44 and 25: write p* proportional to s^(-1/(m-1)); return the sum of what is written."""
    shift, best = shift_scores(smallest, 0.0, rule)
    norm = 0.0
    for k in range(len(columns)):
        fresh[k] = 0.0
        ratio = relative_score(score[k], shift, best)
        if ratio < cutoff:
            fresh[k] = unnormalized_membership(ratio, rule.exponent)
            norm += fresh[k]
    return norm


@step
def find_smallest(score: AnyArray, n_clusters: int) -> float:
    """Return the smallest score of a cluster that does not only pad."""
    smallest = np.inf
    for k in range(n_clusters):
        smallest = min(smallest, score[k])
    return smallest


@step
def pick_hard_label(hard_total: AnyArray, support: FloatVector, rule: Rule) -> int:
    """Return the cluster of the smallest hard score."""
    winner = 0
    smallest = np.inf
    for k in range(rule.n_clusters):
        score = hard_score(hard_total[k], support[k], rule)
        if score < smallest:
            smallest = score
            winner = k
    return winner


@step
def replace_row(
    p: FloatMatrix,
    powered: FloatMatrix,
    soft_total: AnyArray,
    own: int,
    fresh: FloatVector,
    change: float,
    rule: Rule,
    columns: tuple[int, ...],
) -> float:
    """Let a sample have new memberships, which enter the total; add the change of its row."""
    excess = np.float32(rule.excess)
    for first in range(0, len(columns), LANES):
        for k in range(first, first + LANES):
            new = fresh[k]
            fresh[k] = abs(new - p[own, k])
            p[own, k] = new
            soft_total[k] += new
            powered[own, k] = fuzzy_power(new, excess)
    for k in range(len(columns)):
        change += fresh[k]
    return change
