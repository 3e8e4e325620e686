"""Which samples are within a number of hops of each other, without ever storing all pairs."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, IntVector, OffsetVector
from graphpac.kernels._jit import kernel, step

STRETCH = 128  # members of a pool that are looked at together


@kernel
def count_reached(
    step_indptr: OffsetVector,
    step_indices: IntVector,
    indptr: OffsetVector,
    indices: IntVector,
    start: int,
    stop: int,
    counts: OffsetVector,
) -> None:
    """Write into counts[i], start <= i < stop, how many samples row i of steps times lists has."""
    seen = np.full(indptr.size - 1, -1, np.int32)
    for i in range(start, stop):
        found = 0
        for first in range(step_indptr[i], step_indptr[i + 1]):
            middle = step_indices[first]
            for edge in range(indptr[middle], indptr[middle + 1]):
                j = indices[edge]
                found += seen[j] != i
                seen[j] = i
        counts[i] = found


@kernel
def list_reached(
    step_indptr: OffsetVector,
    step_indices: IntVector,
    indptr: OffsetVector,
    indices: IntVector,
    start: int,
    stop: int,
    out_indptr: OffsetVector,
    out_indices: IntVector,
) -> None:
    """Write the samples that `count_reached` counted, in rising order, where out_indptr says."""
    seen = np.full(indptr.size - 1, -1, np.int32)
    found = np.empty(seen.size, np.int64)
    for i in range(start, stop):
        n_found = 0
        for first in range(step_indptr[i], step_indptr[i + 1]):
            middle = step_indices[first]
            for edge in range(indptr[middle], indptr[middle + 1]):
                j = indices[edge]
                if seen[j] != i:
                    seen[j] = i
                    found[n_found] = j
                    n_found += 1
        found[:n_found].sort()
        for place in range(n_found):
            out_indices[out_indptr[i] + place] = found[place]


def make_marks(n_members: int) -> tuple[AnyArray, AnyArray]:
    """Return unset marks, as words and as bytes, for the members of a pool in whole stretches."""
    n_stretches = (n_members + STRETCH - 1) // STRETCH
    words = np.zeros(n_stretches * STRETCH // 8, dtype=np.uint64)
    return words, words.view(np.uint8)


@kernel
def find_pool_neighbors(
    far_indptr: OffsetVector,
    far_indices: IntVector,
    far_rows: IntVector,
    starts: AnyArray,
    reached_by: AnyArray,
    first: int,
    counts: OffsetVector,
    words: AnyArray,
    marks: AnyArray,
) -> AnyArray:
    """List the members of a pool that some of them reach, themselves excluded, in rising order.

    Member a reaches member b when some sample u stands in the far list of a and in the near list
    of b: the two half-walks meet there. So the near lists are turned round (which members reach u?)
    and every member looks up the samples of its far list.

    The far list of member a is row far_rows[a]. Members are named by their position in the pool;
    asked for are as many as ``counts`` has entries, from ``first`` on. Their lists are returned one
    after another, counts receives the length of each. ``words`` and ``marks`` are those of
    `make_marks`.
    """
    # Members are marked in bytes and read off eight at a time: a mark is one store, and asking
    # of each hit whether it is new would cost a branch that nobody can predict. Of a large pool
    # most words are empty, so marks on stretches of it tell which of them to look at.
    marked_stretches = np.zeros(marks.size // STRETCH, np.uint8)
    found = np.empty(64 * counts.size + marks.size, np.uint32)
    n_found = 0
    for a in range(first, first + counts.size):
        if n_found + marks.size > found.size:
            larger = np.empty(2 * found.size, np.uint32)
            for place in range(n_found):
                larger[place] = found[place]
            found = larger
        for edge in range(far_indptr[far_rows[a]], far_indptr[far_rows[a] + 1]):
            u = far_indices[edge]
            for entry in range(starts[u], starts[u + 1]):
                b = reached_by[entry]
                marks[b] = 1
                marked_stretches[b // STRETCH] = 1
        marks[a] = 0
        before = n_found
        n_found = read_marks(marked_stretches, words, marks, found, n_found)
        counts[a - first] = n_found - before
    return found[:n_found]


@kernel
def turn_round(
    indptr: OffsetVector,
    indices: IntVector,
    rows: IntVector,
    starts: AnyArray,
    reached_by: AnyArray,
) -> None:
    """List for every sample the members in whose lists it stands, and where each list starts.

    starts is zero before, and one longer than there are samples; reached_by has room for all
    entries of the lists. The list of member a is row rows[a].
    """
    # starts[u] is first where the members that reach u end, and sinks to where they begin.
    for a in range(rows.size):
        for edge in range(indptr[rows[a]], indptr[rows[a] + 1]):
            starts[indices[edge]] += np.uint32(1)
    for u in range(1, starts.size):
        starts[u] += starts[u - 1]
    for a in range(rows.size):
        for edge in range(indptr[rows[a]], indptr[rows[a] + 1]):
            u = indices[edge]
            starts[u] -= np.uint32(1)
            reached_by[starts[u]] = a


@step
def read_marks(
    marked_stretches: AnyArray, words: AnyArray, marks: AnyArray, found: AnyArray, n_found: int
) -> int:
    """Write the members that are marked after the first n_found; clear all marks."""
    for stretch in range(marked_stretches.size):
        if marked_stretches[stretch] == 0:
            continue
        marked_stretches[stretch] = 0
        for word in range(stretch * STRETCH // 8, (stretch + 1) * STRETCH // 8):
            if words[word] != 0:
                for b in range(8 * word, 8 * word + 8):
                    found[n_found] = b
                    n_found += int(marks[b])
                words[word] = 0
    return n_found
