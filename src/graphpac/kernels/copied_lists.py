"""Neighbor lists of rows that repeat, from the lists of one row of each kind."""

from __future__ import annotations

from typing import NamedTuple

from graphpac._typing import FloatVector, IntVector, OffsetVector
from graphpac.kernels._jit import kernel


class CopyGroups(NamedTuple):
    """Samples by the original they equal.

    Sample i equals original ``numbers[i]`` and is copy ``ranks[i]`` of it. The copies of original a
    are ``samples[begins[a]:begins[a + 1]]``, in rising order.
    """

    numbers: IntVector
    ranks: IntVector
    begins: OffsetVector
    samples: IntVector


class ValuedLists(NamedTuple):
    """List i is ``indices[indptr[i]:indptr[i + 1]]``, nearest first, with its values."""

    indptr: OffsetVector
    indices: IntVector
    values: FloatVector


@kernel
def spread_lists(
    groups: CopyGroups,
    lists: ValuedLists,
    own_values: FloatVector,
    larger_is_nearer: bool,
    out: ValuedLists,
) -> None:
    """Write the list of every sample: copies of itself, and of its original's neighbors.

    Copy r of an original is linked to copy r of each neighbor, counted round where it has fewer: so
    no copy collects the links of all. The rest of the room that out.indptr gives a list is filled
    with the samples that follow among its own copies; own_values holds what an original is to its
    copies. Lists are sorted nearest first, ties by sample.
    """
    sign = -1.0 if larger_is_nearer else 1.0
    for i in range(groups.numbers.size):
        a = groups.numbers[i]
        rank = groups.ranks[i]
        n_own = groups.begins[a + 1] - groups.begins[a]
        degree = lists.indptr[a + 1] - lists.indptr[a]
        start = out.indptr[i]
        n_links = out.indptr[i + 1] - start - degree
        n_round = max(0, rank + 1 + n_links - n_own)
        for entry in range(degree + n_links):
            # Nearly in the order of the list, so that each is soon where it belongs: copies are at
            # distance 0, and those counted round come before the others.
            if entry < n_links:
                b = a
                value = own_values[a]
                copy = entry if entry < n_round else rank + 1 + entry - n_round
            else:
                edge = lists.indptr[a] + entry - n_links
                b = lists.indices[edge]
                value = lists.values[edge]
                copy = rank % (groups.begins[b + 1] - groups.begins[b])
            j = groups.samples[groups.begins[b] + copy]
            spot = start + entry
            while spot > start and (
                sign * out.values[spot - 1] > sign * value
                or (out.values[spot - 1] == value and out.indices[spot - 1] > j)
            ):
                out.values[spot] = out.values[spot - 1]
                out.indices[spot] = out.indices[spot - 1]
                spot -= 1
            out.values[spot] = value
            out.indices[spot] = j
