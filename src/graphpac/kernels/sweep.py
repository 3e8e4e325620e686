"""The update of one mini-batch: a function of what it reads, and of nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphpac._typing import IntVector
from graphpac.kernels._jit import kernel
from graphpac.kernels.batches import (
    BatchUpdate,
    BatchView,
    DenseAssignment,
    Rule,
    SparseAssignment,
)
from graphpac.kernels.dense_sweep import sweep_dense_batch
from graphpac.kernels.sparse_sweep import sweep_sparse_batch


def sweep(view: BatchView[Any], rule: Rule) -> BatchUpdate[Any]:
    """Update the samples of a batch one after another; nothing that is given changes.

    The arrays are made here and filled there: numba runs Python code to return an array or a
    named tuple, and the process dies if Ctrl-C is seen to in the midst of that.
    """
    n_batch = view.order.size
    samples = np.empty(n_batch, dtype=np.int32)
    assignment = type(view.assignment)(
        *(np.empty((n_batch, *kept.shape[1:]), kept.dtype) for kept in view.assignment)
    )
    if isinstance(assignment, DenseAssignment):
        columns = tuple(range(assignment.rows.shape[1]))
        change, dropped = _sweep_dense_into(samples, assignment, view, rule, columns)
    else:
        change, dropped = _sweep_sparse_into(samples, assignment, view, rule)
    return BatchUpdate(samples, assignment, change, dropped)


@kernel
def _sweep_dense_into(
    samples: IntVector,
    assignment: DenseAssignment,
    view: BatchView[DenseAssignment],
    rule: Rule,
    columns: tuple[int, ...],
) -> tuple[float, float]:
    update = sweep_dense_batch(view, rule, columns)
    samples[:] = update.samples
    assignment.labels[:] = update.assignment.labels
    assignment.rows[:] = update.assignment.rows
    return update.change, update.dropped


@kernel
def _sweep_sparse_into(
    samples: IntVector,
    assignment: SparseAssignment,
    view: BatchView[SparseAssignment],
    rule: Rule,
) -> tuple[float, float]:
    update = sweep_sparse_batch(view, rule)
    samples[:] = update.samples
    assignment.labels[:] = update.assignment.labels
    assignment.clusters[:] = update.assignment.clusters
    assignment.values[:] = update.assignment.values
    return update.change, update.dropped
