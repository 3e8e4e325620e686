"""Merging the two nearest of many clusters again and again, by the distances of their means."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, IntVector, Metric
from graphpac.solvers.finch import Clusters, row_products
from graphpac.solvers.row_blocks import squared_lengths


def merge_nearest(
    clusters: Clusters, nearest: IntVector, n_clusters: int, metric: Metric
) -> IntVector:
    """Merge the closest pair of clusters until so many are left; of equals the first.

    Parameters
    ----------
    clusters : Clusters
        Where to begin.
    nearest : int array
        First neighbor of each of them.
    n_clusters : int
        Where to end.
    metric : {"cosine", "euclidean"}
        How means are compared.

    Returns
    -------
    labels : int32 array
        New number of each of the clusters to begin with, in the order of their first members.
    """
    merging = _Merging(clusters, nearest, metric)
    for _ in range(clusters.counts.size - n_clusters):
        merging.merge_closest()
    labels: IntVector = np.unique(merging.owners, return_inverse=True)[1].astype(np.int32)
    return labels


class _Merging:
    """Clusters on their way to fewer.

    A merged cluster keeps the lower number of the two. The sums to begin with never change: the
    product of two merged clusters is the sum of the products of what they were made of.
    """

    def __init__(self, clusters: Clusters, nearest: IntVector, metric: Metric) -> None:
        self._metric = metric
        self._sums = _in_range(clusters, metric)
        self._counts = clusters.counts.astype(np.float64)
        self._squares = squared_lengths(self._sums)
        self._nearest = nearest.astype(np.int64)
        self.owners: AnyArray = np.arange(nearest.size)
        self._alive = np.ones(nearest.size, dtype=np.bool_)
        self._bounded = np.zeros(nearest.size, dtype=np.bool_)  # whose gap may be larger than noted
        products = row_products(self._sums, self._sums[self._nearest])
        self._gaps = self._distances(products, self.owners, self._nearest)

    def merge_closest(self) -> None:
        """Merge one pair."""
        closest = self._closest()
        kept, gone = sorted((closest, int(self._nearest[closest])))
        self.owners[self.owners == gone] = kept
        self._counts[kept] += self._counts[gone]
        self._squares[kept] = np.square(self._sum_of(kept)).sum()
        self._alive[gone] = False
        self._gaps[gone] = np.inf

        to_kept = self._look_around(kept)
        # Who pointed at one of the two has lost its neighbor. All others are at least as far as
        # that was, so its gap remains a bound, unless the merged cluster is nearer.
        self._bounded |= (self._nearest == kept) | (self._nearest == gone)
        first_of_equals = ~self._bounded & (to_kept == self._gaps) & (kept < self._nearest)
        nearer = ((to_kept < self._gaps) | first_of_equals) & self._alive
        self._nearest[nearer] = kept
        self._gaps[nearer] = to_kept[nearer]
        self._bounded[nearer] = False

    def _closest(self) -> int:
        """Find the cluster with the nearest neighbor; whose gap is but a bound looks around."""
        while self._bounded[closest := int(np.argmin(self._gaps))]:
            self._look_around(closest)
        return closest

    def _look_around(self, cluster: int) -> AnyArray:
        """Find the first neighbor of a cluster; return its distances to all."""
        parts = self._sums @ self._sum_of(cluster)
        products = np.bincount(self.owners, weights=parts, minlength=self.owners.size)
        distances = self._distances(products, cluster, slice(None))
        distances[~self._alive] = np.inf
        distances[cluster] = np.inf
        self._nearest[cluster] = distances.argmin()
        self._gaps[cluster] = distances.min()
        self._bounded[cluster] = False
        return distances

    def _sum_of(self, cluster: int) -> AnyArray:
        """Sum up what a cluster was made of."""
        return np.asarray(self._sums[np.flatnonzero(self.owners == cluster)].sum(axis=0)).ravel()

    def _distances(self, products: AnyArray, one: Any, other: Any) -> AnyArray:
        """Distances of means from the products of sums."""
        squares, counts = self._squares, self._counts
        distances: AnyArray
        if self._metric == "cosine":
            lengths = np.sqrt(squares[one] * squares[other])
            cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0.0)
            distances = np.maximum(1.0 - cosines, 0.0)
            return distances
        # |s/n - t/m|^2 = |s|^2 / n^2 + |t|^2 / m^2 - 2 s.t / (n m)
        own = squares / np.square(counts)
        both = own[one] + own[other] - 2.0 * products / (counts[one] * counts[other])
        distances = np.sqrt(np.maximum(both, 0.0))
        return distances


def _in_range(clusters: Clusters, metric: Metric) -> Any:
    """Move zero to the mean of all where that is possible, and choose a unit fit for squares."""
    sums = clusters.sums
    if metric == "euclidean" and not sp.issparse(sums):
        center = sums.sum(axis=0) / clusters.counts.sum()
        sums = sums - clusters.counts[:, np.newaxis] * center
    largest = abs(sums).max()
    return sums / largest if largest > 0.0 else sums
