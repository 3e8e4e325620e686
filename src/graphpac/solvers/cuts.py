"""Memberships of a cut: of merged clusters they add up, of split ones links divide them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from graphpac._typing import IntVector
from graphpac.kernels.moves import Links
from graphpac.solvers.tree import ClusterTree


def cut_memberships(
    tree: ClusterTree, links: Links, memberships: sp.csr_array, n_clusters: int
) -> sp.csr_array:
    """Return the memberships of a cut, float32, one column for each cluster of its labels.

    A merged cluster has the sum of the memberships that were merged. The membership of a split
    cluster is divided among its parts as the sample's links to them are; where it has none there,
    as their sizes are. What a sample has in clusters that nobody belongs to goes to its others.

    Notes
    -----
    Labels of cuts are nested, and largest memberships are not: 0.4 is less than 0.3 + 0.3. So for
    few samples on a border the largest membership is in another cluster than their label.
    """
    of_leaf = tree.leaf_labels(n_clusters)
    if np.array_equal(of_leaf, tree.leaf_clusters):
        return sp.csr_array(memberships, dtype=np.float32)
    sizes = np.bincount(tree.leaves, minlength=tree.n_leaves).astype(np.float64)
    shape = (tree.n_clusters, int(of_leaf.max()) + 1)
    # Samples of each cluster in each part of the cut: a merged cluster lies in one part only.
    parts = sp.coo_array((sizes, (tree.leaf_clusters, of_leaf)), shape=shape).tocsr()
    shares = sp.csr_array(parts / np.maximum(parts.sum(axis=1), 1.0)[:, np.newaxis])
    if n_clusters < tree.n_clusters:
        found = memberships @ shares
    else:
        found = _divided(links, of_leaf[tree.leaves], memberships, shares)
    return _rows_to_one(found, of_leaf[tree.leaves])


def _divided(
    links: Links, labels: IntVector, memberships: sp.csr_array, shares: sp.csr_array
) -> sp.csr_array:
    """Divide memberships of clusters among their parts: u_ip = u_il links(i, p) / links(i, l)."""
    n, n_parts = labels.size, shares.shape[1]
    matrix = sp.csr_array((links.weights, links.indices, links.indptr), shape=(n, n))
    member = sp.csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, n_parts))
    to_parts = sp.csr_array(matrix @ member)
    cluster_of = shares.copy()
    cluster_of.data[:] = 1.0
    to_clusters = sp.csr_array(to_parts @ cluster_of.T)
    linked = to_clusters.copy()
    linked.data[:] = 1.0
    by_links = sp.csr_array(memberships.multiply(linked))
    to_clusters.data = 1.0 / to_clusters.data
    for_each_link = sp.csr_array(by_links.multiply(to_clusters))
    divided = (for_each_link @ cluster_of).multiply(to_parts)
    return sp.csr_array(divided + (memberships - by_links) @ shares)


def _rows_to_one(memberships: sp.csr_array, labels: IntVector) -> sp.csr_array:
    """Scale rows to a sum of one; a row of nothing belongs to its label."""
    sums = memberships.sum(axis=1)
    empty = np.flatnonzero(sums == 0.0)
    ones = (np.ones(empty.size), (empty, labels[empty]))
    filled = memberships + sp.coo_array(ones, shape=memberships.shape)
    sums[empty] = 1.0
    scaled = sp.csr_array(filled.multiply(1.0 / sums[:, np.newaxis]), dtype=np.float32)
    scaled.eliminate_zeros()
    scaled.sort_indices()
    return scaled
