"""The tree of a fit: leaves merge inside clusters, then clusters, until one is left.

Two groups a and b merge by their links for each pair of samples, the densest linked pair first, and
the height of a merge is what links there are beside what chance would give,

    lift(a, b) = (links(a, b) / 2M) / (n_a n_b / n^2),    height = 1 / (1 + lift),

with 2M the ends of all links. So 0 is what is linked without end, 1/2 what is linked as if by
chance, and 1 what is not linked at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac._wording import short_repr
from graphpac.exceptions import ParameterError
from graphpac.solvers.communities import links_between
from graphpac.solvers.leaves import MOST_LEAVES, find_leaves
from graphpac.solvers.likelihood import Fit, LinkGraph
from graphpac.solvers.merging import Merges, merge


@dataclass(frozen=True, eq=False)
class ClusterTree:
    """What merges with what, from the communities inside clusters up to one cluster of all.

    Parameters
    ----------
    linkage : float array of shape (n_leaves - 1, 4)
        SciPy's form: both groups of a merge, its height, and its number of leaves. Groups below
        ``n_leaves`` are leaves, the group of merge k is ``n_leaves + k``. Heights rise strictly,
        so each number of clusters has a height to cut at; merges inside clusters come first.
        Samples are counted by ``sizes``: SciPy refuses to draw what counts more than leaves.
    leaves : int32 array of shape (n_samples,)
        Leaf of each sample. They are numbered cluster by cluster, the largest of one first.
    leaf_clusters : int32 array of shape (n_leaves,)
        Cluster of the fit that each leaf belongs to.
    n_clusters : int
        Clusters of the fit, those without samples counted.
    likelihoods : float array of shape (n_leaves,)
        LL of the planted partition when the tree is cut into 1, 2, ... clusters, for each end of a
        link, in nats.
    """

    linkage: AnyArray
    leaves: IntVector
    leaf_clusters: IntVector
    n_clusters: int
    likelihoods: AnyArray

    @property
    def n_leaves(self) -> int:
        """Number of leaves, the finest cut there is."""
        return int(self.leaf_clusters.size)

    @property
    def sizes(self) -> AnyArray:
        """Samples of each group, the leaves first and then what each merge makes."""
        sizes = np.concatenate(
            (np.bincount(self.leaves, minlength=self.n_leaves), np.zeros(self.n_leaves - 1, int))
        )
        for k, (a, b) in enumerate(self.linkage[:, :2].astype(np.int64)):
            sizes[self.n_leaves + k] = sizes[a] + sizes[b]
        return sizes

    @property
    def gains(self) -> AnyArray:
        """What the last cluster of each cut adds to the likelihood; the first entry is 0."""
        return np.diff(self.likelihoods, prepend=self.likelihoods[0])

    def labels(self, n_clusters: int) -> IntVector:
        """Cut the tree into so many clusters; return the cluster of each sample.

        Cuts are nested. Into as many as the fit has, it is the fit's own partition. In a coarser
        cut a merged cluster goes by the lowest of its numbers, and gaps are closed. In a finer one
        the part with the cluster's largest leaf keeps the number, and the others get new ones in
        the order of the splits, so one cluster more changes the labels of its samples only.

        Where clusters of the fit are empty, cuts between the number of those with samples and the
        number of all are the fit's partition too: it found no more.
        """
        return self.leaf_labels(n_clusters)[self.leaves]

    def leaf_labels(self, n_clusters: int) -> IntVector:
        """Return the cluster of each leaf when the tree is cut into so many."""
        self._check(n_clusters)
        n_filled = np.unique(self.leaf_clusters).size
        if n_filled <= n_clusters <= self.n_clusters:
            return self.leaf_clusters
        goes_by = self._lowest_leaves(n_clusters)
        if n_clusters < n_filled:
            # Leaves are in the order of their clusters: the lowest leaf has the lowest number.
            return np.unique(goes_by, return_inverse=True)[1].astype(np.int32)
        number = self._numbers_of_parts()
        return number[goes_by]

    def with_copies(self, numbers: IntVector) -> ClusterTree:
        """Return the tree of all samples, where sample i is a copy of ``numbers[i]`` of these."""
        return replace(self, leaves=self.leaves[numbers])

    def of_originals(self, originals: IntVector) -> ClusterTree:
        """Return the tree of the samples that no earlier one equals."""
        return replace(self, leaves=self.leaves[originals])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """Return the linkage, so that SciPy draws the tree itself."""
        return np.array(self.linkage, dtype=dtype, copy=copy)

    def _check(self, n_clusters: int) -> None:
        most = max(self.n_leaves, self.n_clusters)
        given: Any = n_clusters
        is_number = isinstance(given, int | np.integer) and not isinstance(given, bool)
        if not is_number or not 1 <= n_clusters <= most:
            message = (
                f"n_clusters={short_repr(given)} is not a cut of the tree of this fit: give a "
                f"whole number from 1 to {most}, or fit again with an n_clusters above "
                f"{self.n_clusters} for a finer tree"
            )
            raise ParameterError(message)

    def _lowest_leaves(self, n_clusters: int) -> AnyArray:
        """Return the lowest leaf of the group that each leaf is in."""
        goes_by = np.arange(self.n_leaves)
        pairs = self._pairs()[: self.n_leaves - n_clusters]
        for a, b in pairs[::-1]:  # what a group merged into later is known before its own merges
            goes_by[b] = goes_by[a]
        return goes_by

    def _pairs(self) -> AnyArray:
        """Return the lowest leaves of both groups of each merge, the lower first."""
        lowest = np.concatenate((np.arange(self.n_leaves), np.empty(self.n_leaves - 1, np.int64)))
        pairs = np.empty((self.n_leaves - 1, 2), dtype=np.int64)
        for k, merged in enumerate(self.linkage[:, :2].astype(np.int64)):
            pairs[k] = np.sort(lowest[merged])
            lowest[self.n_leaves + k] = pairs[k, 0]
        return pairs

    def _numbers_of_parts(self) -> IntVector:
        """Return the number of a part by its lowest leaf: clusters as in the fit, then by split."""
        number = np.full(self.n_leaves, -1, dtype=np.int32)
        clusters, first_leaves = np.unique(self.leaf_clusters, return_index=True)
        number[first_leaves] = clusters
        free = np.setdiff1d(np.arange(self.n_leaves + self.n_clusters), clusters)
        split_off = self._pairs()[: self.n_leaves - clusters.size, 1][::-1]
        number[split_off] = free[: split_off.size]
        return number


def grow_tree(graph: LinkGraph, labels: IntVector, n_clusters: int) -> ClusterTree:
    """Make the tree of a partition: find leaves inside its clusters, and merge them.

    Parameters
    ----------
    graph : LinkGraph
        Links of the samples; of copies only the original.
    labels : int32 array
        Cluster of each sample.
    n_clusters : int
        Number of clusters; some may be empty. Above 2,048 the leaves are the clusters.

    Notes
    -----
    The time is linear in the links, and for the merges quadratic in the leaves, of which there are
    at most 4,096. More clusters than that have no tree.
    """
    n_filled = np.unique(labels).size
    if n_filled > MOST_LEAVES:
        message = (
            f"there is no tree over {n_filled:,} clusters, only over up to {MOST_LEAVES:,}: fit "
            "with fewer clusters to see how they merge"
        )
        raise ParameterError(message)
    leaves = find_leaves(graph, labels)
    n_leaves = int(leaves.max()) + 1
    leaf_clusters: IntVector = np.empty(n_leaves, dtype=np.int32)
    leaf_clusters[leaves] = labels
    merges = merge(graph, leaves, criterion="average", family=leaf_clusters)
    linkage = _linkage(merges, _heights(graph, merges, n_leaves - n_filled))
    return ClusterTree(
        linkage, leaves, leaf_clusters, n_clusters, _likelihoods(graph, leaves, merges)
    )


def _heights(graph: LinkGraph, merges: Merges, n_inside: int) -> AnyArray:
    """Turn links for each pair of samples into heights that rise strictly.

    Inside clusters they stay below the first merge of two clusters, however loose a cluster is:
    the fit joined it before.
    """
    density = np.maximum(merges.affinities, 0.0)
    lift = density * float(graph.n_samples) ** 2 / max(graph.n_ends, 1e-300)
    heights = np.maximum.accumulate(1.0 / (1.0 + lift[n_inside:]))
    inside = np.maximum.accumulate(1.0 / (1.0 + lift[:n_inside]))
    if heights.size:
        inside = np.minimum(inside, heights[0])
    heights = np.concatenate((inside, heights))
    for k in range(1, heights.size):
        heights[k] = max(heights[k], np.nextafter(heights[k - 1], np.inf))
    return heights


def _linkage(merges: Merges, heights: AnyArray) -> AnyArray:
    """Write merges as SciPy does."""
    n_leaves = heights.size + 1
    linkage = np.empty((n_leaves - 1, 4))
    node, n_below = np.arange(n_leaves), np.ones(n_leaves)
    for k, (a, b) in enumerate(merges.pairs):
        n_below[a] += n_below[b]
        linkage[k] = min(node[a], node[b]), max(node[a], node[b]), heights[k], n_below[a]
        node[a] = n_leaves + k
    return linkage


def _likelihoods(graph: LinkGraph, leaves: IntVector, merges: Merges) -> AnyArray:
    """Compute LL of every cut from the links between leaves.

    A merge of a and b brings 2 links(a, b) ends inside, and 2 kappa_a kappa_b to s.
    """
    n_leaves = int(leaves.max()) + 1
    if graph.n_ends == 0.0:
        return np.zeros(n_leaves)
    links = links_between(graph.links, leaves, n_leaves).toarray() / graph.n_ends
    shares = np.bincount(leaves, weights=graph.degrees, minlength=n_leaves) / graph.n_ends
    inside, chance = float(links.trace()), float(np.square(shares).sum())
    likelihoods = np.empty(n_leaves)
    likelihoods[-1] = Fit(min(inside, 1.0), min(chance, 1.0), graph.n_ends).likelihood
    for k, (a, b) in enumerate(merges.pairs):
        inside += 2.0 * links[a, b]
        chance += 2.0 * shares[a] * shares[b]
        links[a] += links[b]
        links[:, a] += links[:, b]
        shares[a] += shares[b]
        fit = Fit(min(inside, 1.0), min(chance, 1.0), graph.n_ends)
        likelihoods[n_leaves - 2 - k] = fit.likelihood
    likelihoods[0] = 0.0  # but for rounding: one cluster tells nothing
    return likelihoods
