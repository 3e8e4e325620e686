"""First hard labels: each sample takes the label of the nearest of a few well-spread seeds."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._threads import Workers, map_in_threads
from graphpac._typing import AnyArray, FloatMatrix, IntVector
from graphpac.graph import NeighborGraph
from graphpac.graph.hops import either_direction
from graphpac.kernels.seeding import lower_hop_distances

SAMPLED_ROWS = 10_000  # seeds are drawn among so many rows,
SAMPLED_ROWS_PER_CLUSTER = 100  # or so many for each cluster if that is more
SMOOTHING_STEPS = 8
SMOOTHING_FEATURES = 32  # more features are projected to so many: seeds need no finer distances
DRAWS = 4  # k-means on smoothed rows: the best of so many draws of seeds,
LLOYD_STEPS = 10  # after so many steps each
_BLOCK_ROWS = 8192


def seed_labels(rows: Any, n_clusters: int, rng: np.random.Generator, n_jobs: int) -> IntVector:
    """Draw seeds with k-means++; no step of k-means follows. The start of the paper's code."""
    seeds = _draw_seeds(_sample_rows(rows, n_clusters, rng), n_clusters, rng)
    return _nearest(rows, seeds, n_jobs)


def smoothed_seed_labels(
    rows: Any, graph: NeighborGraph, n_clusters: int, rng: np.random.Generator, n_jobs: int
) -> IntVector:
    """Run a few steps of k-means on rows averaged over the graph.

    Averaging draws the samples of a class together, so that seeds rarely share one. The start
    decides which optimum the solver finds: with it, no run of twenty on USPS and of sixteen on
    Pendigits ended in a bad one, where one in six did from `seed_labels`.
    """
    smoothed = _smoothed_rows(rows, graph, rng, n_jobs)
    sample = _sample_rows(smoothed, n_clusters, rng)
    draws = [_improve(sample, _draw_seeds(sample, n_clusters, rng)) for _ in range(DRAWS)]
    return _nearest(smoothed, min(draws, key=partial(_potential, sample)), n_jobs)


def hop_seed_labels(graph: NeighborGraph, n_clusters: int, rng: np.random.Generator) -> IntVector:
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


def _sample_rows(rows: Any, n_clusters: int, rng: np.random.Generator) -> Any:
    n_samples = rows.shape[0]
    n_sampled = max(SAMPLED_ROWS, SAMPLED_ROWS_PER_CLUSTER * n_clusters)
    if n_sampled >= n_samples:
        return rows
    return rows[np.sort(rng.choice(n_samples, n_sampled, replace=False))]


def _draw_seeds(sample: Any, n_clusters: int, rng: np.random.Generator) -> FloatMatrix:
    from sklearn.cluster import kmeans_plusplus

    seeds, _ = kmeans_plusplus(sample, n_clusters, random_state=int(rng.integers(2**31 - 1)))
    return np.asarray(seeds.toarray() if sp.issparse(seeds) else seeds)


def _closeness(rows: Any, seeds: FloatMatrix) -> FloatMatrix:
    """Half the squared length of a row minus half its squared distance to each seed."""
    half_squares = 0.5 * np.einsum("ij,ij->i", seeds, seeds, dtype=np.float64)
    return np.asarray(rows @ seeds.T - half_squares.astype(np.float32))


def _potential(rows: FloatMatrix, seeds: FloatMatrix) -> float:
    """Sum of squared distances to the nearest seed, but for a constant and a factor."""
    return -float(_closeness(rows, seeds).max(axis=1).sum(dtype=np.float64))


def _improve(rows: FloatMatrix, seeds: FloatMatrix) -> FloatMatrix:
    """Move every seed to the mean of the rows nearest to it, a few times; idle seeds stay."""
    for _ in range(LLOYD_STEPS):
        labels = _closeness(rows, seeds).argmax(axis=1)
        counts = np.bincount(labels, minlength=seeds.shape[0])
        members = sp.csr_matrix((np.ones(labels.size), (labels, np.arange(labels.size))))
        members.resize(seeds.shape[0], labels.size)
        means = (members @ rows) / np.maximum(counts, 1)[:, None]
        seeds = np.where(counts[:, None] > 0, means, seeds).astype(np.float32)
    return seeds


def _nearest(rows: Any, seeds: FloatMatrix, n_jobs: int) -> IntVector:
    """Find the nearest seed of every row."""

    def label_block(first: int) -> AnyArray:
        labels: AnyArray = _closeness(rows[first : first + _BLOCK_ROWS], seeds).argmax(axis=1)
        return labels

    blocks = map_in_threads(label_block, range(0, rows.shape[0], _BLOCK_ROWS), n_jobs)
    return np.concatenate(blocks).astype(np.int32)


def _smoothed_rows(
    rows: Any, graph: NeighborGraph, rng: np.random.Generator, n_jobs: int
) -> FloatMatrix:
    """Replace every row, a few times over, by the mean of itself and the rows one hop away."""
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
