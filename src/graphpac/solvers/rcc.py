"""Robust continuous clustering: representatives that edges pull together until groups collapse."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Parts
from graphpac._threads import Workers
from graphpac._typing import AnyArray, FloatMatrix, IntVector
from graphpac.solvers.lanczos import largest_eigenvalue
from graphpac.solvers.rcc_edges import Edges
from graphpac.solvers.rcc_representatives import RepresentativeSolver
from graphpac.solvers.row_blocks import exact_block, sum_blocks

ITERATIONS_WITH_A_MU = 4  # at most
LITTLE_CHANGE = 0.1  # an objective that changes by less, in absolute terms, has settled
DUPLICATE = 0.01  # an edge shorter than this for each feature, as a root mean square, tells nothing
SHORTEST_SHARE = 0.01
SHORTEST_EDGES = 250


@dataclass(frozen=True)
class RCCResult:
    """Labels, the representatives they come from, and the objective of each iteration."""

    labels: IntVector
    n_clusters: int
    representatives: FloatMatrix
    history: tuple[float, ...]
    converged: bool


class LengthScales(NamedTuple):
    """What the lengths of the edges between rows tell about the data."""

    longest: float
    noise: float  # delta: mu is not halved below
    joined: float  # eps: representatives as near as that are one


def solve_rcc(
    rows: FloatMatrix,
    edges: Edges,
    *,
    max_iter: int,
    rng: np.random.Generator,
    n_jobs: int,
    watch: Callable[[int, float], None] | None = None,
) -> RCCResult:
    """Move representatives u from the rows x towards each other, and connect those that meet.

    Makes 1/2 sum_p |x_p - u_p|^2 + lam/2 sum_pq w_pq (l_pq |u_p - u_q|^2 + mu (sqrt(l_pq) - 1)^2)
    small over u and the strengths l of the edges in turn, while mu shrinks: edges much longer than
    sqrt(mu) let go. As long as mu stays, and with it lam, no step raises the objective.

    Parameters
    ----------
    rows : float32 array of shape (n_samples, n_features)
        The samples. Their scale matters, as several constants of the method are absolute.
    edges : Edges
        Which samples may end up in one cluster directly.
    max_iter : int
        Largest number of iterations.
    rng : Generator
        Gives the vectors from which the two spectral norms are searched.
    watch : callable, optional
        Called with the number and the objective of each iteration.
    """
    with Workers(n_jobs) as workers:
        lengths = edges.lengths(rows, workers)
        scales = length_scales(lengths, rows.shape[1])
        if scales is None:
            return _all_duplicates(rows, edges)
        weights = edges.weights
        solver = RepresentativeSolver.of(rows, edges, workers)
        row_norm = spectral_norm(rows, rng, workers)
        lam = row_norm / _norm(edges.laplacian(weights), rng)
        mu = 3.0 * scales.longest**2
        representatives = rows.copy()
        history: list[float] = []
        converged = False
        with_this_mu = 0
        for iteration in range(1, max_iter + 1):
            strengths = edge_strengths(lengths, mu)
            moved = _squared_distance(rows, representatives, workers)
            penalty = strengths * lengths**2 + mu * (np.sqrt(strengths) - 1.0) ** 2
            history.append(0.5 * moved + 0.5 * lam * float(weights @ penalty))
            if watch is not None:
                watch(iteration, history[-1])
            laplacian = edges.laplacian(weights * strengths)
            solver.update(representatives, laplacian, lam)
            lengths = edges.lengths(representatives, workers)
            with_this_mu += 1
            exhausted = with_this_mu == ITERATIONS_WITH_A_MU
            settled = iteration > 1 and abs(history[-2] - history[-1]) < LITTLE_CHANGE
            if exhausted or settled:
                if mu < scales.noise and not exhausted:
                    converged = True
                    break
                mu = mu / 2.0 if mu >= scales.noise else scales.noise / 2.0
                lam = row_norm / _norm(laplacian, rng)
                with_this_mu = 0
    n_clusters, labels = edges.components(lengths <= scales.joined)
    return RCCResult(labels, n_clusters, representatives, tuple(history), converged)


def length_scales(lengths: AnyArray, n_features: int) -> LengthScales | None:
    """Measure the edges that do not join near duplicates; None if all of them do."""
    telling = np.sort(lengths[lengths >= DUPLICATE * math.sqrt(n_features)])
    if telling.size == 0:
        return None
    n_shortest = math.ceil(SHORTEST_SHARE * lengths.size)
    return LengthScales(
        longest=float(telling[-1]),
        noise=float(telling[: min(SHORTEST_EDGES, n_shortest)].mean()),
        joined=float(telling[:n_shortest].mean()),
    )


def edge_strengths(lengths: AnyArray, mu: float) -> AnyArray:
    """l_pq = (mu / (mu + |u_p - u_q|^2))^2, the best strengths for given representatives."""
    strengths: AnyArray = (mu / (mu + lengths**2)) ** 2
    return strengths


def spectral_norm(rows: FloatMatrix, rng: np.random.Generator, workers: Workers) -> float:
    """Largest singular value of the rows, the root of the largest eigenvalue of X' X."""
    n_samples, n_features = rows.shape

    def product(vector: AnyArray) -> AnyArray:
        def add_block(block: slice) -> AnyArray:
            chosen = exact_block(rows, block)
            return np.asarray(chosen.T @ (chosen @ vector))

        return sum_blocks(add_block, n_samples, n_features, workers)

    return math.sqrt(largest_eigenvalue(product, rng.standard_normal((n_features,))))


def _norm(laplacian: sp.csr_array, rng: np.random.Generator) -> float:
    return largest_eigenvalue(laplacian.__matmul__, rng.standard_normal(laplacian.shape[:1]))


def _squared_distance(a: FloatMatrix, b: FloatMatrix, workers: Workers) -> float:
    def add_block(block: slice) -> AnyArray:
        difference = exact_block(a, block) - b[block]
        return np.asarray(np.vdot(difference, difference))

    return float(sum_blocks(add_block, a.shape[0], a.shape[1], workers))


def _all_duplicates(rows: FloatMatrix, edges: Edges) -> RCCResult:
    n_clusters, labels = edges.components(np.ones(edges.first.size, dtype=np.bool_))
    return RCCResult(labels, n_clusters, rows.copy(), (0.0,), converged=True)


def rcc_memory(n_samples: int, n_features: int, n_edges: float) -> Parts:
    """Tell what `solve_rcc` takes beside the rows: representatives, and the matrix of edges."""
    return {"representatives": 4.0 * n_samples * n_features, "edges": 90.0 * n_edges}
