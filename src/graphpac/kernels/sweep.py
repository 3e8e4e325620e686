"""The update of one mini-batch: a function of what it reads, and of nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphpac._typing import IntVector
from graphpac.kernels.batches import BatchUpdate, BatchView, DenseAssignment, Rule
from graphpac.kernels.dense_sweep import sweep_dense_batch
from graphpac.kernels.sparse_sweep import Powered, sweep_sparse_batch


def sweep(view: BatchView[Any], rule: Rule) -> BatchUpdate[Any]:
    """Update the samples of a batch one after another; nothing that is given changes.

    The arrays are made here and filled there: numba runs Python code to return an array or a
    named tuple, and the process dies if Ctrl-C is seen to in the midst of that.
    """
    n_batch = view.order.size
    samples: IntVector = np.empty(n_batch, dtype=np.int32)
    found = type(view.assignment)(
        *(np.zeros((n_batch, *kept.shape[1:]), kept.dtype) for kept in view.assignment)
    )
    dropped = 0.0
    if isinstance(found, DenseAssignment):
        columns = tuple(range(found.rows.shape[1]))
        change = sweep_dense_batch(view, rule, columns, samples, found)
    else:
        room = Powered.of(*found.values.shape)
        change, dropped = sweep_sparse_batch(view, rule, samples, found, room)
    return BatchUpdate(samples, found, change, dropped)
