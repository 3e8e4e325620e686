"""The values that sweeps are given and return."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from graphpac._typing import (
    AnyArray,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    OffsetVector,
)

NO_LABEL = -1


class Pool(NamedTuple):
    """Samples that share an iteration or more, and who reaches whom among them.

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
    positions of the batch's samples in the pool, ``due`` of those that are updated, in the order of
    the updates; the others vote as they are. ``assignment`` is that of all samples before the
    round, ``outside`` (2, width) the soft and hard totals of samples that count beside the batch.
    """

    pool: Pool
    seats: IntVector
    order: IntVector
    due: IntVector
    local: LocalGraph
    assignment: Assignment
    outside: AnyArray


class BatchUpdate(NamedTuple, Generic[Assignment]):
    """What the samples of a batch are assigned, and how much rows changed and dropped in all."""

    samples: IntVector
    assignment: Assignment
    change: float
    dropped: float


class Rule(NamedTuple):
    """The numbers of one iteration's update.

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
