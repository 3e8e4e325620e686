"""K-sums: clusters without centers, whose samples are near each other pair by pair.

With d_ij the squared distance of a pair that the graph stores, in either direction, and dbar the
largest of them for all other pairs, the sum of d_ij over the pairs inside clusters is to be small.
In units of dbar a stored pair costs 1 - s_ij and any other pair 1, where s_ij = 1 - d_ij / dbar is
what the pair saves. The sum is then

    dbar (sum_l n_l (n_l - 1) - sum_{i != j, y_i = y_j} s_ij),

which needs the savings of stored pairs and the sizes of clusters only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Parts
from graphpac._typing import AnyArray, FloatVector, GraphKind, IntMatrix, IntVector, OffsetVector
from graphpac.graph import NeighborGraph
from graphpac.kernels.ksums_sweep import sweep_labels
from graphpac.solvers.row_blocks import block_slices


@dataclass(frozen=True)
class PairSavings:
    """What each stored pair saves, listed at both of its samples, and the distance dbar.

    Pairs that save nothing are left out, so all savings are above 0 and at most 1.
    """

    indptr: OffsetVector
    indices: IntVector
    savings: FloatVector
    longest: float

    @classmethod
    def of(cls, graph: NeighborGraph) -> PairSavings:
        """Take the pairs of which one is a neighbor of the other."""
        squares = squared_distances(graph.values, graph.kind)
        longest = float(squares.max(initial=0.0))
        shape = (graph.n_samples, graph.n_samples)
        savings = pair_savings(squares, longest).astype(np.float32)
        directed = sp.csr_array((savings, graph.indices.copy(), graph.indptr), shape=shape)
        directed.sort_indices()
        either = sp.csr_array(directed.maximum(directed.T.tocsr()))
        either.eliminate_zeros()
        return cls(
            either.indptr.astype(np.int64, copy=False),
            either.indices.astype(np.int32, copy=False),
            either.data,
            longest,
        )


@dataclass(frozen=True)
class KSumsResult:
    """Labels, sizes, and the sum of distances inside clusters after each sweep."""

    labels: IntVector
    sizes: OffsetVector
    history: tuple[float, ...]
    converged: bool


def solve_ksums(
    pairs: PairSavings,
    labels: IntVector,
    n_clusters: int,
    *,
    max_iter: int,
    watch: Callable[[int, float], None] | None = None,
) -> KSumsResult:
    """Sweep over the samples until none moves; no move ever raises the sum of distances.

    Parameters
    ----------
    pairs : PairSavings
        The graph.
    labels : int32 array of shape (n_samples,)
        Where to start; not changed.
    n_clusters, max_iter : int
        Number of clusters, and the largest number of sweeps.
    watch : callable, optional
        Called with the number of each sweep and the sum of distances after it.
    """
    labels = labels.copy()
    sizes: OffsetVector = np.bincount(labels, minlength=n_clusters).astype(np.int64)
    cost = within_cost(pairs, labels, sizes)
    history: list[float] = []
    converged = False
    while len(history) < max_iter and not converged:
        gain = sweep_labels(pairs.indptr, pairs.indices, pairs.savings, labels, sizes)
        cost -= gain
        history.append(pairs.longest * cost)
        converged = gain == 0.0
        if watch is not None:
            watch(len(history), history[-1])
    return KSumsResult(labels, sizes, tuple(history), converged)


def within_cost(pairs: PairSavings, labels: IntVector, sizes: OffsetVector) -> float:
    """Sum of distances over ordered pairs inside clusters, in units of dbar."""
    degrees = np.diff(pairs.indptr)
    saved = 0.0
    for block in block_slices(labels.size, int(degrees.mean())):
        edges = slice(pairs.indptr[block.start], pairs.indptr[block.stop])
        same = labels[pairs.indices[edges]] == np.repeat(labels[block], degrees[block])
        saved += float(pairs.savings[edges].sum(where=same, dtype=np.float64))
    return float(np.sum(sizes * (sizes - 1))) - saved


def random_start(n_samples: int, n_clusters: int, rng: np.random.Generator) -> IntVector:
    """Put every sample into any cluster."""
    return rng.integers(n_clusters, size=n_samples, dtype=np.int32)


def graph_start(graph: NeighborGraph, n_clusters: int, rng: np.random.Generator) -> IntVector:
    """Let samples gather their neighbors into groups, and make the largest groups the clusters.

    Each sample that is in no group yet, in their order, founds one with those of its neighbors that
    are in none either, the nearest first, up to n / c samples together. The samples of every group
    that is not among the c largest go to one cluster drawn for the group.
    """
    n_samples = graph.n_samples
    most_others = n_samples // n_clusters - 1
    groups = np.full(n_samples, -1, dtype=np.int32)
    n_groups = 0
    for founder in range(n_samples):
        if groups[founder] < 0:
            neighbors = graph.indices[graph.indptr[founder] : graph.indptr[founder + 1]]
            groups[founder] = n_groups
            groups[neighbors[groups[neighbors] < 0][:most_others]] = n_groups
            n_groups += 1
    by_size = np.argsort(-np.bincount(groups), kind="stable")
    clusters: IntVector = rng.integers(n_clusters, size=n_groups, dtype=np.int32)
    clusters[by_size[:n_clusters]] = np.arange(n_clusters)
    return clusters[groups]


def cheapest_clusters(
    neighbor_labels: IntMatrix, savings: AnyArray, sizes: OffsetVector
) -> IntVector:
    """Find the cluster of least cost h_l = n_l - (savings of neighbors in l) for new samples.

    Parameters
    ----------
    neighbor_labels, savings : arrays of shape (n_rows, n_neighbors)
        Clusters of the neighbors of each new sample, and what the pairs save.
    sizes : int64 array of shape (n_clusters,)
        Number of samples of each cluster.

    Returns
    -------
    labels : int32 array of shape (n_rows,)
        The first of equals.
    """
    n_rows, n_neighbors = neighbor_labels.shape
    found = np.empty(n_rows, dtype=np.int32)
    for block in block_slices(n_rows, sizes.size):
        rows = np.arange(block.stop - block.start + 1)
        entries = (savings[block].ravel(), neighbor_labels[block].ravel(), rows * n_neighbors)
        saved = sp.csr_array(entries, shape=(rows.size - 1, sizes.size))
        found[block] = (sizes - saved.toarray()).argmin(axis=1)
    return found


def squared_distances(values: AnyArray, kind: GraphKind) -> AnyArray:
    """Square the distances of a Euclidean graph; those of unit rows are 2 (1 - cos)."""
    exact = values.astype(np.float64)
    return 2.0 * exact if kind == "cosine" else np.square(exact)


def pair_savings(squares: AnyArray, longest: float | AnyArray) -> AnyArray:
    """S = 1 - d / dbar; where dbar is 0 all pairs coincide and save all there is."""
    return 1.0 - squares / np.where(np.asarray(longest) > 0.0, longest, 1.0)


def ksums_memory(n_edges: float) -> Parts:
    """Tell what the pairs of a graph take while both directions of its edges are joined."""
    return {"pairs": 56.0 * n_edges}
