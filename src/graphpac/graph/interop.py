"""Neighbor graphs from the objects of other libraries; none of them is imported here."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, Metric
from graphpac.graph.neighbor_graph import NeighborGraph


def as_neighbor_graph(source: Any, *, metric: Metric = "euclidean") -> NeighborGraph:
    """Turn whatever stands for a neighbor graph into one.

    Parameters
    ----------
    source : NeighborGraph, tuple, networkx graph, igraph graph or AnnData
        A tuple is the pair ``(indices, distances)``. A sparse matrix is refused: say what its
        entries are with `NeighborGraph.from_distances` or `NeighborGraph.from_similarities`.
    metric : {"cosine", "euclidean", "inner_product"}
        What the distances of a pair are; the other kinds of source say so themselves.
    """
    if isinstance(source, NeighborGraph):
        return source
    if isinstance(source, tuple) and len(source) == 2:
        return NeighborGraph.from_neighbors(*source, metric=metric)
    if hasattr(source, "obsp"):
        return NeighborGraph.from_anndata(source)
    if hasattr(source, "adjacency") and hasattr(source, "nodes"):
        return NeighborGraph.from_networkx(source)
    if hasattr(source, "get_edgelist") and hasattr(source, "vcount"):
        return NeighborGraph.from_igraph(source)
    if hasattr(source, "tocsr"):
        msg = (
            "a sparse matrix may hold distances or similarities: pass "
            "NeighborGraph.from_distances(matrix) or NeighborGraph.from_similarities(matrix)."
        )
        raise ValueError(msg)
    msg = (
        f"a graph of type {type(source).__name__} is not known: pass a NeighborGraph, a pair "
        "(indices, distances), a networkx or igraph graph, or an AnnData object."
    )
    raise ValueError(msg)


def from_networkx(graph: Any, *, weight: str | None) -> NeighborGraph:
    """See `NeighborGraph.from_networkx`."""
    number = {node: place for place, node in enumerate(graph.nodes())}
    edges = [
        (number[a], number[b], 1.0 if weight is None else data.get(weight, 1.0))
        for a, b, data in graph.edges(data=True)
    ]
    return _from_weighted_edges(edges, len(number), directed=graph.is_directed())


def from_igraph(graph: Any, *, weights: str | None) -> NeighborGraph:
    """See `NeighborGraph.from_igraph`."""
    known = weights is not None and weights in graph.es.attributes()
    strengths = graph.es[weights] if known else [1.0] * graph.ecount()
    edges = [(a, b, w) for (a, b), w in zip(graph.get_edgelist(), strengths, strict=True)]
    return _from_weighted_edges(edges, graph.vcount(), directed=graph.is_directed())


def from_anndata(data: Any, *, neighbors_key: str | None, obsp: str | None) -> NeighborGraph:
    """See `NeighborGraph.from_anndata`."""
    if neighbors_key is not None and neighbors_key not in data.uns:
        msg = (
            f"the AnnData object has no uns[{neighbors_key!r}]: run scanpy.pp.neighbors with "
            f"key_added={neighbors_key!r} first, or leave neighbors_key out."
        )
        raise ValueError(msg)
    entry = data.uns.get(neighbors_key or "neighbors", {})
    name = obsp or entry.get("distances_key", "distances")
    if name not in data.obsp:
        there = ", ".join(sorted(data.obsp.keys())) or "nothing"
        msg = (
            f"the AnnData object has no obsp[{name!r}] (obsp holds {there}): run "
            "scanpy.pp.neighbors first, or name the entry with obsp=."
        )
        raise ValueError(msg)
    matrix = data.obsp[name]
    if name.endswith("connectivities"):
        return NeighborGraph.from_similarities(matrix)
    cosine = entry.get("params", {}).get("metric") == "cosine"
    return NeighborGraph.from_distances(matrix, metric="cosine" if cosine else "euclidean")


def _from_weighted_edges(
    edges: list[tuple[int, int, float]], n_samples: int, *, directed: bool
) -> NeighborGraph:
    table: AnyArray = np.array(edges, dtype=np.float64).reshape(-1, 3)
    ends = table[:, :2].astype(np.int64)
    sources, targets = ends[:, 0], ends[:, 1]
    values = table[:, 2]
    if not directed:
        sources, targets = np.concatenate((sources, targets)), np.concatenate((targets, sources))
        values = np.concatenate((values, values))
    matrix = sp.csr_matrix((values, (sources, targets)), shape=(n_samples, n_samples))
    return NeighborGraph.from_similarities(matrix)


def square_entries(matrix: Any, method: str) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return rows, columns and values of a sparse matrix, given to a method of that name."""
    if not sp.issparse(matrix):
        msg = f"{method} needs a scipy sparse matrix, got {type(matrix).__name__}."
        raise ValueError(msg)
    if matrix.shape[0] != matrix.shape[1]:
        msg = f"{method} needs a square matrix (n_samples, n_samples), got shape {matrix.shape}."
        raise ValueError(msg)
    if matrix.dtype.kind not in "buif":
        msg = f"{method} needs real numbers, got {matrix.dtype}."
        raise ValueError(msg)
    csr = sp.csr_matrix(matrix)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    rows = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
    return rows, csr.indices, csr.data
