"""The steps of an update that are the same whatever the form of the rows."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac.kernels._jit import kernel, step
from graphpac.kernels._prefetch import prefetch
from graphpac.kernels.batches import LocalGraph, Pool, Rule
from graphpac.kernels.powers import SCORE_FLOOR

LINE_ENTRIES = 32  # 16-bit entries of a list in one line of the cache


@kernel
def number_slots(pool: Pool, order: IntVector, samples: IntVector) -> IntVector:
    """Give each member of the pool its slot in the batch, -1 for none; write the samples by slot.

    Slots follow the order of the pool, in which near samples have near numbers: what a sweep reads
    of the neighbors of a sample lies close together too, whatever the order of the updates.
    """
    slots = np.full(pool.members.size, -1, np.int32)
    for t in range(order.size):
        slots[order[t]] = 0
    n_slots = 0
    for position in range(slots.size):
        if slots[position] == 0:
            slots[position] = n_slots
            samples[n_slots] = pool.members[position]
            n_slots += 1
    return slots


@kernel
def find_slot(seat: int, start: int, slots: IntVector) -> int:
    """Return the slot in the batch of the sample on a seat, -1 for none."""
    position = seat - start
    return slots[position] if 0 <= position < slots.size else -1


@step
def fetch_lists(pool: Pool, position: int, local: LocalGraph) -> None:
    """Begin to load what a sweep will read of a member that it comes to shortly."""
    for edge in range(pool.reach_indptr[position], pool.reach_indptr[position + 1], LINE_ENTRIES):
        prefetch(pool.reach_indices, edge)
    i = pool.members[position]
    prefetch(local.indices, local.indptr[i])
    prefetch(local.weights, local.indptr[i])


@step
def fetch_rows(local: LocalGraph, sample: int, rows: AnyArray) -> None:
    """Begin to load the rows that the local average of a sample will read."""
    neighbors = local.indices
    for edge in range(local.indptr[sample], local.indptr[sample + 1]):
        prefetch(rows, neighbors[edge])


@step
def find_batch_neighbors(pool: Pool, position: int, slots: IntVector, near: AnyArray) -> int:
    """Write the neighbors of a member that are in the batch, A_i of Algorithm 2; return how many.

    slots gives the slot of each member of the pool in the batch, -1 for none; near receives slots
    and needs room for one more than are found: each is written, and kept only when it is one,
    which leaves no branch to predict.
    """
    n_near = 0
    for edge in range(pool.reach_indptr[position], pool.reach_indptr[position + 1]):
        slot = slots[pool.reach_indices[edge]]
        near[n_near] = np.uint32(slot)
        n_near += slot >= 0
    return n_near


@kernel
def soft_score(total: float, agreement: float, rule: Rule) -> float:
    """Eq. 39: P~ - p_i, the total, less alpha v', the neighbors that agree."""
    return total - rule.alpha * agreement


@kernel
def shift_scores(smallest: float, untold: float, rule: Rule) -> tuple[float, float]:
    """Eq. 44: by how much scores are shifted, and what the smallest of them is then.

    It becomes one, if the rule does not forbid it. untold is what is missing in every score.
    """
    shift = min(max(1.0 - smallest, rule.least_shift + untold), rule.most_shift + untold)
    return shift, max(smallest + shift, SCORE_FLOOR)


@kernel
def relative_score(score: float, shift: float, best: float) -> float:
    """Return a shifted score as a multiple of the smallest."""
    return max(score + shift, SCORE_FLOOR) / best


@step
def pull_of_neighbors(local: LocalGraph, sample: int, rule: Rule) -> float:
    """Return lam of Eq. 31: without neighbors there is no average to go to."""
    return rule.local_weight if local.indptr[sample] < local.indptr[sample + 1] else 0.0


@kernel
def hard_score(total: float, support: float, rule: Rule) -> float:
    """Eqs. 35 and 40: V~ - v_i, the total, less alpha p'; the first of the smallest wins."""
    return total - rule.hard_alpha * support
