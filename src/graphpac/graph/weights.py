"""From distances to the weights of the local average: each row of weights sums to one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import (
    AnyArray,
    FloatMatrix,
    FloatVector,
    GraphKind,
    IntVector,
    LocalKernel,
    OffsetVector,
)
from graphpac.graph.copies import merge_copies
from graphpac.graph.neighbor_graph import NeighborGraph

AUTHORS_WIDTH = 0.1
PAPER_SIGMA = 0.05

_CHUNK_ROWS = 1 << 16  # bounds the float64 intermediates, whatever the size of the graph
KERNELS: dict[GraphKind, tuple[LocalKernel, ...]] = {
    "cosine": ("auto", "authors", "gaussian", "uniform"),
    "euclidean": ("auto", "gaussian", "uniform"),
    "inner_product": ("auto", "uniform"),
    "similarity": ("auto", "uniform"),
}


class WeightedRows(NamedTuple):
    """A graph with weights in place of distances; the weights of a row sum to one."""

    indptr: OffsetVector
    indices: IntVector
    weights: FloatVector


def local_scale(graph: NeighborGraph) -> float:
    """Mean squared distance of neighbors: the width of the Euclidean kernel, no other reads it.

    Under "cosine" it is that of rows of length one. Products and similarities are no distances, and
    where all distances are zero any width gives equal weights: both have scale 1.0. Copies of a
    sample are no neighbors here, and count once.
    """
    graph, _ = merge_copies(graph)
    if graph.kind not in {"euclidean", "cosine"} or graph.n_edges == 0:
        return 1.0
    if graph.kind == "cosine":
        mean_square = 2.0 * float(np.mean(graph.values, dtype=np.float64))
    else:
        mean_square = float(np.mean(np.square(graph.values, dtype=np.float64)))
    return mean_square if mean_square > 0.0 else 1.0


def local_weights(graph: NeighborGraph, kernel: LocalKernel = "auto") -> FloatVector:
    """Weight of every edge in the average over a sample's neighbors; those of a sample sum to one.

    "auto" depends on the kind of the graph. Cosine: "authors", exp(-(2 - s)^2 / 0.1) with s the
    cosine, as in the code the method's authors released. Euclidean: "gaussian", exp(-d^2 / (2 s^2))
    with s^2 the mean squared neighbor distance. Inner product: softmax over the products of a row.
    Similarity: the values as they are. "gaussian" on a cosine graph is the kernel of the paper's
    text, exp(-d^2 / (2 * 0.05)), with d the distance of unit rows. "uniform": equal weights.
    """
    scale = local_scale(graph)
    weights = np.empty(graph.n_edges, dtype=np.float32)
    for start in range(0, graph.n_samples, _CHUNK_ROWS):
        ends = graph.indptr[start : start + _CHUNK_ROWS + 1]
        edges = slice(int(ends[0]), int(ends[-1]))
        logs = _log_weights(graph.values[edges], graph.kind, kernel, scale)
        weights[edges] = _softmax_rows(logs, ends - ends[0])
    return weights


def query_weights(
    values: FloatMatrix, kind: GraphKind, scale: float, kernel: LocalKernel = "auto"
) -> FloatMatrix:
    """Weights of the neighbors of new samples, by the formulas of `local_weights`.

    ``scale`` is the `local_scale` of the graph they were found in. A missing neighbor is infinitely
    far: inf for distances, -inf for products, 0 for similarities. Rows sum to one; a row without
    any neighbor is zero.
    """
    logs = _log_weights(values, kind, kernel, scale)
    logs[~np.isfinite(values)] = -np.inf
    peaks = logs.max(axis=1, keepdims=True, initial=-np.inf)
    shares = np.exp(logs - np.where(np.isfinite(peaks), peaks, 0.0))
    totals = shares.sum(axis=1, keepdims=True)
    weights: FloatMatrix = (shares / np.where(totals > 0.0, totals, 1.0)).astype(np.float32)
    return weights


def symmetrize(graph: NeighborGraph, kernel: LocalKernel = "auto") -> WeightedRows:
    """Weights of the symmetric graph W = max(W, W^T): neighbors in either direction count.

    The maximum is taken before rows are normalized, so both ends of an edge begin from one weight.
    """
    logs = _log_weights(graph.values, graph.kind, kernel, local_scale(graph))
    here = np.repeat(np.arange(graph.n_samples, dtype=np.int32), graph.degrees)
    sources = np.concatenate((here, graph.indices))
    targets = np.concatenate((graph.indices, here))
    logs = np.concatenate((logs, logs))
    order = np.lexsort((-logs, targets, sources))
    sources, targets, logs = sources[order], targets[order], logs[order]
    if order.size:
        first = np.concatenate(([True], (np.diff(sources) != 0) | (np.diff(targets) != 0)))
        sources, targets, logs = sources[first], targets[first], logs[first]
    indptr = np.zeros(graph.n_samples + 1, dtype=np.int64)
    np.cumsum(np.bincount(sources, minlength=graph.n_samples), out=indptr[1:])
    return WeightedRows(indptr, targets, _softmax_rows(logs, indptr).astype(np.float32))


def _log_weights(values: AnyArray, kind: GraphKind, kernel: LocalKernel, scale: float) -> AnyArray:
    """Logarithms of the weights before normalization, in float64."""
    if kernel not in KERNELS[kind]:
        allowed = ", ".join(KERNELS[kind])
        msg = f"kernel={kernel!r} has no meaning for {kind} values: use one of {allowed}."
        raise ValueError(msg)
    exact = values.astype(np.float64)
    if kernel == "uniform":
        return np.zeros_like(exact)
    if kind == "cosine":
        if kernel == "gaussian":
            return -exact / PAPER_SIGMA  # d^2 = 2 (1 - s) for unit rows, so d^2 / (2 sigma)
        return -np.square(1.0 + exact) / AUTHORS_WIDTH  # 2 - s = 1 + (1 - s)
    if kind == "euclidean":
        return -np.square(exact) / (2.0 * scale)
    if kind == "inner_product":
        return exact
    with np.errstate(divide="ignore"):  # similarity 0 stands for a missing neighbor
        return np.log(exact)


def _softmax_rows(logs: AnyArray, indptr: OffsetVector) -> AnyArray:
    """Normalize exp(logs) over each row, subtracting the row's maximum first."""
    counts = np.diff(indptr)
    filled = counts > 0
    if not filled.any():
        return np.zeros_like(logs)
    starts = indptr[:-1][filled]
    shares: AnyArray = np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), counts[filled]))
    shares /= np.repeat(np.add.reduceat(shares, starts), counts[filled])
    return shares
