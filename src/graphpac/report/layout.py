"""Coordinates in the plane for the samples of a neighbor graph, for drawing only."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from graphpac._costs import NANOSECOND, Cost
from graphpac._threads import Workers, resolve_n_jobs, single_threaded_blas
from graphpac._typing import AnyArray, FloatMatrix, IntVector, OffsetVector, Progress
from graphpac.graph import NeighborGraph
from graphpac.kernels.layout_sweep import Forces, move_samples
from graphpac.solvers.spectral import DEGREE, leading_eigenvectors

MOST_DRAWN = 100_000  # of more samples a part is laid out
N_ROUNDS = 300
_FORCES = Forces(
    n_strangers=20,
    push=10.0,
    gravity=5e-4,  # keeps parts of the graph that no edge connects on the same page
    momentum=0.8,
    fastest=2.0,
)
_START_SIZE = 2.0  # small, so that groups can pass each other on their way
# Waves are where samples start from, and everybody moves far from there: rough ones will do.
_N_WAVES = 2  # beside the first, which is the same everywhere
_SPARE_WAVES = 5
_WAVE_TOLERANCE = 3e-3
_FEWEST_WAVE_ROUNDS = 6
_ROUND_ENTRIES = 1 << 23  # graphs of fewer edges get more rounds
_FEWEST_FOR_WAVES = 4  # samples of a part; fewer are dropped anywhere
_BLOCK_SAMPLES = 2048


def lay_out_graph(
    graph: NeighborGraph,
    seed: int = 0,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FloatMatrix:
    """Place neighbors side by side and strangers apart, around zero and without unit.

    Every part of the graph starts on its slowest two waves (its spectral layout); then edges pull
    and random pairs push, as in t-SNE and its relatives. Edges count alike, in both directions. The
    result is the same for any number of threads; the progress is told each round.
    """
    rng = np.random.default_rng(seed)
    edges = both_directions(graph)
    n_threads = resolve_n_jobs(n_jobs)
    coordinates = spectral_coordinates(edges, rng, n_jobs=n_threads)
    speeds = np.zeros_like(coordinates)
    lists = edges.indptr.astype(np.int64), edges.indices.astype(np.int32)
    with Workers(n_threads) as workers:
        for done in range(N_ROUNDS):
            # Full steps for half of the rounds, then shorter ones, so that all come to rest.
            step = min(1.0, 2.0 * (1.0 - done / N_ROUNDS))
            coordinates = _move_all(
                lists, coordinates, speeds, int(rng.integers(2**62)), step, workers
            )
            if progress is not None:
                progress(done + 1, N_ROUNDS)
    centered: FloatMatrix = coordinates - coordinates.mean(axis=0)
    return centered


def _move_all(
    lists: tuple[OffsetVector, IntVector],
    coordinates: FloatMatrix,
    speeds: FloatMatrix,
    seed: int,
    step: float,
    workers: Workers,
) -> FloatMatrix:
    """Return where all samples go, and set their speeds."""
    out = np.empty_like(coordinates)

    def move_block(start: int) -> None:
        stop = min(start + _BLOCK_SAMPLES, len(coordinates))
        move_samples(*lists, coordinates, _FORCES, seed, step, (start, stop), speeds, out)

    workers.map(move_block, range(0, len(coordinates), _BLOCK_SAMPLES))
    return out


def both_directions(graph: NeighborGraph) -> sp.csr_array:
    """Return the edges of a graph with weight one, each in both directions."""
    shape = (graph.n_samples, graph.n_samples)
    directed = sp.csr_array((np.ones(graph.n_edges), graph.indices, graph.indptr), shape=shape)
    return sp.csr_array(directed.maximum(directed.T))


def spectral_coordinates(
    edges: sp.csr_array, rng: np.random.Generator, *, n_jobs: int
) -> FloatMatrix:
    """Lay every part of the graph out on its slowest two waves, and the parts side by side.

    Edges are symmetric, of ones. The generator moves every sample a little, so that no two have the
    same coordinates.
    """
    n_samples = edges.shape[0]
    n_parts, parts = connected_components(edges, directed=False)
    members = np.split(np.argsort(parts, kind="stable"), np.cumsum(np.bincount(parts))[:-1])
    corners, sides = _pack([part.size for part in members])
    coordinates = np.empty((n_samples, 2))
    for part, corner, side in zip(members, corners, sides, strict=True):
        inside = edges if n_parts == 1 else edges[part][:, part]
        coordinates[part] = corner + side * _waves(inside, rng, n_jobs=n_jobs)
    coordinates *= _START_SIZE / coordinates.max()
    coordinates += rng.normal(scale=_START_SIZE / 1000.0, size=coordinates.shape)
    return np.asarray(coordinates - coordinates.mean(axis=0), dtype=np.float32)


def _waves(edges: sp.csr_array, rng: np.random.Generator, *, n_jobs: int) -> AnyArray:
    """Return coordinates in the unit square for the samples of a graph in one part."""
    n_samples = edges.shape[0]
    if n_samples < _FEWEST_FOR_WAVES:
        return rng.random((n_samples, 2))
    roots = np.sqrt(edges.sum(axis=1))
    scales = sp.diags_array(1.0 / roots)
    with single_threaded_blas():
        spectrum = leading_eigenvectors(
            sp.csr_array(scales @ edges @ scales),
            1 + _N_WAVES,
            rng,
            n_jobs=n_jobs,
            n_spare=_SPARE_WAVES,
            tolerance=_WAVE_TOLERANCE,
            max_rounds=max(_FEWEST_WAVE_ROUNDS, _ROUND_ENTRIES // edges.nnz),
        )
    waves = spectrum.vectors[:, 1:] / roots[:, np.newaxis]
    # Ranks, because a few samples at the end of a wave would leave the others in one point.
    ranks: AnyArray = waves.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    return np.asarray((ranks + 0.5) / n_samples)


def _pack(sizes: list[int]) -> tuple[AnyArray, AnyArray]:
    """Stand squares, as large as the parts, in rows of about the same length, largest first."""
    sides = np.sqrt(np.asarray(sizes, dtype=np.float64))
    length = max(float(sides.max()), float(np.sqrt(np.square(sides).sum())))
    corners = np.empty((sides.size, 2))
    x = y = height = 0.0
    for part in np.argsort(-sides, kind="stable").tolist():
        if x > 0.0 and x + sides[part] > length:
            x, y, height = 0.0, y + height, 0.0
        corners[part] = x, y
        x += sides[part]
        height = max(height, sides[part])
    return corners, sides


def layout_cost(n_samples: int, n_within_hop: float, n_jobs: int) -> Cost:
    """Tell what the layout of samples takes that have so many others within one hop."""
    memory = n_samples * (36.0 * n_within_hop + 500)
    n_vectors = 1 + _N_WAVES + _SPARE_WAVES
    waves = _FEWEST_WAVE_ROUNDS * DEGREE * n_vectors * (0.7 * n_within_hop + 8)
    moves = N_ROUNDS * (100 + 4 * n_within_hop)
    return Cost({"layout": memory}, n_samples * (waves + moves) / n_jobs * NANOSECOND)
