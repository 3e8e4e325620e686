"""PAC, probability aggregation clustering: rows that share clusters shall lie close together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import add
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Parts
from graphpac._threads import Workers
from graphpac._typing import AnyArray, FloatMatrix, Metric
from graphpac.kernels.pac_sweep import ROUNDING, sweep_rows
from graphpac.solvers.memberships import power_memberships, sparse_memberships
from graphpac.solvers.row_blocks import (
    block_slices,
    blocks_memory,
    exact_block,
    map_blocks,
    reduce_blocks,
    squared_lengths,
    sum_blocks,
)

# From an almost uniform start the first sweeps change little, and not because they are done: they
# first even out the noise.
_FEWEST_SWEEPS = 11
_NOISE = 1e-3  # standard deviation of the logarithms of an almost uniform start
_CERTAINTY = 0.9  # what labels given as a start leave of a row to its cluster


class ClusterSums(NamedTuple):
    """Sums over all rows, for each cluster: of p^m, of p^m a and of p^m x."""

    weights: AnyArray
    weighted_offsets: AnyArray
    moments: AnyArray

    def plus(self, more: ClusterSums) -> ClusterSums:
        """Add the sums over other rows."""
        return ClusterSums(*map(add, self, more))


@dataclass(frozen=True)
class PacResult:
    """Memberships, their sums, and the objective after each sweep."""

    memberships: AnyArray
    sums: ClusterSums
    history: tuple[float, ...]
    converged: bool


def solve_pac(
    rows: FloatMatrix,
    memberships: AnyArray,
    *,
    metric: Metric,
    fuzziness: float,
    max_iter: int,
    tol: float,
    n_jobs: int,
    watch: Callable[[int, float], None] | None = None,
) -> PacResult:
    """Minimize 1/2 sum_ij d_ij sum_l p_il^m p_jl^m, for one row after the other.

    A row's memberships are the best ones given all others, so no step raises the objective. The
    distance is 1 - x . y under "cosine", |x - y|^2 / 2 under "euclidean": the same for unit rows.

    Parameters
    ----------
    rows : float32 array of shape (n_rows, n_features)
        Of length one, or zero, under "cosine"; best around zero under "euclidean".
    memberships : array of shape (n_rows, n_clusters)
        Where to start; not uniform, which is a fixed point.
    fuzziness : float
        The exponent m, above 1.
    max_iter, tol : int, float
        The search ends when a sweep changes the memberships of a row by less than tol in sum, on
        average, unless it is one of the first sweeps or changes more than the one before, as when
        clusters just begin to part; or after so many sweeps.
    watch : callable, optional
        Called with the number and the objective of each sweep.
    """
    n_rows = rows.shape[0]
    lengths = squared_lengths(rows)
    offsets = row_offsets(lengths, metric)
    own_distances = 2.0 * offsets - lengths
    memberships = np.array(memberships, dtype=np.float64, order="C")
    history: list[float] = []
    converged = False
    change = np.inf
    with Workers(n_jobs) as workers:
        sums = sum_clusters(rows, offsets, memberships, fuzziness, workers)
        for sweep in range(1, max_iter + 1):
            before = change
            change = _sweep(rows, offsets, own_distances, memberships, sums, fuzziness)
            # Anew in every sweep: rounding errors of the running sums would add up.
            sums = sum_clusters(rows, offsets, memberships, fuzziness, workers)
            history.append(_objective(sums, own_distances, memberships, fuzziness, workers))
            if watch is not None:
                watch(sweep, history[-1])
            if sweep >= _FEWEST_SWEEPS and change < tol * n_rows and change <= before:
                converged = True
                break
    return PacResult(memberships, sums, tuple(history), converged)


def near_uniform(n_rows: int, n_clusters: int, rng: np.random.Generator) -> AnyArray:
    """Make the start of the authors: the softmax of very little noise."""
    shares: AnyArray = np.exp(_NOISE * rng.standard_normal((n_rows, n_clusters)))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def smoothed_labels(labels: AnyArray, n_clusters: int) -> AnyArray:
    """Give every row most of its cluster, and the same small share of all."""
    shares = np.full((labels.size, n_clusters), (1.0 - _CERTAINTY) / n_clusters)
    shares[np.arange(labels.size), labels] += _CERTAINTY
    return shares


def row_offsets(lengths: AnyArray, metric: Metric) -> AnyArray:
    """Return the a of d_ij = a_i + a_j - x_i . x_j, from the squared lengths of rows."""
    return np.full(lengths.size, 0.5) if metric == "cosine" else 0.5 * lengths


def memberships_among(
    rows: FloatMatrix, sums: ClusterSums, metric: Metric, fuzziness: float, workers: Workers
) -> sp.csr_matrix:
    """Memberships of new rows that are best given those of all rows summed."""

    def block_memberships(block: slice) -> sp.csr_matrix:
        chosen = exact_block(rows, block)
        offsets = row_offsets(squared_lengths(chosen), metric)
        apart = np.outer(offsets, sums.weights) + sums.weighted_offsets
        scores = np.maximum(apart - chosen @ sums.moments.T, ROUNDING * apart)
        return sparse_memberships(power_memberships(scores, fuzziness))

    found = map_blocks(block_memberships, rows.shape[0], max(sums.moments.shape), workers)
    return sp.vstack(found, format="csr")


def sum_clusters(
    rows: FloatMatrix,
    offsets: AnyArray,
    memberships: AnyArray,
    fuzziness: float,
    workers: Workers,
) -> ClusterSums:
    """S_l = sum_j p_jl^m, A_l = sum_j p_jl^m a_j and M_l = sum_j p_jl^m x_j."""

    def sum_block(block: slice) -> ClusterSums:
        powers = memberships[block] ** fuzziness
        moments = powers.T @ exact_block(rows, block)
        return ClusterSums(powers.sum(axis=0), offsets[block] @ powers, moments)

    row_entries = max(rows.shape[1], memberships.shape[1])
    return reduce_blocks(sum_block, ClusterSums.plus, rows.shape[0], row_entries, workers)


def _sweep(
    rows: FloatMatrix,
    offsets: AnyArray,
    own_distances: AnyArray,
    memberships: AnyArray,
    sums: ClusterSums,
    fuzziness: float,
) -> float:
    """Update memberships and sums in place, in blocks between which a fit can be interrupted."""
    change = 0.0
    for block in block_slices(rows.shape[0], max(sums.moments.shape)):
        change += sweep_rows(
            rows[block], offsets[block], own_distances[block], memberships[block], *sums, fuzziness
        )
    return change


def _objective(
    sums: ClusterSums,
    own_distances: AnyArray,
    memberships: AnyArray,
    fuzziness: float,
    workers: Workers,
) -> float:
    """1/2 sum_l (2 S_l A_l - |M_l|^2), less what rows would contribute with themselves."""
    weights, weighted_offsets, moments = sums
    pairs = 2.0 * float(weights @ weighted_offsets) - float(np.vdot(moments, moments))

    def own_block(block: slice) -> AnyArray:
        powers = memberships[block] ** fuzziness
        return np.asarray(own_distances[block] @ np.square(powers).sum(axis=1))

    n_rows, n_clusters = memberships.shape
    own = sum_blocks(own_block, n_rows, n_clusters, workers)
    return 0.5 * (pairs - float(own))


def pac_memory(n_rows: int, n_features: int, n_clusters: int, n_jobs: int) -> Parts:
    """Tell what `solve_pac` takes beside the rows: the start, memberships, sums."""
    widest = max(n_features, n_clusters)
    sums = blocks_memory(n_rows, widest, n_clusters * n_features, n_jobs)
    return {"memberships": 16.0 * n_rows * n_clusters, **sums}
