"""The adjacency indicator graph of the paper, kept as two halves that meet in the middle.

The matrix of all pairs within theta hops (Eq. 15) has thousands of entries a row. Since hops are
symmetric, i and j are that near exactly when some sample is within ceil(theta/2) hops of i and
within floor(theta/2) of j; so only the lists of those half-walks are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from graphpac._threads import map_in_threads
from graphpac._typing import AnyArray, IntVector, OffsetVector
from graphpac.graph.lists import Lists, lists_of
from graphpac.kernels.reach import (
    count_reached,
    find_pool_neighbors,
    list_reached,
    make_marks,
    turn_round,
)

BLOCK_ROWS = 4096
STORED_BYTES = 1 << 30  # lists that would be longer are walked from shorter ones where needed
MOST_IN_TWO_BYTES = 1 << 16  # positions are smaller than that
FEWEST_HOPS = 2
SEARCHED_MEMBERS, SEARCHED_SIDE_BY_SIDE = 2048, 4  # of a pool at a time, by threads that share it
PROBED_ROWS = 1000  # tell how long lists would be


def position_bytes(n_members: float) -> int:
    """Count the bytes that the position of one of so many members takes."""
    return 2 if n_members <= MOST_IN_TWO_BYTES else 4


class HalfWalk(NamedTuple):
    """Whom the half-walks of all samples reach, themselves too, and how many steps are missing.

    Lists are stored up to a length; what is missing is walked when it is asked for.
    """

    lists: Lists
    n_more: int

    def of(self, members: IntVector, step: Lists) -> tuple[Lists, IntVector]:
        """Return lists in which the half-walks of some samples are found, and in which rows."""
        if self.n_more == 0:
            return self.lists, members
        own, _ = lists_of(self.lists, members)
        for _ in range(self.n_more):
            own = _walk_on(own, step)
        return own, np.arange(members.size, dtype=np.int32)


class HopGraph(NamedTuple):
    """Both halves, and the single step they are made of."""

    far: HalfWalk
    near: HalfWalk
    step: Lists

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.step.indptr.size) - 1

    def neighbors_within(
        self, members: IntVector, each: Callable[..., Iterable[Any]] = map
    ) -> tuple[OffsetVector, AnyArray]:
        """List for every member the other members within reach, as positions among them.

        Members are searched some at a time; ``each`` may do so on several threads.
        """
        near, near_rows = self.near.of(members, self.step)
        far, far_rows = near, near_rows
        if self.far is not self.near:
            far, far_rows = self.far.of(members, self.step)
        n_entries = int((near.indptr[near_rows + 1] - near.indptr[near_rows]).sum())
        if n_entries >= 1 << 32:
            msg = (
                f"the samples of one pool reach {n_entries:,} others in half their hops, and "
                f"{1 << 32:,} can be told apart: lower n_hops or n_pool_batches of SolverOptions."
            )
            raise ValueError(msg)
        starts = np.zeros(self.n_samples + 1, dtype=np.uint32)
        reached_by = np.empty(n_entries, dtype=np.uint32)
        turn_round(*near, near_rows, starts, reached_by)
        indptr: OffsetVector = np.zeros(members.size + 1, dtype=np.int64)
        # Half the bytes is a good part of the time of a sweep: every iteration reads these lists.
        position = np.dtype(f"u{position_bytes(members.size)}")

        def found_by(first: int) -> AnyArray:
            counts = indptr[first + 1 : first + 1 + SEARCHED_MEMBERS]
            marks = make_marks(members.size)
            found = find_pool_neighbors(*far, far_rows, starts, reached_by, first, counts, *marks)
            return found.astype(position)

        lists = np.empty(0, dtype=position)
        step = SEARCHED_MEMBERS * SEARCHED_SIDE_BY_SIDE
        for start in range(0, members.size, step):
            firsts = range(start, min(start + step, members.size), SEARCHED_MEMBERS)
            for part in each(found_by, firsts):
                stop = lists.size
                # Of a large array the system moves pages, where joining parts would copy them all.
                lists.resize(stop + part.size, refcheck=False)
                lists[stop:] = part
        np.cumsum(indptr, out=indptr)
        return indptr, lists


def count_hops(n_samples: int, n_clusters: int, n_neighbors: int) -> int:
    """Eq. 16 in integers: the smallest theta >= 2 with n_neighbors^theta >= n_samples / n_clusters.

    Logarithms would not do: log(125) / log(5) is 3.0000000000000004. A single neighbor never
    multiplies, so it counts as two.
    """
    base = max(2, n_neighbors)
    hops = FEWEST_HOPS
    while base**hops * n_clusters < n_samples:
        hops += 1
    return hops


def build_hop_graph(step: Lists, n_hops: int, n_jobs: int = 1) -> HopGraph:
    """Walk half of n_hops, at least 2, from every sample.

    Each two hops more multiply the lists by about the number of neighbors, the pairs they stand for
    by its square.
    """
    near = HalfWalk(step, 0)
    for _ in range(n_hops // 2 - 1):
        near = _extend(step, near, n_jobs)
    far = near if n_hops % 2 == 0 else _extend(step, near, n_jobs)
    return HopGraph(far, near, step)


def _extend(step: Lists, walk: HalfWalk, n_jobs: int) -> HalfWalk:
    """Walk one step more, or leave it for later where the lists would be too long."""
    if walk.n_more > 0 or _extended_bytes(step, walk.lists) > STORED_BYTES:
        return HalfWalk(walk.lists, walk.n_more + 1)
    return HalfWalk(_walk_on(step, walk.lists, n_jobs), 0)


def _extended_bytes(step: Lists, lists: Lists) -> float:
    """Bytes of lists one step longer, from evenly spaced samples."""
    n = step.indptr.size - 1
    probes: IntVector = np.linspace(0, n - 1, min(n, PROBED_ROWS), dtype=np.int32)
    return n * 4.0 * _walk_on(lists_of(step, probes)[0], lists).indices.size / probes.size


def _walk_on(lists: Lists, further: Lists, n_jobs: int = 1) -> Lists:
    """List whom the walks reach that go on from the ends of some by others."""
    n = lists.indptr.size - 1
    starts = range(0, n, BLOCK_ROWS)
    indptr: OffsetVector = np.zeros(n + 1, dtype=np.int64)

    def count(start: int) -> None:
        count_reached(*lists, *further, start, min(start + BLOCK_ROWS, n), indptr[1:])

    map_in_threads(count, starts, n_jobs)
    np.cumsum(indptr, out=indptr)
    indices: IntVector = np.empty(indptr[-1], dtype=np.int32)

    def fill(start: int) -> None:
        list_reached(*lists, *further, start, min(start + BLOCK_ROWS, n), indptr, indices)

    map_in_threads(fill, starts, n_jobs)
    return Lists(indptr, indices)
