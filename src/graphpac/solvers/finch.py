"""FINCH: clusters of samples linked by first neighbors, and of clusters linked the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from graphpac._costs import Parts
from graphpac._typing import AnyArray, IntMatrix, IntVector
from graphpac.graph import NeighborGraph
from graphpac.graph.rows import Rows
from graphpac.solvers.memberships import members_of
from graphpac.solvers.row_blocks import block_slices, blocks_memory, exact_block, squared_lengths

_PAIR_ENTRIES = 1 << 22  # of the rows of pairs that are measured at a time
_FIRST_LEVEL = 0.3  # clusters of the first level, as a typical share of the samples


class FirstNeighbors(NamedTuple):
    """Rows as they were searched, and a graph from each to its nearest other."""

    rows: Rows
    graph: NeighborGraph

    @classmethod
    def of(cls, rows: Rows, graph: NeighborGraph) -> FirstNeighbors:
        """Take the first neighbor of each row, a copy of it where it has one."""
        return cls(rows, graph.truncated(1))


Connect = Callable[[Any], FirstNeighbors]


@dataclass(frozen=True)
class Hierarchy:
    """Partitions of the samples, the finest in column 0, and what links their clusters.

    ``graphs[0]`` links the samples, ``graphs[t + 1]`` the means of the clusters of column t. A
    single cluster has no graph.
    """

    partitions: IntMatrix
    graphs: tuple[NeighborGraph, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of clusters of each level."""
        return tuple((self.partitions.max(axis=0) + 1).tolist())

    def coarsest_level(self, n_clusters: int) -> int:
        """Find the coarsest level with at least so many clusters, the finest if there is none."""
        return max(0, int(np.sum(np.array(self.sizes) >= n_clusters)) - 1)

    def outstanding_level(self) -> int:
        """Find the level whose clusters stand apart most, compared with what they consist of.

        That is the largest growth of the median distance to a first neighbor from one graph to the
        next, of equals the coarsest; a median of zero tells nothing.
        """
        gaps = np.array([np.median(graph.values) for graph in self.graphs])
        before, after = gaps[:-1], gaps[1:]
        growth = np.divide(after, before, out=np.zeros(after.size), where=before > 0.0)
        if growth.size == 0:
            return 0
        return int(np.flatnonzero(growth == growth.max())[-1])


def find_hierarchy(
    X: Any, first: FirstNeighbors, connect: Connect, *, early_exit: bool, unit: float = 1.0
) -> Hierarchy:
    """Join what is linked by first neighbors, level after level.

    Ends before the level that would have one cluster, or less than two fewer than the one before.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
        The samples as they were given; clusters are represented by their means.
    first : FirstNeighbors
        Of the samples.
    connect : callable
        Finds the first neighbors of an array or CSR matrix of means, measured in units.
    early_exit : bool
        Whether to ignore links longer than the longest among samples; see `longest_link`.
    unit : float
        What a one in the means stands for, a power of two; sums of huge samples would overflow.
    """
    limit = longest_link(first) if early_exit else np.inf
    labels = join(first, np.inf)
    partitions, graphs = [labels], [first.graph]
    clusters = Clusters.of(X, labels, unit)
    while clusters.counts.size > 1:
        first = connect(clusters.means())
        graphs.append(first.graph)
        joined = join(first, limit)
        n_clusters = int(joined.max()) + 1
        if n_clusters == 1 or clusters.counts.size - n_clusters < 2:
            break
        labels = joined[labels]
        partitions.append(labels)
        clusters = clusters.joined(joined)
    return Hierarchy(np.column_stack(partitions), tuple(graphs))


@dataclass(frozen=True)
class Clusters:
    """Sums and numbers of the samples of clusters, which add up when clusters are joined."""

    sums: Any
    counts: AnyArray

    @classmethod
    def of(cls, X: Any, labels: IntVector, unit: float = 1.0) -> Clusters:
        """Sum up samples in float64, block after block; sums of sparse samples are sparse."""
        counts = np.bincount(labels)
        if sp.issparse(X):
            sums = members_of(labels, counts.size) @ (X.astype(np.float64) / unit)
            return cls(sp.csr_matrix(sums), counts)
        sums = np.zeros((counts.size, X.shape[1]))
        for block in block_slices(*X.shape):
            present, local = np.unique(labels[block], return_inverse=True)
            sums[present] += members_of(local, present.size) @ (exact_block(X, block) / unit)
        return cls(sums, counts)

    def joined(self, labels: IntVector) -> Clusters:
        """Add up clusters of one label."""
        counts = np.bincount(labels, weights=self.counts).astype(np.int64)
        return Clusters(members_of(labels, counts.size) @ self.sums, counts)

    def means(self) -> Any:
        """Means of the samples of each cluster."""
        if sp.issparse(self.sums):
            return sp.csr_matrix(sp.diags_array(1.0 / self.counts) @ self.sums)
        return self.sums / self.counts[:, np.newaxis]


def join(first: FirstNeighbors, limit: float) -> IntVector:
    """Label the connected parts of the links that are not longer than a limit.

    Two are linked if one is the first neighbor of the other, or if they have the same first
    neighbor; the latter counts only where a link to that neighbor is too long, as the way through
    it connects them anyhow.
    """
    nearest = first.graph.indices
    kept = link_lengths(first.graph) <= limit
    sources = np.flatnonzero(kept)
    parts = _parts(sources, nearest[sources], nearest.size)
    if kept.all():
        return parts
    apart = np.flatnonzero(np.isin(nearest, nearest[~kept]))
    for one, other in _pairs_sharing(first, apart):
        near = pair_distances(first, one, other) <= limit
        representatives = np.unique(parts, return_index=True)[1]
        everyone = np.arange(nearest.size)
        parts = _parts(
            np.concatenate((everyone, one[near])),
            np.concatenate((representatives[parts], other[near])),
            nearest.size,
        )
    return parts


def longest_link(first: FirstNeighbors) -> float:
    """Length of the longest link, also of those between samples with the same first neighbor."""
    shared = (
        float(pair_distances(first, one, other).max())
        for one, other in _pairs_sharing(first, np.arange(first.graph.n_samples))
    )
    return max(float(link_lengths(first.graph).max()), *shared, 0.0)


def link_lengths(graph: NeighborGraph) -> AnyArray:
    """Distances to first neighbors, those between mutual ones twice.

    A first neighbor in both directions is two links on one pair, and the authors' early exit
    multiplies the distance of a pair by the number of its links.
    """
    nearest = graph.indices
    mutual = nearest[nearest] == np.arange(nearest.size)
    lengths: AnyArray = graph.values.astype(np.float64) * np.where(mutual, 2.0, 1.0)
    return lengths


def pair_distances(first: FirstNeighbors, one: AnyArray, other: AnyArray) -> AnyArray:
    """Distances between pairs of rows, as the graph has them."""
    rows: Any = first.rows
    left, right = (rows[chosen].astype(np.float64) for chosen in (one, other))
    if first.graph.kind == "cosine":
        return np.maximum(1.0 - row_products(left, right), 0.0)
    return np.sqrt(squared_lengths(left - right))


def row_products(left: Any, right: Any) -> AnyArray:
    """Product of each row with the row beside it."""
    products = left.multiply(right) if sp.issparse(left) else left * right
    return np.asarray(products.sum(axis=1)).ravel()


def _pairs_sharing(first: FirstNeighbors, chosen: AnyArray) -> Iterator[tuple[AnyArray, AnyArray]]:
    """Pair up those of the chosen that have the same first neighbor, some pairs at a time."""
    rows: Any = first.rows
    nearest = first.graph.indices
    row_entries = (rows.nnz if sp.issparse(rows) else rows.size) // rows.shape[0]
    order = chosen[np.argsort(nearest[chosen], kind="stable")]
    ends = np.searchsorted(nearest[order], nearest[order], side="right")
    n_later = ends - np.arange(order.size) - 1
    pairs_before = np.cumsum(n_later) - n_later
    chunk = pairs_before // max(1, _PAIR_ENTRIES // max(1, row_entries))
    cuts = np.flatnonzero(np.diff(chunk)) + 1
    for places in np.split(np.arange(order.size), cuts):
        counts = n_later[places]
        one = np.repeat(places, counts)
        if one.size:
            starts = np.repeat(np.cumsum(counts) - counts, counts)
            other = one + 1 + np.arange(one.size) - starts
            yield order[one], order[other]


def _parts(sources: AnyArray, targets: AnyArray, n: int) -> IntVector:
    """Label the connected parts of n nodes, in the order of their first nodes."""
    links = sp.csr_matrix((np.ones(sources.size, dtype=np.bool_), (sources, targets)), (n, n))
    labels: IntVector = connected_components(links, directed=True, connection="weak")[1]
    return labels.astype(np.int32, copy=False)


def finch_memory(n_samples: int, n_features: int) -> Parts:
    """Tell what the clusters of the first level take: their sums and means, and means as rows."""
    means = 20.0 * _FIRST_LEVEL * n_samples * n_features
    return {"means": means, **blocks_memory(n_samples, n_features, 0, n_jobs=1, n_arrays=2)}
