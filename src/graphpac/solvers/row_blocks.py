"""Work on rows a block at a time, so that products fit into caches and threads share them.

Blocks depend on the shape of the data only, never on the number of threads, and sums over samples
add up blocks in their order: the same bits on any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from graphpac._threads import Workers
from graphpac._typing import AnyArray

Result = TypeVar("Result")

_BLOCK_ENTRIES = 1 << 20
_MOST_ROWS = 8192


def block_slices(n_rows: int, row_entries: int) -> list[slice]:
    """Cut rows into blocks of about a million entries, of which each row makes so many."""
    step = max(1, min(_MOST_ROWS, _BLOCK_ENTRIES // max(1, row_entries)))
    return [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]


def map_blocks(
    function: Callable[[slice], Result], n_rows: int, row_entries: int, workers: Workers
) -> list[Result]:
    """Apply a function to every block of rows, in threads; results keep the order of the blocks."""
    return workers.map(function, block_slices(n_rows, row_entries))


def sum_in_order(parts: list[AnyArray]) -> AnyArray:
    """Add up what blocks contribute, first to last."""
    total = np.array(parts[0], dtype=np.float64)
    for part in parts[1:]:
        total += part
    return total


def exact_block(rows: Any, block: slice) -> Any:
    """Return a block of rows in float64: sums of squares of float32 lose what distances need."""
    return rows[block].astype(np.float64)


def squared_lengths(rows: Any) -> AnyArray:
    """Squared length of every row of an array or CSR matrix, in float64."""
    if sp.issparse(rows):
        return np.asarray(rows.astype(np.float64).power(2).sum(axis=1)).ravel()
    lengths: AnyArray = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    return lengths
