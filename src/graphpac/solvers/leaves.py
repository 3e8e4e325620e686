"""Leaves: the communities a cluster consists of, where the tree of a fit begins."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from graphpac._typing import AnyArray, IntVector
from graphpac.graph.links import as_links
from graphpac.solvers.communities import find_communities, links_between
from graphpac.solvers.likelihood import LinkGraph

LEAVES_PER_CLUSTER = 4
MOST_LEAVES = 4096  # the links between them are a square matrix
SAMPLES_PER_LEAF = 10  # at least, in the mean
LEAST_SHARE = 0.1  # of the mean size: smaller communities are given to another leaf
MOST_PASSES = 8


def find_leaves(graph: LinkGraph, labels: IntVector) -> IntVector:
    """Divide each cluster into leaves, about four for each; return the leaf of each sample.

    Leaves are numbered from 0, cluster by cluster, and inside a cluster the largest first. Large
    clusters have more of them than small ones. Of more than 2,048 clusters (half of
    `MOST_LEAVES`), and of too few samples, each cluster is a leaf.
    """
    clusters, own = np.unique(labels, return_inverse=True)
    n_clusters, n = clusters.size, graph.n_samples
    wanted = min(LEAVES_PER_CLUSTER * n_clusters, MOST_LEAVES, n // SAMPLES_PER_LEAF)
    if 2 * n_clusters > MOST_LEAVES or wanted <= n_clusters:
        return own.astype(np.int32)
    least = LEAST_SHARE * n / wanted
    inside = _links_inside(graph, labels)
    communities = find_communities(inside, [wanted + _n_crumbs(inside, least)])[0]
    return _absorb(inside, communities, labels, least)


def _links_inside(graph: LinkGraph, labels: IntVector) -> LinkGraph:
    """Leave out all links between clusters: no community then has samples of two."""
    indptr, indices, weights = graph.links
    n = graph.n_samples
    begins = np.repeat(labels, np.diff(indptr))
    kept = begins == labels[indices]
    bounds = np.concatenate(([0], np.cumsum(kept)))[indptr]
    matrix = sp.csr_array((weights[kept], indices[kept], bounds), shape=(n, n))
    return LinkGraph(as_links(matrix), graph.workers)


def _n_crumbs(graph: LinkGraph, least: float) -> int:
    """Count pieces without links to others that are too small for a leaf."""
    n = graph.n_samples
    links = graph.links
    matrix = sp.csr_array((links.weights, links.indices, links.indptr), shape=(n, n))
    pieces = connected_components(matrix, directed=False)[1]
    return int(np.count_nonzero(np.bincount(pieces) < least))


def _absorb(graph: LinkGraph, groups: IntVector, labels: IntVector, least: float) -> IntVector:
    """Give groups that are too small to the leaf of their cluster they have most links to.

    Without any, to the largest of the cluster, which is a leaf whatever its size.
    """
    n_groups = int(groups.max()) + 1
    sizes = np.bincount(groups, minlength=n_groups)
    cluster = np.empty(n_groups, dtype=np.int64)
    cluster[groups] = labels
    order = np.lexsort((np.arange(n_groups), -sizes, cluster))
    begins = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    largest = np.empty(int(cluster.max()) + 1, dtype=np.int64)
    largest[cluster[order][begins]] = order[begins]

    # The largest of each cluster is a leaf in any case; of the others, those there is room for.
    others = sizes.copy()
    others[order[begins]] = 0
    kept = np.argsort(-others, kind="stable")[: MOST_LEAVES - begins.size]
    is_leaf = np.zeros(n_groups, dtype=np.bool_)
    is_leaf[kept] = others[kept] >= least
    is_leaf[order[begins]] = True
    goes_to = np.where(is_leaf, np.arange(n_groups), -1)
    between = links_between(graph.links, groups, n_groups)
    for _ in range(MOST_PASSES):
        found = _best_linked(between, goes_to)
        if not np.any(found >= 0):
            break
        goes_to = np.where(found >= 0, found, goes_to)
    goes_to = np.where(goes_to < 0, largest[cluster], goes_to)
    return _numbered(goes_to[groups], cluster)


def _best_linked(between: sp.csr_array, goes_to: AnyArray) -> AnyArray:
    """Return, for each group without a leaf, the leaf it has most links to; -1 for none."""
    n_groups = goes_to.size
    links = between.tocoo()
    use = (goes_to[links.row] < 0) & (goes_to[links.col] >= 0)
    sums = sp.coo_array(
        (links.data[use], (links.row[use], goes_to[links.col[use]])), shape=(n_groups, n_groups)
    ).tocsr()
    rows = np.repeat(np.arange(n_groups), np.diff(sums.indptr))
    # The last of a row has the most links, and of equals the lowest number.
    order = np.lexsort((-sums.indices, sums.data, rows))
    found = np.full(n_groups, -1, dtype=np.int64)
    found[rows[order]] = sums.indices[order]
    return found


def _numbered(leaves: AnyArray, cluster: AnyArray) -> IntVector:
    """Give leaves numbers from 0: by cluster, inside by size, the largest first."""
    names, sizes = np.unique(leaves, return_counts=True)
    number = np.empty(cluster.size, dtype=np.int32)
    number[names[np.lexsort((names, -sizes, cluster[names]))]] = np.arange(names.size)
    return number[leaves]
