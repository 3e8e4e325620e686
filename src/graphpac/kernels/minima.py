"""The smallest of many numbers, block by block, so that later looks can skip most blocks."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray
from graphpac.kernels._jit import comparing_kernel, kernel

BLOCK = 64


@kernel
def padded(values: AnyArray) -> AnyArray:
    """Copy numbers into an array of whole blocks, filled up with infinity."""
    whole = np.full(-(-values.size // BLOCK) * BLOCK, np.inf)
    for k in range(values.size):
        whole[k] = values[k]
    return whole


@comparing_kernel
def find_block_minima(values: AnyArray, minima: AnyArray) -> float:
    """Write the smallest number of each block; return the smallest of all."""
    smallest = np.inf
    for block in range(minima.size):
        least = np.inf
        for k in range(block * BLOCK, (block + 1) * BLOCK):
            least = min(least, values[k])
        minima[block] = least
        smallest = min(smallest, least)
    return smallest


@kernel
def find_first(values: AnyArray, minima: AnyArray, smallest: float) -> int:
    """Where the smallest number is, the first of equals."""
    block = 0
    while minima[block] != smallest:
        block += 1
    k = block * BLOCK
    while values[k] != smallest:
        k += 1
    return k
