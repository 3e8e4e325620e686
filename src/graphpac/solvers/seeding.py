"""First hard labels: each sample takes the label of the nearest of a few well-spread seeds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._costs import NANOSECOND, Cost, fullest
from graphpac._threads import Workers, map_in_threads
from graphpac._typing import AnyArray, FloatMatrix, IntVector
from graphpac.graph import NeighborGraph
from graphpac.graph.data_size import DataSize
from graphpac.graph.lists import either_direction
from graphpac.kernels.row_averages import average_lists
from graphpac.kernels.seeding import lower_hop_distances
from graphpac.solvers.memberships import members_of
from graphpac.solvers.plus_plus import MOST_FEATURES, plus_plus

SAMPLED_ROWS = 10_000  # seeds are drawn among so many rows,
SAMPLED_ROWS_PER_CLUSTER = 100  # or so many for each cluster if that is more
SEEDS_AT_ONCE = 500  # k-means++ takes time in proportion to seeds times rows: more are drawn
SEEDS_PER_GROUP = 125  # in groups of rows, about so many in each
SMOOTHING_STEPS = 8
SMOOTHING_FEATURES = 32  # more features are projected to so many: seeds need no finer distances
DRAWS = 4  # k-means on smoothed rows: the best of so many draws of seeds, fewer
DRAWN_SEEDS = 400  # where they would be more than this together: many seeds fall alike every time,
LLOYD_STEPS = 10  # after so many steps each
_BLOCK_ROWS = 8192
_BLOCK_SCORES = 1 << 20


def seed_labels(rows: Any, n_clusters: int, rng: np.random.Generator, n_jobs: int) -> IntVector:
    """Draw seeds with k-means++; no step of k-means follows. The start of the paper's code."""
    return nearest_seeds(rows, plus_plus_seeds(rows, n_clusters, rng, n_jobs), n_jobs)


def smoothed_seed_labels(
    rows: Any, graph: NeighborGraph, n_clusters: int, rng: np.random.Generator, n_jobs: int
) -> IntVector:
    """Run a few steps of k-means on rows averaged over the graph.

    Averaging draws the samples of a class together, so that seeds rarely share one. The start
    decides which optimum the solver finds: runs on USPS differ less from this one than from
    `seed_labels` (standard deviation of NMI .003 instead of .007 over twenty seeds), those on
    Pendigits more, and means do not differ. Rows of few features make it the cheaper one.
    """
    smoothed = _smoothed_rows(rows, graph, rng, n_jobs)
    sample = _sample_rows(smoothed, n_clusters, rng)
    n_draws = count_draws(n_clusters)
    if n_draws == 1:
        seeds = improve_seeds(sample, _draw_seeds(sample, n_clusters, rng, n_jobs), n_jobs)
        return nearest_seeds(smoothed, seeds, n_jobs)
    # Several draws are of few seeds, and each takes one number: they are made side by side.
    numbers = [int(rng.integers(2**31 - 1)) for _ in range(n_draws)]
    n_each = max(1, n_jobs // n_draws)

    def draw(number: int) -> tuple[float, FloatMatrix]:
        seeds = improve_seeds(sample, plus_plus(sample, n_clusters, number), n_each)
        return _potential(sample, seeds, n_each), seeds

    _, best = min(map_in_threads(draw, numbers, n_jobs), key=lambda drawn: drawn[0])
    return nearest_seeds(smoothed, best, n_jobs)


def plus_plus_seeds(
    rows: Any, n_clusters: int, rng: np.random.Generator, n_jobs: int
) -> FloatMatrix:
    """Draw seeds with k-means++ among a sample of the rows; they are rows themselves."""
    return _draw_seeds(_sample_rows(rows, n_clusters, rng), n_clusters, rng, n_jobs)


def k_means_seeds(rows: Any, n_clusters: int, rng: np.random.Generator, n_jobs: int) -> FloatMatrix:
    """Draw seeds with k-means++ and move them by a few steps of k-means, on a sample of rows."""
    sample = _sample_rows(rows, n_clusters, rng)
    return improve_seeds(sample, _draw_seeds(sample, n_clusters, rng, n_jobs), n_jobs)


def random_seeds(
    rows: Any,
    n_clusters: int,
    rng: np.random.Generator,
    n_jobs: int,  # noqa: ARG001
) -> FloatMatrix:
    """Draw any rows, none twice."""
    drawn = rows[np.sort(rng.choice(rows.shape[0], n_clusters, replace=False))]
    return np.asarray(drawn.toarray() if sp.issparse(drawn) else drawn)


def count_sampled(n_samples: int, n_clusters: int) -> int:
    """Count the rows among which seeds are drawn."""
    return min(n_samples, max(SAMPLED_ROWS, SAMPLED_ROWS_PER_CLUSTER * n_clusters))


def count_draws(n_clusters: int) -> int:
    """Count the draws of seeds of which the best is taken."""
    return max(1, min(DRAWS, DRAWN_SEEDS // n_clusters))


def seeding_cost(size: DataSize, n_clusters: int, n_jobs: int) -> Cost:
    """Tell what it takes to draw seeds with k-means++ and to find the nearest of every row."""
    n, width = size.n_samples, size.n_features
    sample = 10.0 * count_sampled(n, n_clusters) * width  # a copy, and what k-means++ makes of it
    work = _drawing(n, width, n_clusters) + _assigning(width, n_clusters)
    return Cost({"sample": sample}, n * work / n_jobs * NANOSECOND)


def smoothed_seeding_cost(
    size: DataSize, n_clusters: int, n_within_hop: float, n_jobs: int
) -> Cost:
    """Tell what it takes to average rows over those within one hop, and to run k-means on them."""
    n, width = size.n_samples, min(size.n_features, SMOOTHING_FEATURES)
    n_sampled = count_sampled(n, n_clusters)
    smoothed = 4.0 * n * width
    n_drawing = min(n_jobs, count_draws(n_clusters))
    drawing = 8.0 * width + 16.0 * (2 + math.log(n_clusters))  # float64 rows, distances to seeds
    memory = fullest(
        {"one hop": n * (24 + 16.0 * n_within_hop)},
        {"smoothed rows": 2 * smoothed, "one hop": n * (8 + 4.0 * n_within_hop)},
        {"smoothed rows": smoothed, "sample": n_sampled * (4.0 * width + n_drawing * drawing)},
    )
    assigning = _assigning(width, n_clusters)
    improving = assigning * n_sampled / n * (LLOYD_STEPS + 1)
    drawn = count_draws(n_clusters) * (_drawing(n, width, n_clusters) + improving)
    projecting = 0.1 * width * size.n_entries / n
    averaging = 500 + 16 * SMOOTHING_STEPS * n_within_hop
    work = projecting + averaging + drawn + assigning
    return Cost(memory, n * work / n_jobs * NANOSECOND)


def hop_seeding_cost(n_samples: int, n_clusters: int, n_within_hop: float) -> Cost:
    """Tell what it takes to draw seeds some hops apart, on one thread."""
    one_hop = 4 * n_samples * (8 + 4.0 * n_within_hop)  # as it is made
    seconds = 5.0 * n_samples * n_clusters * n_within_hop * NANOSECOND
    return Cost({"one hop": one_hop, "distances": 40.0 * n_samples}, seconds)


def _drawing(n_samples: int, width: int, n_clusters: int) -> float:
    """Nanoseconds a sample of all to draw seeds: k-means++ tries 2 + log(c) rows for each."""
    n_at_once = n_clusters if n_clusters <= SEEDS_AT_ONCE else SEEDS_PER_GROUP
    n_tried = n_at_once * (2 + math.log(n_at_once))
    each = 0.13 if width <= MOST_FEATURES else 0.3
    return each * width * count_sampled(n_samples, n_clusters) / n_samples * n_tried


def _assigning(width: int, n_clusters: int) -> float:
    """Nanoseconds to find the nearest seed of a row."""
    return 0.06 * width * n_clusters


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
    n_sampled = count_sampled(n_samples, n_clusters)
    if n_sampled == n_samples:
        return rows
    return rows[np.sort(rng.choice(n_samples, n_sampled, replace=False))]


def _draw_seeds(sample: Any, n_clusters: int, rng: np.random.Generator, n_jobs: int) -> FloatMatrix:
    """Draw seeds with k-means++, where they are many in groups of rows and in proportion."""
    if n_clusters <= SEEDS_AT_ONCE:
        return _plus_plus(sample, n_clusters, rng)
    groups = nearest_seeds(sample, _plus_plus(sample, n_clusters // SEEDS_PER_GROUP, rng), n_jobs)
    ends = np.cumsum(np.bincount(groups))
    counts = np.diff(ends * n_clusters // ends[-1], prepend=0)
    drawn = [
        _plus_plus(sample[groups == group], count, rng)
        for group, count in enumerate(counts.tolist())
        if count > 0
    ]
    return np.concatenate(drawn)


def _plus_plus(sample: Any, n_clusters: int, rng: np.random.Generator) -> FloatMatrix:
    return plus_plus(sample, n_clusters, int(rng.integers(2**31 - 1)))


def improve_seeds(rows: Any, seeds: FloatMatrix, n_jobs: int) -> FloatMatrix:
    """Move every seed to the mean of the rows nearest to it, a few times; idle seeds stay."""
    for _ in range(LLOYD_STEPS):
        labels = nearest_seeds(rows, seeds, n_jobs)
        counts = np.bincount(labels, minlength=seeds.shape[0])
        sums = members_of(labels, seeds.shape[0]) @ rows
        means = (sums.toarray() if sp.issparse(sums) else sums) / np.maximum(counts, 1)[:, None]
        seeds = np.where(counts[:, None] > 0, means, seeds).astype(np.float32)
    return seeds


def _potential(rows: FloatMatrix, seeds: FloatMatrix, n_jobs: int) -> float:
    """Sum of squared distances to the nearest seed, but for a constant and a factor."""
    blocks = _closest(rows, seeds, n_jobs, lambda scores: scores.max(axis=1))
    return -float(np.sum(blocks, dtype=np.float64))


def nearest_seeds(rows: Any, seeds: FloatMatrix, n_jobs: int) -> IntVector:
    """Find the nearest seed of every row."""
    return _closest(rows, seeds, n_jobs, lambda scores: scores.argmax(axis=1).astype(np.int32))


def _closest(
    rows: Any, seeds: FloatMatrix, n_jobs: int, pick: Callable[[FloatMatrix], AnyArray]
) -> AnyArray:
    """Pick something of the closeness of every row to the seeds, a block of rows at a time.

    Closeness is half the squared length of a row minus half its squared distance to each seed.
    """
    half_squares = 0.5 * np.einsum("ij,ij->i", seeds, seeds, dtype=np.float64)
    offsets = half_squares.astype(np.float32)
    step = max(1, min(_BLOCK_ROWS, _BLOCK_SCORES // seeds.shape[0]))

    def pick_block(first: int) -> AnyArray:
        scores = np.asarray(rows[first : first + step] @ seeds.T)
        scores -= offsets
        return pick(scores)

    return np.concatenate(map_in_threads(pick_block, range(0, rows.shape[0], step), n_jobs))


def _smoothed_rows(
    rows: Any, graph: NeighborGraph, rng: np.random.Generator, n_jobs: int
) -> FloatMatrix:
    """Replace every row, a few times over, by the mean of itself and the rows one hop away."""
    n_samples, n_features = rows.shape
    starts = range(0, n_samples, _BLOCK_ROWS)
    lists = either_direction(graph)
    with Workers(n_jobs) as workers:
        smoothed: FloatMatrix
        if n_features > SMOOTHING_FEATURES:
            directions = rng.standard_normal((n_features, SMOOTHING_FEATURES), dtype=np.float32)

            def project_block(first: int) -> FloatMatrix:
                return np.asarray(rows[first : first + _BLOCK_ROWS] @ directions, dtype=np.float32)

            smoothed = np.concatenate(workers.map(project_block, starts))
        else:
            smoothed = rows.toarray() if sp.issparse(rows) else rows.copy()
        averages = np.empty_like(smoothed)

        def average_block(first: int) -> None:
            average_lists(*lists, smoothed, first, averages[first : first + _BLOCK_ROWS])

        for _ in range(SMOOTHING_STEPS):
            workers.map(average_block, starts)
            smoothed, averages = averages, smoothed
    return smoothed
