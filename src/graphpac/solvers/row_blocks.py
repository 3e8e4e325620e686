"""Work on rows a block at a time, so that products fit into caches and threads share them.

Blocks depend on the shape of the data only, never on the number of threads, and sums over samples
add up blocks in their order: the same bits on any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Parts
from graphpac._threads import Workers
from graphpac._typing import AnyArray

Result = TypeVar("Result")

_BLOCK_ENTRIES = 1 << 20
_MOST_ROWS = 8192
ROUND_BLOCKS = 16  # results that are held at a time where they are added up


def block_slices(n_rows: int, row_entries: int) -> list[slice]:
    """Cut rows into blocks of about a million entries, of which each row makes so many."""
    step = max(1, min(_MOST_ROWS, _BLOCK_ENTRIES // max(1, row_entries)))
    return [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]


def map_blocks(
    function: Callable[[slice], Result], n_rows: int, row_entries: int, workers: Workers
) -> list[Result]:
    """Apply a function to every block of rows, in threads; results keep the order of the blocks."""
    return workers.map(function, block_slices(n_rows, row_entries))


def reduce_blocks(
    function: Callable[[slice], Result],
    combine: Callable[[Result, Result], Result],
    n_rows: int,
    row_entries: int,
    workers: Workers,
) -> Result:
    """Combine what a function makes of every block, first to last, holding a few at a time."""
    blocks = block_slices(n_rows, row_entries)

    def results() -> Iterator[Result]:
        for first in range(0, len(blocks), ROUND_BLOCKS):
            yield from workers.map(function, blocks[first : first + ROUND_BLOCKS])

    return reduce(combine, results())


def sum_blocks(
    function: Callable[[slice], AnyArray], n_rows: int, row_entries: int, workers: Workers
) -> AnyArray:
    """Add up what a function makes of every block, first to last."""
    return reduce_blocks(function, add, n_rows, row_entries, workers)


def exact_block(rows: Any, block: slice) -> Any:
    """Return a block of rows in float64: sums of squares of float32 lose what distances need."""
    return rows[block].astype(np.float64)


def squared_lengths(rows: Any) -> AnyArray:
    """Squared length of every row of an array or CSR matrix, in float64."""
    if sp.issparse(rows):
        return np.asarray(rows.astype(np.float64).power(2).sum(axis=1)).ravel()
    lengths: AnyArray = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    return lengths


def blocks_memory(
    n_rows: int, row_entries: int, part_entries: int, n_jobs: int, *, n_arrays: int = 4
) -> Parts:
    """Tell what a sum over blocks holds: results of a round, and some arrays of each in work."""
    blocks = block_slices(n_rows, row_entries)
    n_held = min(ROUND_BLOCKS, len(blocks))
    block_entries = blocks[0].stop * row_entries
    in_work = 8.0 * n_arrays * min(n_jobs, n_held) * block_entries
    return {"sums of blocks": 8.0 * n_held * part_entries, "blocks in work": in_work}
