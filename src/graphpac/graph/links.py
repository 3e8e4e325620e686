"""The graph of links: who is a neighbor of whom in either direction, each pair counted once."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, FloatVector, IntVector
from graphpac.graph.lists import symmetric_lists
from graphpac.graph.neighbor_graph import NeighborGraph
from graphpac.kernels.moves import Links

USUAL_LINKS_PER_NEIGHBOR = 1.5  # about: 1.3 to 1.7 on data with clusters


def links_of(graph: NeighborGraph) -> Links:
    """Link all neighbors; of similarities the larger of both directions is the weight, else one."""
    values: FloatVector = np.empty(0, dtype=np.float32)
    if graph.kind == "similarity" and graph.n_edges:
        values = graph.values / graph.values.mean(dtype=np.float64).astype(np.float32)
    lists, weights = symmetric_lists(graph, values, with_self=False)
    if weights.size == 0:
        weights = np.ones(lists.indices.size, dtype=np.float32)
    return Links(*lists, weights)


def as_links(matrix: sp.csr_array) -> Links:
    """Take a symmetric matrix apart."""
    matrix.sort_indices()
    indices: IntVector = matrix.indices.astype(np.int32, copy=False)
    weights: FloatVector = matrix.data.astype(np.float32, copy=False)
    return Links(matrix.indptr.astype(np.int64, copy=False), indices, weights)


def degrees_of(links: Links) -> AnyArray:
    """Sum the links of each sample."""
    sums = np.concatenate(([0.0], np.cumsum(links.weights, dtype=np.float64)))
    degrees: AnyArray = sums[links.indptr[1:]] - sums[links.indptr[:-1]]
    return degrees
