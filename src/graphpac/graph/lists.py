"""Lists of samples, one for each sample, end to end in one array."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, IntVector, OffsetVector
from graphpac.graph.neighbor_graph import NeighborGraph


class Lists(NamedTuple):
    """List i is ``indices[indptr[i]:indptr[i + 1]]``."""

    indptr: OffsetVector
    indices: IntVector


def either_direction(graph: NeighborGraph) -> Lists:
    """List the samples one hop away, neighbors in either direction, and each sample itself."""
    n = graph.n_samples
    shape = (n, n)
    ones = np.ones(graph.n_edges, dtype=np.bool_)
    directed = sp.csr_array((ones, graph.indices, graph.indptr), shape=shape)
    either = sp.csr_array(directed + directed.T + sp.eye_array(n, dtype=np.bool_, format="csr"))
    either.sort_indices()
    return Lists(either.indptr.astype(np.int64), either.indices.astype(np.int32))


def lists_of(lists: Lists, samples: IntVector) -> tuple[Lists, AnyArray]:
    """Copy the lists of some samples; return them and where each of their entries was."""
    counts = lists.indptr[samples + 1] - lists.indptr[samples]
    indptr: OffsetVector = np.zeros(samples.size + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    places = np.arange(indptr[-1]) + np.repeat(lists.indptr[samples] - indptr[:-1], counts)
    return Lists(indptr, lists.indices[places]), places
