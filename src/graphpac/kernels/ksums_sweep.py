"""One sweep of K-sums: every sample in turn moves to the cluster where it costs least."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, FloatVector, IntVector, OffsetVector
from graphpac.kernels._jit import kernel


@kernel
def sweep_labels(
    indptr: OffsetVector,
    indices: IntVector,
    savings: FloatVector,
    labels: IntVector,
    sizes: OffsetVector,
) -> float:
    """Move the samples in place, in their order, and return how much lower the sum of costs is.

    Sample i costs h_l = n_l - sum_{j in N_i, y_j = l} s_ij in cluster l, where n_l counts its
    samples without i. A sample stays where no cluster is cheaper; of equals the first takes it. The
    clusters of the neighbors are compared and the smallest of all: without a neighbor h_l = n_l, so
    no other can be cheaper than that one.

    Parameters
    ----------
    indptr, indices, savings : arrays
        Neighbors j of each sample i and the savings s_ij = s_ji, above 0 and at most 1; no sample
        is its own neighbor.
    labels : int32 array of shape (n_samples,)
        Cluster of each sample, changed.
    sizes : int64 array of shape (n_clusters,)
        Number of samples of each cluster, changed.

    Returns
    -------
    gain : float
        By how much the sum of h over all samples fell; 0 if and only if no sample moved.
    """
    tree = build_size_tree(sizes)
    saved = np.zeros(sizes.size, np.float64)
    present = np.empty(sizes.size, np.int32)
    gain = 0.0
    for i in range(labels.size):
        n_present = 0
        for edge in range(indptr[i], indptr[i + 1]):
            cluster = labels[indices[edge]]
            if saved[cluster] == 0.0:
                present[n_present] = cluster
                n_present += 1
            saved[cluster] += savings[edge]
        own = labels[i]
        own_cost = sizes[own] - 1 - saved[own]
        best, lowest = own, own_cost
        for x in range(n_present + 1):
            cluster = present[x] if x < n_present else tree[1]
            cost = sizes[cluster] - saved[cluster]
            first_of_equals = cost == lowest and best != own and cluster < best
            if cluster != own and (cost < lowest or first_of_equals):
                best, lowest = cluster, cost
        for x in range(n_present):
            saved[present[x]] = 0.0
        if best != own:
            labels[i] = best
            sizes[own] -= 1
            sizes[best] += 1
            update_size_tree(tree, sizes, own)
            update_size_tree(tree, sizes, best)
            gain += 2.0 * (own_cost - lowest)  # both of a pair change with i: h counts it twice
    return gain


@kernel
def build_size_tree(sizes: OffsetVector) -> AnyArray:
    """Arrange the clusters as in a knockout tournament that the smaller wins, the first of equals.

    ``tree[1]`` is the winner of all, the winner at node v is that of the nodes 2 v and 2 v + 1, and
    cluster l enters at the leaf ``sizes.size + l``.
    """
    n_clusters = sizes.size
    tree = np.empty(2 * n_clusters, np.int32)
    tree[0] = -1
    for cluster in range(n_clusters):
        tree[n_clusters + cluster] = cluster
    for node in range(n_clusters - 1, 0, -1):
        tree[node] = _smaller(sizes, tree[2 * node], tree[2 * node + 1])
    return tree


@kernel
def update_size_tree(tree: AnyArray, sizes: OffsetVector, cluster: int) -> None:
    """Play the matches again that a cluster takes part in, after its size changed."""
    node = (sizes.size + cluster) >> 1
    while node >= 1:
        tree[node] = _smaller(sizes, tree[2 * node], tree[2 * node + 1])
        node >>= 1


@kernel
def _smaller(sizes: OffsetVector, one: int, other: int) -> int:
    if sizes[one] != sizes[other]:
        return one if sizes[one] < sizes[other] else other
    return min(one, other)
