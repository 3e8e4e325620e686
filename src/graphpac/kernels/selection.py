"""The smallest of many numbers, in time that hardly depends on how many are wanted."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac.kernels._jit import kernel

_LOWER_HALF = np.int64(0xFFFFFFFF)
_ALL_BUT_SIGN = np.int32(0x7FFFFFFF)


@kernel
def replace_largest(heap: AnyArray, value: Any) -> None:
    """Put a value in the place of the largest, heap[0]; nobody is smaller than who follows him.

    Those who follow place p stand at 2 p + 1 and 2 p + 2.
    """
    place = 0
    following = 1
    while following < heap.size:
        if following + 1 < heap.size and heap[following + 1] > heap[following]:
            following += 1
        if heap[following] <= value:
            break
        heap[place] = heap[following]
        place = following
        following = 2 * place + 1
    heap[place] = value


@kernel
def code_of(key_bits: Any, index: Any) -> Any:
    """One number that rises with (key, index), from the bits of a float32 other than -0.0."""
    return (np.int64(_in_order(key_bits)) << 32) | np.int64(index)


@kernel
def key_of(code: Any) -> Any:
    """Return the key in a code."""
    return np.int32(_in_order(np.int32(code >> 32))).view(np.float32)


@kernel
def merge_codes(new: AnyArray, key_bits: IntVector, indices: IntVector, merged: AnyArray) -> None:
    """Merge rising codes into a list in the order of (key, index) that ends with -1 if not full.

    Codes that are in the list, or were merged before, are left out, and so is what finds no place.
    merged is as long as the list and is written to on the way.
    """
    n_best = indices.size
    n_merged, old, position = 0, 0, 0
    while n_merged < n_best:
        has_old = indices[old] >= 0
        old_code = code_of(key_bits[old], indices[old])
        if has_old and (position == new.size or old_code <= new[position]):
            code = old_code
            old += 1
        elif position < new.size:
            code = new[position]
        else:
            break
        while position < new.size and new[position] == code:
            position += 1
        merged[n_merged] = code
        n_merged += 1
    for place in range(n_merged):
        key_bits[place] = _in_order(np.int32(merged[place] >> 32))
        indices[place] = np.int32(merged[place] & _LOWER_HALF)


@kernel
def _in_order(bits: Any) -> Any:
    """Turn the bits of a float32 into an int32 that rises with it, and back."""
    # The bits of negative numbers rise as the numbers fall.
    return np.int32(bits) if bits >= 0 else np.int32(bits) ^ _ALL_BUT_SIGN
