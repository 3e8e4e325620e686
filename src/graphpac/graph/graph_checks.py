"""What makes arrays a neighbor graph: offsets, sorted lists, values of their kind, copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphpac._typing import IntVector
from graphpac.kernels import neighbor_rows
from graphpac.kernels.neighbor_rows import find_fault

if TYPE_CHECKING:
    from graphpac.graph.neighbor_graph import NeighborGraph

LARGER_IS_NEARER = frozenset({"inner_product", "similarity"})

_LOWEST_VALUE = {"cosine": 0.0, "euclidean": 0.0, "inner_product": -np.inf, "similarity": 0.0}
_FAULTS = {
    neighbor_rows.OUT_OF_RANGE: "names a sample that does not exist",
    neighbor_rows.SELF_LOOP: "contains the sample itself",
    neighbor_rows.NOT_FINITE: "contains a value that is not a finite number",
    neighbor_rows.REPEATED: "names a neighbor twice",
    neighbor_rows.OUT_OF_ORDER: "is not sorted nearest first, equal values by sample number",
}


def check_graph(graph: NeighborGraph) -> None:
    """Raise ValueError unless the arrays of a graph are what its class describes."""
    _check_offsets(graph)
    _check_lists(graph)
    _check_values(graph)
    if graph.copy_of is not None:
        _check_copies(graph, graph.copy_of)


def _check_offsets(graph: NeighborGraph) -> None:
    ends = graph.indptr
    n_edges = graph.indices.size
    if (
        ends.size == 0
        or ends[0] != 0
        or ends[-1] != n_edges
        or graph.values.size != n_edges
        or np.any(np.diff(ends) < 0)
    ):
        msg = (
            f"indptr must rise from 0 to the number of edges, got {ends.size} offsets for "
            f"{n_edges} indices and {graph.values.size} values."
        )
        raise ValueError(msg)


def _check_lists(graph: NeighborGraph) -> None:
    row, fault = find_fault(
        graph.indptr, graph.indices, graph.values, graph.kind in LARGER_IS_NEARER
    )
    if fault != neighbor_rows.NO_FAULT:
        msg = f"the neighbor list of sample {row} {_FAULTS[fault]}."
        raise ValueError(msg)


def _check_values(graph: NeighborGraph) -> None:
    if graph.n_edges == 0:
        return
    lowest = float(graph.values.min())
    if lowest < _LOWEST_VALUE[graph.kind] or (graph.kind == "similarity" and lowest == 0.0):
        rule = "above 0" if graph.kind == "similarity" else "0 or more"
        msg = f"{graph.kind} values must be {rule}, the smallest given is {lowest:g}."
        raise ValueError(msg)
    if graph.kind == "cosine" and (highest := float(graph.values.max())) > 2.0:
        msg = f"cosine distances must be at most 2, the largest given is {highest:g}."
        raise ValueError(msg)


def _check_copies(graph: NeighborGraph, copy_of: IntVector) -> None:
    everyone = np.arange(graph.n_samples)
    if (
        copy_of.size != graph.n_samples
        or np.any((copy_of < 0) | (copy_of > everyone))
        or np.any(copy_of[copy_of] != copy_of)
    ):
        msg = "copy_of must name for each sample the first one that equals it."
        raise ValueError(msg)
    sources = np.repeat(everyone, graph.degrees)
    originals = copy_of[graph.indices]
    astray = (originals != graph.indices) & (originals != sources)
    if np.any(astray & (copy_of[sources] == sources)):
        msg = "copy_of makes a neighbor of a first sample a copy of yet another one."
        raise ValueError(msg)
