"""One sweep over a mini-batch when only the largest entries of a row of memberships are kept."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix, FloatVector, IntMatrix, IntVector
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
    NEGLIGIBLE,
    SCORE_FLOOR,
    fuzzy_power,
    largest_ratio,
    unnormalized_membership,
)


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
        if values[e] == 0.0:
            break
        k = clusters[e]
        if row[k] == 0.0:
            touched[n_touched] = k
            n_touched += 1
        row[k] += weight * values[e]
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
    negligible = NEGLIGIBLE * total
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
    pool: Pool,
    seats: IntVector,
    batch: IntVector,
    local: LocalGraph,
    rule: Rule,
    outside: AnyArray,
    previous_clusters: IntMatrix,
    previous_values: FloatMatrix,
    previous_labels: IntVector,
    out_clusters: IntMatrix,
    out_values: FloatMatrix,
    out_labels: IntVector,
) -> tuple[float, float]:
    """Update a batch as `sweep_dense_batch` does; return summed change and summed dropped mass.

    A row is a list of clusters and their memberships, largest first; zeros fill what is not used.
    A row of zeros stands for the uniform distribution: constants cancel in the shift of the scores
    and in the smallest hard score, and in the local average it has no opinion.
    """
    n_batch = batch.size
    n_entries = previous_values.shape[1]
    n_clusters = rule.n_clusters
    cutoff = largest_ratio(rule.exponent)
    excess = np.float32(rule.excess)

    place = np.full(pool.members.size, -1, np.int32)
    clusters = np.zeros((n_batch, n_entries), np.int32)
    p = np.zeros((n_batch, n_entries), np.float32)
    powered = np.zeros((n_batch, n_entries), np.float32)
    label = np.full(n_batch, NO_LABEL, np.int32)
    soft_total = outside[0].copy()
    hard_total = outside[1].copy()
    for t in range(n_batch):
        place[batch[t]] = t
        i = pool.members[batch[t]]
        label[t] = previous_labels[i]
        if label[t] != NO_LABEL:
            hard_total[label[t]] += 1.0
        for e in range(n_entries):
            if previous_values[i, e] == 0.0:
                break
            clusters[t, e] = previous_clusters[i, e]
            p[t, e] = previous_values[i, e]
            soft_total[clusters[t, e]] += p[t, e]
            powered[t, e] = fuzzy_power(p[t, e], excess)

    near = np.empty(n_batch + 1, np.uint32)
    score = np.empty(n_clusters, np.float64)
    support = np.zeros(n_clusters, np.float32)
    row = np.zeros(n_clusters, np.float32)  # the new memberships, zero between samples
    touched = np.empty(n_clusters, np.int32)
    change = 0.0
    dropped = 0.0
    for t in range(n_batch):
        i = pool.members[batch[t]]

        if t + 2 < n_batch:
            fetch_lists(pool, batch[t + 2], local)
        if t + 1 < n_batch:
            j = pool.members[batch[t + 1]]
            for edge in range(local.indptr[j], local.indptr[j + 1]):
                prefetch(previous_values, local.indices[edge])
                prefetch(previous_clusters, local.indices[edge])

        n_near = find_batch_neighbors(pool, batch[t], place, near)

        # Algorithm 1 and Eq. 39: s = P~ - p_i - alpha v'; support is p'.
        for e in range(n_entries):
            soft_total[clusters[t, e]] -= p[t, e]
        score[:] = soft_total
        support[:] = 0.0
        for x in range(n_near):
            j = near[x]
            if rule.auxiliary and label[j] != NO_LABEL:
                score[label[j]] -= rule.alpha
            for e in range(n_entries):
                if powered[j, e] == 0.0:
                    break
                support[clusters[j, e]] += powered[j, e]
        if not rule.auxiliary:
            for k in range(n_clusters):
                score[k] -= rule.alpha * support[k]

        # Eqs. 44 and 25, for the clusters whose membership is not negligible.
        smallest = np.inf
        for k in range(n_clusters):
            smallest = min(smallest, score[k])
        shift = 1.0 - smallest if rule.auxiliary else 0.0
        best = max(smallest + shift, SCORE_FLOOR)
        n_touched = 0
        norm = 0.0
        for k in range(n_clusters):
            ratio = max(score[k] + shift, SCORE_FLOOR) / best
            if ratio < cutoff:
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
                slot = place[seat] if 0 <= seat < place.size else -1
                if slot >= 0:
                    n_touched = add_row(clusters[slot], p[slot], w, row, touched, n_touched)
                else:
                    n_touched = add_row(
                        previous_clusters[j], previous_values[j], w, row, touched, n_touched
                    )

        change += distance_to_row(clusters[t], p[t], row, touched, n_touched)
        dropped += keep_largest(row, touched, n_touched, clusters[t], p[t])
        for e in range(n_entries):
            soft_total[clusters[t, e]] += p[t, e]
            powered[t, e] = fuzzy_power(p[t, e], excess)
            out_clusters[i, e] = clusters[t, e]
            out_values[i, e] = p[t, e]

        if rule.auxiliary:
            if label[t] != NO_LABEL:
                hard_total[label[t]] -= 1.0
            label[t] = pick_hard_label(hard_total, support, rule)
            hard_total[label[t]] += 1.0
            out_labels[i] = label[t]
    return change, dropped
