"""Lists of samples, one for each sample, end to end in one array."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import AnyArray, FloatVector, IntVector, OffsetVector
from graphpac.graph.neighbor_graph import NeighborGraph
from graphpac.kernels.symmetric_lists import join_lists, turn_lists


class Lists(NamedTuple):
    """List i is ``indices[indptr[i]:indptr[i + 1]]``."""

    indptr: OffsetVector
    indices: IntVector


def either_direction(graph: NeighborGraph) -> Lists:
    """List the samples one hop away, neighbors in either direction, and each sample itself."""
    no_values: FloatVector = np.empty(0, dtype=np.float32)
    lists, _ = symmetric_lists(graph, no_values, with_self=True)
    return lists


def symmetric_lists(
    graph: NeighborGraph, values: FloatVector, *, with_self: bool
) -> tuple[Lists, FloatVector]:
    """List the neighbors in either direction, in order, with the larger of both values if any."""
    n = graph.n_samples
    turned = _turned(Lists(graph.indptr, graph.indices), values)
    ordered = _turned(*turned)
    most = 2 * graph.n_edges + with_self * n
    indptr: OffsetVector = np.zeros(n + 1, dtype=np.int64)
    indices: IntVector = np.empty(most, dtype=np.int32)
    joined: FloatVector = np.empty(most if values.size else 0, dtype=np.float32)
    join_lists(*ordered[0], ordered[1], *turned[0], turned[1], with_self, indptr, indices, joined)
    n_listed = int(indptr[-1])
    return Lists(indptr, indices[:n_listed].copy()), joined[:n_listed].copy()


def _turned(lists: Lists, values: FloatVector) -> tuple[Lists, FloatVector]:
    out = Lists(np.zeros_like(lists.indptr), np.empty_like(lists.indices))
    out_values = np.empty_like(values)
    turn_lists(*lists, values, *out, out_values)
    for array in out:
        array.flags.writeable = False  # as those of a graph: kernels are compiled once for both
    return out, out_values


def lists_of(lists: Lists, samples: IntVector) -> tuple[Lists, AnyArray]:
    """Copy the lists of some samples; return them and where each of their entries was."""
    counts = lists.indptr[samples + 1] - lists.indptr[samples]
    indptr: OffsetVector = np.zeros(samples.size + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    places = np.arange(indptr[-1]) + np.repeat(lists.indptr[samples] - indptr[:-1], counts)
    return Lists(indptr, lists.indices[places]), places
