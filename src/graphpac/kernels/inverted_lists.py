"""Search in lists of rows that stand near each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphpac._typing import FloatMatrix, FloatVector, IntMatrix, IntVector, OffsetVector
from graphpac.kernels._jit import comparing_kernel, kernel
from graphpac.kernels.distances import dot
from graphpac.kernels.selection import code_of, key_of, replace_largest

_STRETCH = 64  # keys passed over at once where none of them is near enough
_LOWER_HALF = np.int64(0xFFFFFFFF)
_NOBODY = np.int64(0x7F800000FFFFFFFF)  # at an infinite distance


class StoredLists(NamedTuple):
    """Lists one after another: list l holds the rows numbers[begins[l] : begins[l + 1]].

    places are the coordinates of these rows, in the same order, and halves half their squared
    lengths; centers and center_halves the same of the means of the lists.
    """

    begins: OffsetVector
    numbers: IntVector
    places: FloatMatrix
    halves: FloatVector
    centers: FloatMatrix
    center_halves: FloatVector


@comparing_kernel
def _least(products: FloatVector, halves: FloatVector) -> Any:
    """Smallest of the keys."""
    least = np.float32(np.inf)
    for j in range(products.size):
        least = min(least, halves[j] - products[j])
    return least


@kernel
def push_nearest(
    products: FloatVector, halves: FloatVector, numbers: IntVector, heap: OffsetVector
) -> None:
    """Put rows nearer than the farthest in a heap of codes in its place.

    Near is what has a small key, halves - products: half the squared distance, less a term that is
    the same for all rows.
    """
    last = key_of(heap[0])
    one = np.empty(1, np.float32)
    bits = one.view(np.int32)
    for start in range(0, products.size, _STRETCH):
        stop = min(start + _STRETCH, products.size)
        if not _least(products[start:stop], halves[start:stop]) < last:
            continue
        for j in range(start, stop):
            one[0] = halves[j] - products[j]
            if one[0] < last:
                replace_largest(heap, code_of(bits[0], numbers[j]))
                last = key_of(heap[0])


@kernel
def gather_lists(
    lists: StoredLists,
    chosen: OffsetVector,
    places: FloatMatrix,
    halves: FloatVector,
    numbers: IntVector,
) -> None:
    """Copy the rows of some lists one after another."""
    n_copied = 0
    for k in range(chosen.size):
        for entry in range(lists.begins[chosen[k]], lists.begins[chosen[k] + 1]):
            for f in range(places.shape[1]):
                places[n_copied, f] = lists.places[entry, f]
            halves[n_copied] = lists.halves[entry]
            numbers[n_copied] = lists.numbers[entry]
            n_copied += 1


@kernel
def pick_nearest(
    products: FloatMatrix, halves: FloatVector, numbers: IntVector, out: IntMatrix
) -> None:
    """Write into out[i] the numbers of the rows nearest to query i, in any order, -1 for none."""
    heap = np.empty(out.shape[1], np.int64)
    for i in range(products.shape[0]):
        heap[:] = _NOBODY
        push_nearest(products[i], halves, numbers, heap)
        for place in range(heap.size):
            out[i, place] = -1 if heap[place] == _NOBODY else heap[place] & _LOWER_HALF


@kernel
def find_in_lists(
    queries: FloatMatrix, lists: StoredLists, n_lists: int, n_rows: int, out: IntMatrix
) -> None:
    """Write into out[i] the rows nearest to query i in its nearest lists, in any order.

    Looked into are at most n_lists lists, until they hold n_rows. What is found for a query depends
    on nothing but itself: sums are in one order, whatever is asked for with it.
    """
    begins, numbers, places, halves, centers, center_halves = lists
    longest = center_halves.size
    for number in range(begins.size - 1):
        longest = max(longest, begins[number + 1] - begins[number])
    products = np.empty(longest, np.float32)
    center_numbers = np.arange(center_halves.size).astype(np.int32)
    nearest = np.empty(n_lists, np.int64)
    heap = np.empty(out.shape[1], np.int64)
    for i in range(queries.shape[0]):
        for j in range(center_halves.size):
            products[j] = dot(queries[i], centers[j])
        nearest[:] = _NOBODY
        push_nearest(products[: center_halves.size], center_halves, center_numbers, nearest)
        nearest.sort()
        heap[:] = _NOBODY
        looked_at = 0
        for code in nearest:
            if code == _NOBODY or looked_at >= n_rows:
                break
            begin, end = begins[code & _LOWER_HALF], begins[(code & _LOWER_HALF) + 1]
            for j in range(begin, end):
                products[j - begin] = dot(queries[i], places[j])
            push_nearest(products[: end - begin], halves[begin:end], numbers[begin:end], heap)
            looked_at += end - begin
        for place in range(heap.size):
            out[i, place] = -1 if heap[place] == _NOBODY else heap[place] & _LOWER_HALF
