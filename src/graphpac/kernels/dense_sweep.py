"""One sweep over a mini-batch when rows of memberships are short enough to be kept whole."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix, IntVector
from graphpac.kernels._jit import kernel
from graphpac.kernels._prefetch import prefetch
from graphpac.kernels.batches import (
    NO_LABEL,
    LocalGraph,
    Pool,
    Rule,
    fetch_lists,
    find_batch_neighbors,
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
    pool: Pool,
    seats: IntVector,
    batch: IntVector,
    local: LocalGraph,
    rule: Rule,
    outside: AnyArray,
    lanes: tuple[int, ...],
    previous: FloatMatrix,
    previous_labels: IntVector,
    out: FloatMatrix,
    out_labels: IntVector,
) -> float:
    """Update the samples of a batch one after another; return the summed change of their rows.

    Read: the pool; seats, where each sample sits in all pools laid end to end; batch, positions in
    the pool in the order of the updates; outside (2, width), soft and hard totals of samples that
    count beside the batch; lanes, of which only the number counts: the width of a row, and as the
    length of a tuple known to the compiler, which is worth a fifth of the time; the memberships
    and hard labels of all samples before this round.
    Written: rows of out and entries of out_labels that belong to the batch.
    """
    n_batch = batch.size
    width = len(lanes)
    cutoff = largest_ratio(rule.exponent)
    excess = np.float32(rule.excess)

    # Row n_batch is nobody: it pads groups of four neighbors, has no mass and votes for no cluster.
    place = np.full(pool.members.size, -1, np.int32)
    p = np.zeros((n_batch, width), np.float32)
    powered = np.zeros((n_batch + 1, width), np.float32)
    label = np.full(n_batch + 1, width, np.uint32)
    soft_total = outside[0].copy()
    hard_total = outside[1].copy()
    for t in range(n_batch):
        place[batch[t]] = t
        i = pool.members[batch[t]]
        if previous_labels[i] != NO_LABEL:
            label[t] = previous_labels[i]
            hard_total[label[t]] += 1.0
        for first in range(0, width, LANES):
            for k in range(first, first + LANES):
                p[t, k] = previous[i, k]
                soft_total[k] += p[t, k]
                powered[t, k] = fuzzy_power(p[t, k], excess)
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
        i = pool.members[batch[t]]

        if t + 2 < n_batch:
            fetch_lists(pool, batch[t + 2], local)
            prefetch(out, pool.members[batch[t + 2]])
        if t + 1 < n_batch:
            j = pool.members[batch[t + 1]]
            for edge in range(local.indptr[j], local.indptr[j + 1]):
                prefetch(previous, local.indices[edge])

        n_near = find_batch_neighbors(pool, batch[t], place, near)
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
            soft_total[k] -= p[t, k]
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
                slot = place[seat] if 0 <= seat < place.size else -1
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
                fresh[k] = abs(new - p[t, k])
                p[t, k] = new
                soft_total[k] += new
                powered[t, k] = fuzzy_power(new, excess)
                out[i, k] = new
        for k in range(width):
            change += fresh[k]

        if rule.auxiliary:
            if label[t] != width:
                hard_total[label[t]] -= 1.0
            label[t] = pick_hard_label(hard_total, support, rule)
            hard_total[label[t]] += 1.0
            out_labels[i] = label[t]
    return change
