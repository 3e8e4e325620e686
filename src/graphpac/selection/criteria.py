"""What tells a good number of clusters from others, without known classes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac.graph import NeighborGraph
from graphpac.metrics import adjusted_rand_index


def mean_agreement(labelings: Sequence[IntVector]) -> float:
    """Mean adjusted Rand index over all pairs of at least two labelings of the same samples.

    1 if all agree but for the names of clusters, about 0 if they agree as much as random ones.
    """
    return fmean(adjusted_rand_index(a, b) for a, b in combinations(labelings, 2))


def half_of_edges(graph: NeighborGraph, rng: np.random.Generator) -> NeighborGraph:
    """Keep a random half of the neighbors of each sample, of an odd number the larger half."""
    sources = np.repeat(np.arange(graph.n_samples), graph.degrees)
    order = np.lexsort((rng.random(graph.n_edges), sources))
    places = np.arange(graph.n_edges) - np.repeat(graph.indptr[:-1], graph.degrees)
    kept = np.sort(order[places < np.repeat((graph.degrees + 1) // 2, graph.degrees)])
    indptr = np.zeros_like(graph.indptr)
    np.cumsum((graph.degrees + 1) // 2, out=indptr[1:])
    return NeighborGraph(indptr, graph.indices[kept], graph.values[kept], graph.kind, graph.copy_of)


def graph_modularity(graph: NeighborGraph, labels: IntVector) -> float:
    """Share of edges inside clusters beyond what edges drawn at random would have there.

    Q = sum over clusters k of e_k / E - (out_k / E) (in_k / E), with E the number of directed edges
    of the neighbor graph, e_k those inside cluster k, out_k those that leave its samples and in_k
    those that lead to them. At most 1 - 1/c; 0 for one cluster. Every edge counts 1, but that of a
    graph of similarities counts its weight, and that to a copy of the sample itself stands for all
    its copies, as many as it has neighbors at most.
    """
    weights = graph.values.astype(np.float64) if graph.kind == "similarity" else None
    if graph.copy_of is not None:
        weights = _weights_among_copies(graph, graph.copy_of)
    total = float(graph.n_edges if weights is None else weights.sum())
    if total == 0.0:
        return 0.0
    sources = np.repeat(labels, graph.degrees)
    targets = labels[graph.indices]
    n_clusters = int(labels.max()) + 1
    leaving = np.bincount(sources, weights, n_clusters) / total
    arriving = np.bincount(targets, weights, n_clusters) / total
    inside = np.average(sources == targets, weights=weights)
    return float(inside - leaving @ arriving)


def _weights_among_copies(graph: NeighborGraph, copy_of: IntVector) -> AnyArray:
    sources = np.repeat(np.arange(graph.n_samples), graph.degrees)
    is_own = copy_of[sources] == copy_of[graph.indices]
    n_links = np.bincount(sources[is_own], minlength=graph.n_samples)
    n_copies = np.bincount(copy_of, minlength=graph.n_samples)[copy_of] - 1
    each = np.minimum(n_copies, graph.degrees) / np.maximum(n_links, 1)
    weights: AnyArray = np.where(is_own, each[sources], 1.0)
    return weights
