"""One sweep over a mini-batch when rows of memberships are short enough to be kept whole."""

from __future__ import annotations

import numpy as np

from graphpac.kernels._jit import kernel
from graphpac.kernels._prefetch import prefetch
from graphpac.kernels.batches import (
    NO_LABEL,
    BatchUpdate,
    BatchView,
    DenseAssignment,
    Rule,
    fetch_lists,
    find_batch_neighbors,
    number_slots,
    pick_hard_label,
)
from graphpac.kernels.powers import (
    SCORE_FLOOR,
    fuzzy_power,
    largest_ratio,
    unnormalized_membership,
)

LANES = 16  # rows are padded to a multiple of this: loops of fixed length get vectorized
UNREACHABLE = np.inf  # total of a padding cluster: never the smallest score, membership zero


@kernel
def sweep_dense_batch(
    view: BatchView[DenseAssignment], rule: Rule, columns: tuple[int, ...]
) -> BatchUpdate[DenseAssignment]:
    """Update the samples of a batch one after another.

    columns are the numbers of a row's columns. Of a tuple the length is known to the compiler,
    which is worth a fifth of the time.
    """
    pool, seats, order, local = view.pool, view.seats, view.order, view.local
    previous, previous_labels = view.assignment.rows, view.assignment.labels
    n_batch = order.size
    width = len(columns)
    cutoff = largest_ratio(rule.exponent)
    excess = np.float32(rule.excess)

    # Row n_batch is nobody: it pads groups of four neighbors, has no mass and votes for no cluster.
    slots, samples = number_slots(pool, order)
    p = np.zeros((n_batch, width), np.float32)
    powered = np.zeros((n_batch + 1, width), np.float32)
    label = np.full(n_batch + 1, width, np.uint32)
    soft_total = view.outside[0].copy()
    hard_total = view.outside[1].copy()
    for t in range(n_batch):
        own = slots[order[t]]
        i = samples[own]
        if previous_labels[i] != NO_LABEL:
            label[own] = previous_labels[i]
            hard_total[label[own]] += 1.0
        for first in range(0, width, LANES):
            for k in range(first, first + LANES):
                p[own, k] = previous[i, k]
                soft_total[k] += p[own, k]
                powered[own, k] = fuzzy_power(p[own, k], excess)
    soft_total[rule.n_clusters :] = UNREACHABLE
    hard_total[rule.n_clusters :] = UNREACHABLE

    near = np.empty(n_batch + 4, np.uint32)
    votes = np.empty((4, width + 1), np.float32)
    support = np.empty(width, np.float32)
    average = np.empty(width, np.float32)
    fresh = np.empty(width, np.float32)
    score = np.empty(width, np.float64)
    change = 0.0
    for t in range(n_batch):
        own = slots[order[t]]
        i = samples[own]

        if t + 2 < n_batch:
            fetch_lists(pool, order[t + 2], local)
        if t + 1 < n_batch:
            j = pool.members[order[t + 1]]
            for edge in range(local.indptr[j], local.indptr[j + 1]):
                prefetch(previous, local.indices[edge])

        n_near = find_batch_neighbors(pool, order[t], slots, near)
        near[n_near : n_near + 3] = n_batch

        # Algorithm 1: v' (votes) and p' (support). Four neighbors at a time into separate places,
        # since additions to one place wait for each other.
        votes[:] = 0.0
        support[:] = 0.0
        for x in range(0, n_near, 4):
            a, b, c, d = near[x], near[x + 1], near[x + 2], near[x + 3]
            votes[0, label[a]] += np.float32(1.0)
            votes[1, label[b]] += np.float32(1.0)
            votes[2, label[c]] += np.float32(1.0)
            votes[3, label[d]] += np.float32(1.0)
            for first in range(0, width, LANES):
                for k in range(first, first + LANES):
                    support[k] += (powered[a, k] + powered[b, k]) + (powered[c, k] + powered[d, k])

        # Eq. 39: s = P~ - p_i - alpha v'; without V, p' of plain p stands in for v'.
        for k in range(width):
            soft_total[k] -= p[own, k]
            if rule.auxiliary:
                agreement = (votes[0, k] + votes[1, k]) + (votes[2, k] + votes[3, k])
            else:
                agreement = support[k]
            score[k] = soft_total[k] - rule.alpha * agreement
        smallest = np.inf
        for k in range(rule.n_clusters):
            smallest = min(smallest, score[k])
        # Eq. 44: the smallest score becomes one, if the rule does not forbid it.
        shift = min(max(1.0 - smallest, rule.least_shift), rule.most_shift)
        best = max(smallest + shift, SCORE_FLOOR)

        # Eq. 25: p* proportional to s^(-1/(m-1)).
        norm = 0.0
        for k in range(width):
            fresh[k] = 0.0
            ratio = max(score[k] + shift, SCORE_FLOOR) / best
            if ratio < cutoff:
                fresh[k] = unnormalized_membership(ratio, rule.exponent)
                norm += fresh[k]

        # The local average: newest values inside the batch, those before the round outside.
        average[:] = 0.0
        pull = 0.0
        if rule.local_weight > 0.0 and local.indptr[i] < local.indptr[i + 1]:
            pull = rule.local_weight
            for edge in range(local.indptr[i], local.indptr[i + 1]):
                j = local.indices[edge]
                w = local.weights[edge]
                seat = seats[j] - pool.start
                slot = slots[seat] if 0 <= seat < slots.size else -1
                if slot >= 0:
                    for k in range(width):
                        average[k] += w * p[slot, k]
                else:
                    for first in range(0, width, LANES):
                        for k in range(first, first + LANES):
                            average[k] += w * previous[j, k]

        # Eq. 31: p = (1 - lam) p* + lam average.
        scale = np.float32((1.0 - pull) / norm)
        share = np.float32(pull)
        for first in range(0, width, LANES):
            for k in range(first, first + LANES):
                new = scale * fresh[k] + share * average[k]
                fresh[k] = abs(new - p[own, k])
                p[own, k] = new
                soft_total[k] += new
                powered[own, k] = fuzzy_power(new, excess)
        for k in range(width):
            change += fresh[k]

        if rule.auxiliary:
            if label[own] != width:
                hard_total[label[own]] -= 1.0
            label[own] = pick_hard_label(hard_total, support, rule)
            hard_total[label[own]] += 1.0
    labels = np.empty(n_batch, np.int32)
    for slot in range(n_batch):
        labels[slot] = label[slot] if label[slot] != width else NO_LABEL
    return BatchUpdate(samples, DenseAssignment(labels, p), change, 0.0)
