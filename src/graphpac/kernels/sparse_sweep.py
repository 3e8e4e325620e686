"""One sweep over a mini-batch when only the largest entries of a row of memberships are kept."""

from __future__ import annotations

import numpy as np

from graphpac._typing import FloatVector, IntVector
from graphpac.kernels._jit import kernel
from graphpac.kernels._prefetch import prefetch
from graphpac.kernels.batches import (
    NO_LABEL,
    BatchUpdate,
    BatchView,
    Rule,
    SparseAssignment,
    fetch_lists,
    find_batch_neighbors,
    number_slots,
)
from graphpac.kernels.minima import BLOCK, find_block_minima, find_first, padded
from graphpac.kernels.powers import (
    SCORE_FLOOR,
    fuzzy_power,
    largest_ratio,
    unnormalized_membership,
)

KEPT_SHARE = 1e-6  # of a row; averages of averages have long tails of less
# Support below this is not worth the look: with hundreds of neighbors in a batch it adds up to a
# hundredth of one hard vote, and late in a run it would be most of the time of a sweep.
FAINT = np.float32(1e-4)


@kernel
def add_row(
    clusters: IntVector,
    values: FloatVector,
    weight: float,
    row: FloatVector,
    touched: IntVector,
    n_touched: int,
) -> int:
    """Add weight times a list of memberships to a dense row; note the clusters that were zero."""
    for e in range(values.size):
        share = np.float32(weight * values[e])
        if share == 0.0:  # the end of the list, or too little: it would be noted again and again
            break
        k = clusters[e]
        if row[k] == 0.0:
            touched[n_touched] = k
            n_touched += 1
        row[k] += share
    return n_touched


@kernel
def distance_to_row(
    clusters: IntVector,
    values: FloatVector,
    row: FloatVector,
    touched: IntVector,
    n_touched: int,
) -> float:
    """L1 distance of a list of memberships to a dense row; both are taken to sum to one.

    Then what is lost equals what is gained, and either is half of the distance. Beside a list of
    zeros, the uniform distribution, the row may sum to less: it is scaled as it will be when kept.
    """
    half = 0.0
    if values[0] == 0.0:
        total = 0.0
        for x in range(n_touched):
            total += row[touched[x]]
        uniform = 1.0 / row.size
        for x in range(n_touched):
            half += max(row[touched[x]] / total - uniform, 0.0)
    else:
        for e in range(values.size):
            half += max(values[e] - row[clusters[e]], np.float32(0.0))
    return 2.0 * half


@kernel
def keep_largest(
    row: FloatVector,
    touched: IntVector,
    n_touched: int,
    out_clusters: IntVector,
    out_values: FloatVector,
) -> float:
    """Move the largest entries of a dense row into a list, scaled to sum to one; clear the row.

    The list is sorted, largest first, ties to the lower cluster, and zero where unused. Return the
    share of the row that found no place.
    """
    total = 0.0
    for x in range(n_touched):
        total += row[touched[x]]
    # A share of the row, not a number: with the local weight next to 1 and neighbors without an
    # opinion the whole row is small, and nothing would be kept.
    negligible = KEPT_SHARE * total
    size = 0
    for x in range(n_touched):
        k = touched[x]
        value = row[k]
        row[k] = 0.0
        if value < negligible:
            continue
        e = size
        while e > 0 and (
            out_values[e - 1] < value or (out_values[e - 1] == value and out_clusters[e - 1] > k)
        ):
            e -= 1
        if e == out_values.size:
            continue
        size = min(size + 1, out_values.size)
        for later in range(size - 1, e, -1):
            out_values[later] = out_values[later - 1]
            out_clusters[later] = out_clusters[later - 1]
        out_values[e] = value
        out_clusters[e] = k
    kept = 0.0
    for e in range(size):
        kept += out_values[e]
    for e in range(size):
        out_values[e] = np.float32(out_values[e] / kept)
    for e in range(size, out_values.size):
        out_values[e] = 0.0
        out_clusters[e] = 0
    return 1.0 - kept / total


@kernel
def sweep_sparse_batch(
    view: BatchView[SparseAssignment], rule: Rule
) -> BatchUpdate[SparseAssignment]:
    """Update a batch as `sweep_dense_batch` does.

    Uniform rows are not written out: constants cancel in the shift of the scores and in the
    smallest hard score, and in the local average such a row has no opinion. Only a shift that is
    bounded must know how many there are.
    """
    pool, seats, order, local = view.pool, view.seats, view.order, view.local
    previous_labels, previous_clusters, previous_values = view.assignment
    n_batch = order.size
    n_entries = previous_values.shape[1]
    n_clusters = rule.n_clusters
    cutoff = largest_ratio(rule.exponent)
    excess = np.float32(rule.excess)
    faint = FAINT if rule.auxiliary else np.float32(0.0)

    slots, samples = number_slots(pool, order)
    clusters = np.zeros((n_batch, n_entries), np.int32)
    p = np.zeros((n_batch, n_entries), np.float32)
    # What neighbors read, pairs of a cluster and p^m side by side: most rows end within one line
    # of the cache.
    powered = np.zeros((n_batch, 2 * n_entries), np.float32)
    powered_cluster = powered.view(np.int32)
    label = np.full(n_batch, NO_LABEL, np.int32)
    soft_total = padded(view.outside[0])
    hard_total = padded(view.outside[1])
    n_uniform = 0
    for t in range(n_batch):
        slot = slots[order[t]]
        i = samples[slot]
        label[slot] = previous_labels[i]
        if label[slot] != NO_LABEL:
            hard_total[label[slot]] += 1.0
        n_uniform += previous_values[i, 0] == 0.0
        for e in range(n_entries):
            if previous_values[i, e] == 0.0:
                break
            k = previous_clusters[i, e]
            clusters[slot, e] = k
            p[slot, e] = previous_values[i, e]
            soft_total[k] += p[slot, e]
            powered_cluster[slot, 2 * e] = k
            powered[slot, 2 * e + 1] = fuzzy_power(p[slot, e], excess)

    # Neighbors are found one sample ahead, so that what is read of them is on its way.
    near, next_near = np.empty(n_batch + 1, np.uint32), np.empty(n_batch + 1, np.uint32)
    n_near, n_next = 0, find_batch_neighbors(pool, order[0], slots, next_near)
    score = np.empty(soft_total.size, np.float64)
    minima = np.empty(soft_total.size // BLOCK, np.float64)
    support = np.zeros(soft_total.size, np.float32)
    row = np.zeros(n_clusters, np.float32)  # the new memberships, zero between samples
    touched = np.empty(n_clusters, np.int32)
    change = 0.0
    dropped = 0.0
    for t in range(n_batch):
        own = slots[order[t]]
        i = samples[own]

        if t + 2 < n_batch:
            fetch_lists(pool, order[t + 2], local)
        if t + 1 < n_batch:
            j = pool.members[order[t + 1]]
            for edge in range(local.indptr[j], local.indptr[j + 1]):
                prefetch(previous_values, local.indices[edge])
                prefetch(previous_clusters, local.indices[edge])

        near, next_near = next_near, near
        n_near, n_next = n_next, 0
        if t + 1 < n_batch:
            n_next = find_batch_neighbors(pool, order[t + 1], slots, next_near)
            for x in range(n_next):
                prefetch(powered, next_near[x])
                prefetch(label, next_near[x])

        # Algorithm 1 and Eq. 39: s = P~ - p_i - alpha v'; support is p'.
        n_uniform -= p[own, 0] == 0.0
        for e in range(n_entries):
            soft_total[clusters[own, e]] -= p[own, e]
        score[:] = soft_total
        support[:] = 0.0
        for x in range(n_near):
            j = near[x]
            if rule.auxiliary and label[j] != NO_LABEL:
                score[label[j]] -= rule.alpha
            for e in range(0, 2 * n_entries, 2):
                if powered[j, e + 1] <= faint:
                    break
                support[powered_cluster[j, e]] += powered[j, e + 1]
        if not rule.auxiliary:
            for k in range(n_clusters):
                score[k] -= rule.alpha * support[k]

        # Eqs. 44 and 25, for the clusters whose membership is not negligible.
        smallest = find_block_minima(score, minima)
        untold = n_uniform / n_clusters  # what uniform rows add to every score
        shift = min(max(1.0 - smallest, rule.least_shift + untold), rule.most_shift + untold)
        best = max(smallest + shift, SCORE_FLOOR)
        limit = max(cutoff * best - shift, np.nextafter(smallest, np.inf))
        n_touched = 0
        norm = 0.0
        for block in range(minima.size):
            if minima[block] >= limit:
                continue
            for k in range(block * BLOCK, (block + 1) * BLOCK):
                if score[k] < limit:
                    ratio = max(score[k] + shift, SCORE_FLOOR) / best
                    row[k] = unnormalized_membership(ratio, rule.exponent)
                    norm += row[k]
                    touched[n_touched] = k
                    n_touched += 1

        # Eq. 31: p = (1 - lam) p* + lam average.
        pull = 0.0
        if local.indptr[i] < local.indptr[i + 1]:
            pull = rule.local_weight
        scale = np.float32((1.0 - pull) / norm)
        for x in range(n_touched):
            row[touched[x]] *= scale
        if pull > 0.0:
            for edge in range(local.indptr[i], local.indptr[i + 1]):
                j = local.indices[edge]
                w = np.float32(pull) * local.weights[edge]
                seat = seats[j] - pool.start
                slot = slots[seat] if 0 <= seat < slots.size else -1
                if slot >= 0:
                    n_touched = add_row(clusters[slot], p[slot], w, row, touched, n_touched)
                else:
                    n_touched = add_row(
                        previous_clusters[j], previous_values[j], w, row, touched, n_touched
                    )

        change += distance_to_row(clusters[own], p[own], row, touched, n_touched)
        dropped += keep_largest(row, touched, n_touched, clusters[own], p[own])
        for e in range(n_entries):
            k = clusters[own, e]
            soft_total[k] += p[own, e]
            powered_cluster[own, 2 * e] = k
            powered[own, 2 * e + 1] = fuzzy_power(p[own, e], excess)

        if rule.auxiliary:
            if label[own] != NO_LABEL:
                hard_total[label[own]] -= 1.0
            # Eqs. 35 and 40: the cluster of the smallest V~ - v_i - alpha p', the first of equals.
            for k in range(score.size):
                score[k] = hard_total[k] - rule.hard_alpha * support[k]
            smallest = find_block_minima(score, minima)
            label[own] = find_first(score, minima, smallest)
            hard_total[label[own]] += 1.0
    return BatchUpdate(samples, SparseAssignment(label, clusters, p), change, dropped)
