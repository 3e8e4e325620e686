"""The adjacency indicator graph of the paper, kept as two halves that meet in the middle.

The matrix of all pairs within theta hops (Eq. 15) has thousands of entries a row. Since hops are
symmetric, i and j are that near exactly when some sample is within ceil(theta/2) hops of i and
within floor(theta/2) of j; so only the lists of those half-walks are stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from graphpac._threads import map_in_threads
from graphpac._typing import AnyArray, IntVector, OffsetVector
from graphpac.graph.neighbor_graph import NeighborGraph
from graphpac.kernels.reach import count_reached, find_pool_neighbors, list_reached

BLOCK_ROWS = 4096


class Lists(NamedTuple):
    """For every sample, the samples a half-walk reaches, itself included, in rising order."""

    indptr: OffsetVector
    indices: IntVector


class HopGraph(NamedTuple):
    """Both halves, and a numbering of the samples in which near ones have near numbers."""

    far: Lists
    near: Lists
    locality: IntVector

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.near.indptr.size) - 1

    def neighbors_within(self, members: IntVector) -> tuple[OffsetVector, AnyArray]:
        """List for every member the other members within reach, as positions among them."""
        indptr: OffsetVector = np.empty(members.size + 1, dtype=np.int64)
        found = find_pool_neighbors(*self.far, *self.near, members, indptr)
        # Half the bytes is a good part of the time of a sweep, which reads these lists every epoch.
        smallest = np.uint16 if members.size <= 1 << 16 else np.uint32
        return indptr, found.astype(smallest)


def count_hops(n_samples: int, n_clusters: int, n_neighbors: int) -> int:
    """Eq. 16 in integers: the smallest theta >= 2 with n_neighbors^theta >= n_samples / n_clusters.

    Logarithms would not do: log(125) / log(5) is 3.0000000000000004. A single neighbor never
    multiplies, so it counts as two.
    """
    base = max(2, n_neighbors)
    hops = 2
    while base**hops * n_clusters < n_samples:
        hops += 1
    return hops


def either_direction(graph: NeighborGraph) -> Lists:
    """List the samples one hop away, neighbors in either direction, and each sample itself."""
    n = graph.n_samples
    shape = (n, n)
    ones = np.ones(graph.n_edges, dtype=np.bool_)
    directed = sp.csr_array((ones, graph.indices, graph.indptr), shape=shape)
    either = sp.csr_array(directed + directed.T + sp.eye_array(n, dtype=np.bool_, format="csr"))
    either.sort_indices()
    return Lists(either.indptr.astype(np.int64), either.indices.astype(np.int32))


def build_hop_graph(graph: NeighborGraph, n_hops: int, n_jobs: int = 1) -> HopGraph:
    """Walk the graph, neighbors in either direction, half of n_hops from every sample.

    Parameters
    ----------
    graph : NeighborGraph
        The nearest-neighbor graph.
    n_hops : int
        theta, at least 2. Each two hops more multiply the stored lists by about the number of
        neighbors, the pairs they stand for by its square.
    n_jobs : int
        Number of threads.
    """
    step = either_direction(graph)
    n = graph.n_samples
    pattern = sp.csr_matrix(
        (np.ones(step.indices.size, np.int8), step.indices, step.indptr), (n, n)
    )
    locality: IntVector = np.empty(n, dtype=np.int32)
    locality[reverse_cuthill_mckee(pattern, symmetric_mode=True)] = np.arange(n, dtype=np.int32)

    near = step
    for _ in range(n_hops // 2 - 1):
        near = _extend(step, near, n_jobs)
    far = near if n_hops % 2 == 0 else _extend(step, near, n_jobs)
    return HopGraph(far, near, locality)


def _extend(step: Lists, lists: Lists, n_jobs: int) -> Lists:
    """Walk one step more."""
    n = step.indptr.size - 1
    starts = range(0, n, BLOCK_ROWS)
    indptr: OffsetVector = np.zeros(n + 1, dtype=np.int64)

    def count(start: int) -> None:
        count_reached(*step, *lists, start, min(start + BLOCK_ROWS, n), indptr[1:])

    map_in_threads(count, starts, n_jobs)
    np.cumsum(indptr, out=indptr)
    indices: IntVector = np.empty(indptr[-1], dtype=np.int32)

    def fill(start: int) -> None:
        list_reached(*step, *lists, start, min(start + BLOCK_ROWS, n), indptr, indices)

    map_in_threads(fill, starts, n_jobs)
    return Lists(indptr, indices)
