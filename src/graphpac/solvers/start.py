"""The first hard labels V and memberships P."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from graphpac._threads import Workers, map_in_threads
from graphpac._typing import AnyArray, FloatMatrix, IntVector
from graphpac.graph import NeighborGraph
from graphpac.graph.hops import either_direction
from graphpac.kernels.seeding import lower_hop_distances

NamedStart: TypeAlias = Literal["smoothed", "k-means++", "random", "zeros"]

SEEDING_ROWS = 10_000  # seeds are drawn from a sample of so many rows, or this many for a cluster:
SEEDING_ROWS_PER_CLUSTER = 100
SMOOTHING_STEPS = 8
SMOOTHING_FEATURES = 32  # more features are projected to so many: seeds need no finer distances
_BLOCK_ROWS = 8192


@dataclass(frozen=True, slots=True)
class Start:
    """Hard labels, -1 for none, and memberships, None for the uniform 1/c of Eq. 43."""

    hard_labels: IntVector
    memberships: sp.csr_matrix | None = None


def make_start(
    init: NamedStart | AnyArray | sp.csr_matrix,
    n_clusters: int,
    *,
    rows: Any,
    graph: NeighborGraph,
    rng: np.random.Generator,
    n_jobs: int = 1,
) -> Start:
    """Make a start from its name, from labels or from memberships, already checked.

    Parameters
    ----------
    init : str, int array of shape (n_samples,) or CSR matrix of shape (n_samples, n_clusters)
        "k-means++": nearest of the seeds of k-means++, as published. "smoothed": the same among
        rows that were averaged over the graph, which starts fewer runs off on a bad track.
        "random": any cluster. "zeros": no hard labels. Labels: as given. Memberships: as given,
        with their largest entry as hard label.
    rows : float32 array, CSR matrix or None
        Prepared samples; None when only the graph is known, and seeds then lie hops apart.
    """
    if sp.issparse(init):
        memberships = sp.csr_matrix(init, dtype=np.float32)
        largest = np.asarray(memberships.argmax(axis=1)).ravel()
        return Start(largest.astype(np.int32), memberships)
    if not isinstance(init, str):
        return Start(np.asarray(init, dtype=np.int32))
    n_samples = graph.n_samples
    if init == "zeros":
        return Start(np.full(n_samples, -1, dtype=np.int32))
    if init == "random":
        return Start(rng.integers(n_clusters, size=n_samples, dtype=np.int32))
    if rows is None:
        return Start(_hop_seed_labels(graph, n_clusters, rng))
    if init == "smoothed":
        rows = _smoothed_rows(rows, graph, rng, n_jobs)
    return Start(_seed_labels(rows, n_clusters, rng, n_jobs))


def _smoothed_rows(
    rows: Any, graph: NeighborGraph, rng: np.random.Generator, n_jobs: int
) -> FloatMatrix:
    """Replace every row, a few times over, by the mean of the rows one hop away and itself."""
    n_samples, n_features = rows.shape
    smoothed: FloatMatrix
    if n_features > SMOOTHING_FEATURES:
        directions = rng.standard_normal((n_features, SMOOTHING_FEATURES), dtype=np.float32)
        smoothed = np.asarray(rows @ directions, dtype=np.float32)
    else:
        smoothed = rows.toarray() if sp.issparse(rows) else rows
    indptr, indices = either_direction(graph)
    counts = np.diff(indptr)
    shares = np.repeat(1.0 / counts, counts).astype(np.float32)
    averages = sp.csr_matrix((shares, indices, indptr), (n_samples, n_samples))
    blocks = [averages[first : first + _BLOCK_ROWS] for first in range(0, n_samples, _BLOCK_ROWS)]
    with Workers(n_jobs) as workers:
        for _ in range(SMOOTHING_STEPS):
            smoothed = np.concatenate(workers.map(partial(_product, smoothed), blocks))
    return smoothed


def _product(right: FloatMatrix, left: sp.csr_matrix) -> FloatMatrix:
    return np.asarray(left @ right)


def _seed_labels(rows: Any, n_clusters: int, rng: np.random.Generator, n_jobs: int) -> IntVector:
    """Label of the nearest of the seeds that k-means++ draws; no iteration of k-means follows."""
    from sklearn.cluster import kmeans_plusplus

    n_samples = rows.shape[0]
    n_sampled = max(SEEDING_ROWS, SEEDING_ROWS_PER_CLUSTER * n_clusters)
    sample = rows
    if n_sampled < n_samples:
        sample = rows[np.sort(rng.choice(n_samples, n_sampled, replace=False))]
    seeds, _ = kmeans_plusplus(sample, n_clusters, random_state=int(rng.integers(2**31 - 1)))
    seeds = np.asarray(seeds.toarray() if sp.issparse(seeds) else seeds)
    half_norms = 0.5 * np.einsum("ij,ij->i", seeds, seeds, dtype=np.float64).astype(np.float32)
    labels: IntVector = np.empty(n_samples, dtype=np.int32)

    def assign(first: int) -> None:
        block = rows[first : first + _BLOCK_ROWS]
        labels[first : first + _BLOCK_ROWS] = np.argmax(block @ seeds.T - half_norms, axis=1)

    map_in_threads(assign, range(0, n_samples, _BLOCK_ROWS), n_jobs)
    return labels


def _hop_seed_labels(graph: NeighborGraph, n_clusters: int, rng: np.random.Generator) -> IntVector:
    """k-means++ where distance is the number of hops; out of reach counts as one hop too many."""
    indptr, indices = either_direction(graph)
    n_samples = graph.n_samples
    unreached = np.iinfo(np.int32).max
    distances: IntVector = np.full(n_samples, unreached, dtype=np.int32)
    labels: IntVector = np.zeros(n_samples, dtype=np.int32)
    for label in range(n_clusters):
        reached = distances != unreached
        farthest = int(distances[reached].max(initial=0))
        squares = np.where(reached, distances, farthest + 1).astype(np.float64) ** 2
        total = squares.sum()
        seed = int(rng.choice(n_samples, p=squares / total if total > 0.0 else None))
        lower_hop_distances(indptr, indices, seed, label, distances, labels)
    return labels
