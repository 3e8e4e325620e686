"""What sweeps are given, grouped, and those of their steps that do not touch rows."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

import numpy as np

from graphpac._typing import (
    AnyArray,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    OffsetVector,
)
from graphpac.kernels._jit import kernel
from graphpac.kernels._prefetch import prefetch

NO_LABEL = -1
LINE_ENTRIES = 32  # 16-bit entries of a list in one line of the cache


class Pool(NamedTuple):
    """Samples that share an epoch or more, and who reaches whom among them.

    ``members`` are sample numbers. ``reach_indices[reach_indptr[a]:reach_indptr[a + 1]]`` are the
    positions, in the pool, of the members within reach of member a. ``start`` is the seat of the
    first member when all pools are laid end to end.
    """

    members: IntVector
    start: int
    reach_indptr: OffsetVector
    reach_indices: AnyArray


class LocalGraph(NamedTuple):
    """Neighbors for the local average; the weights of a row sum to one."""

    indptr: OffsetVector
    indices: IntVector
    weights: FloatVector


class DenseAssignment(NamedTuple):
    """Hard labels V, -1 for none, and whole rows of memberships P of some samples."""

    labels: IntVector
    rows: FloatMatrix


class SparseAssignment(NamedTuple):
    """Hard labels V, -1 for none, and the largest memberships P of some samples, largest first.

    Zeros fill what is not used of a row. A row of zeros stands for the uniform distribution.
    """

    labels: IntVector
    clusters: IntMatrix
    values: FloatMatrix


Assignment = TypeVar("Assignment", DenseAssignment, SparseAssignment)


class BatchView(NamedTuple, Generic[Assignment]):
    """All that the update of a batch reads: plain arrays, none of which it changes.

    ``seats`` tells where each sample sits when all pools are laid end to end; ``order`` has the
    positions of the batch's samples in the pool, in the order of the updates. ``assignment`` is
    that of all samples before the round, ``outside`` (2, width) the soft and hard totals of samples
    that count beside the batch.
    """

    pool: Pool
    seats: IntVector
    order: IntVector
    local: LocalGraph
    assignment: Assignment
    outside: AnyArray


class BatchUpdate(NamedTuple, Generic[Assignment]):
    """What the samples of a batch are assigned, and how much rows changed and dropped in all."""

    samples: IntVector
    assignment: Assignment
    change: float
    dropped: float


@kernel
def fetch_lists(pool: Pool, position: int, local: LocalGraph) -> None:
    """Begin to load what a sweep will read of a member that it comes to shortly."""
    for edge in range(pool.reach_indptr[position], pool.reach_indptr[position + 1], LINE_ENTRIES):
        prefetch(pool.reach_indices, edge)
    i = pool.members[position]
    prefetch(local.indices, local.indptr[i])
    prefetch(local.weights, local.indptr[i])


@kernel
def number_slots(pool: Pool, order: IntVector) -> tuple[IntVector, IntVector]:
    """Give each member of the pool its slot in the batch, -1 for none; list the samples by slot.

    Slots follow the order of the pool, in which near samples have near numbers: what a sweep reads
    of the neighbors of a sample lies close together too, whatever the order of the updates.
    """
    slots = np.full(pool.members.size, -1, np.int32)
    for t in range(order.size):
        slots[order[t]] = 0
    samples = np.empty(order.size, np.int32)
    n_slots = 0
    for position in range(slots.size):
        if slots[position] == 0:
            slots[position] = n_slots
            samples[n_slots] = pool.members[position]
            n_slots += 1
    return slots, samples


@kernel
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


class Rule(NamedTuple):
    """The numbers of one epoch's update.

    ``exponent`` is 1/(m-1), ``excess`` m-1 where the auxiliary V is used and 0 where P stands in
    for it, ``local_weight`` lam = beta/(1+beta). ``hard_alpha`` is what alpha is for V: half of it
    where the balance of V counts twice. ``least_shift`` and ``most_shift`` bound the shift of the
    scores: infinite ones leave it free, 0 below allows scores to be raised only, 0 and 0 no shift.
    """

    n_clusters: int
    alpha: float
    hard_alpha: float
    exponent: float
    excess: float
    local_weight: float
    least_shift: float
    most_shift: float
    auxiliary: bool


@kernel
def pick_hard_label(hard_total: AnyArray, support: FloatVector, rule: Rule) -> int:
    """Eqs. 35 and 40: the cluster of the smallest V~ - v_i - alpha p', the first of equals."""
    winner = 0
    smallest = np.inf
    for k in range(rule.n_clusters):
        hard_score = hard_total[k] - rule.hard_alpha * support[k]
        if hard_score < smallest:
            smallest = hard_score
            winner = k
    return winner
