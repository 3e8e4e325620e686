"""Samples that are linked to very many others, and what they may keep of their links.

All that a hub is linked to is within two hops of all the rest of it, so what walks over the graph
reach grows with the square of a hub's links.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray
from graphpac.graph.graph_checks import LARGER_IS_NEARER
from graphpac.graph.lists import Lists, either_direction
from graphpac.graph.neighbor_graph import NeighborGraph

FEWEST_NEIGHBORS = 10  # of a sample on average, as far as the limits below are concerned
LINKS_PER_NEIGHBOR = 100  # a sample may have so many links for each neighbor of an average sample,
# and the squares of links may be so many times the squared number of neighbors, on average. On
# twenty sets of images, texts and cells that is 1.5 to 4.3, on pixels of photographs 10, on noise
# in 64 to 1,000 dimensions 3 to 14, where fits took ten times as long as others.
SQUARES_PER_SQUARE = 5


def hop_lists(graph: NeighborGraph) -> Lists:
    """List the samples one hop away as `either_direction` does, hubs with their nearest links only.

    What a hub lets go of does not reach the hub either, so hops stay symmetric. Ordinary graphs
    have no sample with that many links.
    """
    lists = either_direction(graph)
    degrees = np.diff(lists.indptr) - 1
    limit = most_links(degrees, graph.n_edges / max(1, graph.n_samples))
    if degrees.max(initial=0) <= limit:
        return lists
    ones = np.ones(lists.indices.size, dtype=np.int8)
    links = sp.csr_array((ones, lists.indices, lists.indptr))  # square: each lists itself
    cut = _links_beyond(graph, degrees > limit, limit)
    kept = sp.csr_array(links - (cut + cut.T).astype(np.bool_).astype(np.int8))
    kept.eliminate_zeros()
    kept.sort_indices()
    return Lists(kept.indptr.astype(np.int64), kept.indices.astype(np.int32))


def most_links(degrees: AnyArray, mean_neighbors: float) -> int:
    """Find how many links a sample may have for the cost of walks to stay in bounds."""
    k = max(mean_neighbors, FEWEST_NEIGHBORS)
    ranked = np.sort(degrees).astype(np.float64)
    budget = SQUARES_PER_SQUARE * k * k * ranked.size
    below = np.cumsum(np.square(ranked))
    longer = np.arange(ranked.size)[::-1]
    # What squares sum to if samples with more links than each one keep as many as it has.
    n_whole = int(np.count_nonzero(below + longer * np.square(ranked) <= budget))
    limit = LINKS_PER_NEIGHBOR * k
    if n_whole < ranked.size:
        spent = below[n_whole - 1] if n_whole else 0.0
        limit = min(limit, math.sqrt((budget - spent) / (ranked.size - n_whole)))
    return int(limit)


def _links_beyond(graph: NeighborGraph, is_hub: AnyArray, limit: int) -> sp.csr_array:
    """Mark the links of each hub but for its nearest ones, ties by sample."""
    sources = np.repeat(np.arange(graph.n_samples, dtype=np.int32), graph.degrees)
    leaving, arriving = is_hub[sources], is_hub[graph.indices]
    hubs = np.concatenate((sources[leaving], graph.indices[arriving]))
    others = np.concatenate((graph.indices[leaving], sources[arriving]))
    keys = -graph.values if graph.kind in LARGER_IS_NEARER else graph.values
    order = np.lexsort((others, np.concatenate((keys[leaving], keys[arriving])), hubs))
    hubs, others = hubs[order], others[order]
    # An edge in both directions is one link.
    pairs = hubs.astype(np.int64) * graph.n_samples + others
    first = np.sort(np.unique(pairs, return_index=True)[1])
    hubs, others = hubs[first], others[first]
    counts = np.bincount(hubs, minlength=graph.n_samples)
    beyond = np.arange(hubs.size) - (np.cumsum(counts) - counts)[hubs] >= limit
    ones = np.ones(np.count_nonzero(beyond), dtype=np.int8)
    shape = (graph.n_samples, graph.n_samples)
    return sp.csr_array((ones, (hubs[beyond], others[beyond])), shape=shape)
