"""Arrays as bytes, a few megabytes at a time."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator

import numpy as np

from graphpac._threads import map_in_threads
from graphpac._typing import AnyArray

BLOCK_BYTES = 1 << 23


def row_blocks(array: AnyArray) -> Iterator[AnyArray]:
    """Cut an array into views of some of its rows."""
    array = np.atleast_1d(array)
    row_bytes = math.prod(array.shape[1:]) * array.itemsize
    step = max(1, BLOCK_BYTES // max(1, row_bytes))
    for first in range(0, array.shape[0], step):
        yield array[first : first + step]


def to_bytes(block: AnyArray) -> memoryview:
    """View values, or a copy of those that are not side by side, as bytes; smallest byte first."""
    ordered = np.ascontiguousarray(block, dtype=block.dtype.newbyteorder("<"))
    return ordered.reshape(-1).view(np.uint8).data


def digest(arrays: Iterable[AnyArray], n_jobs: int = 1) -> str:
    """Hash all values, types and shapes of some arrays; memory order and threads do not matter."""
    arrays = list(arrays)
    blocks = [block for array in arrays for block in row_blocks(array)]
    hashes = map_in_threads(lambda block: hashlib.sha256(to_bytes(block)).digest(), blocks, n_jobs)
    outline = ", ".join(f"{array.dtype.name} {array.shape}" for array in arrays)
    return hashlib.sha256(outline.encode() + b"".join(hashes)).hexdigest()
