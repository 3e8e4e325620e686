"""Spherical k-means: unit prototypes, each the direction of the sum of its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Parts
from graphpac._threads import Workers
from graphpac._typing import AnyArray, IntVector
from graphpac.solvers.memberships import members_of
from graphpac.solvers.row_blocks import (
    blocks_memory,
    exact_block,
    map_blocks,
    squared_lengths,
    sum_blocks,
)


@dataclass(frozen=True)
class SphericalResult:
    """Labels, unit prototypes, and the sum of cosines to them after each iteration."""

    labels: IntVector
    prototypes: AnyArray
    history: tuple[float, ...]
    converged: bool


def solve_spherical_kmeans(
    rows: Any,
    prototypes: AnyArray,
    *,
    max_iter: int,
    tol: float,
    n_jobs: int,
    watch: Callable[[int, float], None] | None = None,
) -> SphericalResult:
    """Maximize sum_i x_i . q_{y_i} over labels y and unit prototypes q, neither ever lowers it.

    Parameters
    ----------
    rows : float32 array or CSR matrix
        Rows of length one, or zero: a row of zeros counts in no prototype.
    prototypes : array of shape (n_clusters, n_features)
        Where to start.
    max_iter, tol : int, float
        The search ends when no label changes, when the objective gains less than this share of
        itself, or after so many iterations.
    watch : callable, optional
        Called with the number and the objective of each iteration.
    """
    present = squared_lengths(rows) > 0.0
    history: list[float] = []
    labels: IntVector = np.full(rows.shape[0], -1, dtype=np.int32)
    converged = False
    with Workers(n_jobs) as workers:
        for iteration in range(1, max_iter + 1):
            before = labels
            labels, cosines = assign(rows, prototypes, workers)
            labels = _fill_empty(labels, cosines, present, prototypes.shape[0])
            prototypes = _prototypes(rows, labels, prototypes, workers)
            history.append(_objective(rows, labels, prototypes, workers))
            if watch is not None:
                watch(iteration, history[-1])
            gained_little = iteration > 1 and history[-1] - history[-2] <= tol * history[-1]
            if np.array_equal(labels, before) or gained_little:
                converged = True
                break
        # Labels and objective are those of the last prototypes, as they are for new rows.
        labels, _ = assign(rows, prototypes, workers)
        history[-1] = _objective(rows, labels, prototypes, workers)
    return SphericalResult(labels, prototypes, tuple(history), converged)


def assign(rows: Any, prototypes: AnyArray, workers: Workers) -> tuple[IntVector, AnyArray]:
    """Find the prototype of the largest cosine, the first of equals, and that cosine."""

    def assign_block(block: slice) -> tuple[AnyArray, AnyArray]:
        cosines = exact_block(rows, block) @ prototypes.T
        labels = cosines.argmax(axis=1)
        return labels.astype(np.int32), cosines[np.arange(labels.size), labels]

    found = map_blocks(assign_block, rows.shape[0], max(prototypes.shape), workers)
    return np.concatenate([part[0] for part in found]), np.concatenate([p[1] for p in found])


def _fill_empty(
    labels: IntVector, cosines: AnyArray, present: AnyArray, n_clusters: int
) -> IntVector:
    """Give a cluster without rows the row that fits its own worst, and would not leave one empty.

    The row alone in a cluster has cosine one there, so the objective does not fall.
    """
    sizes = np.bincount(labels[present], minlength=n_clusters)
    empty = np.flatnonzero(sizes == 0)
    if empty.size == 0:
        return labels
    labels = labels.copy()
    candidates = iter(np.lexsort((np.arange(labels.size), cosines)).tolist())
    for cluster in empty:
        for row in candidates:
            if present[row] and sizes[labels[row]] > 1:
                sizes[labels[row]] -= 1
                labels[row] = cluster
                break
    return labels


def _prototypes(rows: Any, labels: IntVector, before: AnyArray, workers: Workers) -> AnyArray:
    """q_l = the sum of the rows of cluster l, divided by its length; without one, as before."""
    n_clusters = before.shape[0]

    def sum_block(block: slice) -> AnyArray:
        sums = members_of(labels[block], n_clusters) @ exact_block(rows, block)
        return np.asarray(sums.toarray() if sp.issparse(sums) else sums)

    sums = sum_blocks(sum_block, rows.shape[0], max(before.shape), workers)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 0.0, sums / np.where(lengths > 0.0, lengths, 1.0), before)


def _objective(rows: Any, labels: IntVector, prototypes: AnyArray, workers: Workers) -> float:
    def add_block(block: slice) -> AnyArray:
        own = prototypes[labels[block]]
        chosen = exact_block(rows, block)
        products = chosen.multiply(own).sum() if sp.issparse(chosen) else np.vdot(chosen, own)
        return np.asarray(products)

    return float(sum_blocks(add_block, rows.shape[0], rows.shape[1], workers))


def spherical_kmeans_memory(n_rows: int, n_features: int, n_clusters: int, n_jobs: int) -> Parts:
    """Tell what `solve_spherical_kmeans` takes beside the rows."""
    widest = max(n_features, n_clusters)
    sums = blocks_memory(n_rows, widest, n_clusters * n_features, n_jobs, n_arrays=2)
    return {"labels": 24.0 * n_rows, **sums}
