"""The update of one mini-batch: a function of what it reads, and of nothing else."""

from __future__ import annotations

from typing import Any

from graphpac.kernels.batches import BatchUpdate, BatchView, DenseAssignment, Rule
from graphpac.kernels.dense_sweep import sweep_dense_batch
from graphpac.kernels.sparse_sweep import sweep_sparse_batch


def sweep(view: BatchView[Any], rule: Rule) -> BatchUpdate[Any]:
    """Update the samples of a batch one after another; nothing that is given changes."""
    if isinstance(view.assignment, DenseAssignment):
        return sweep_dense_batch(view, rule, tuple(range(view.assignment.rows.shape[1])))
    return sweep_sparse_batch(view, rule)
