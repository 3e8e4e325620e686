"""Fuzzy c-means, plain or with the memberships of neighbors mixed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Parts
from graphpac._threads import Workers
from graphpac._typing import AnyArray, FloatMatrix
from graphpac.solvers.memberships import power_memberships, sparse_memberships
from graphpac.solvers.row_blocks import (
    blocks_memory,
    exact_block,
    map_blocks,
    reduce_blocks,
    squared_lengths,
    sum_blocks,
)
from graphpac.solvers.schedules import local_weight_at

# Squared distances below this part of the squared lengths are zero: float32 rows that near are one.
_SAME_PLACE = float(np.finfo(np.float32).eps) ** 2


@dataclass(frozen=True)
class LocalConstraint:
    """Weights of each row's neighbors, and the share their average has in its memberships.

    ``weights`` is a float32 CSR matrix of shape (n_rows, n_rows) whose rows sum to one. ``share``
    is a number below one, or "ramp": from 0 to almost 1 over the iterations.
    """

    weights: sp.csr_matrix
    share: float | Literal["ramp"]

    def at(self, iteration: int, max_iter: int) -> tuple[sp.csr_matrix, float] | None:
        """Return the weights and their share in iteration 0, 1, ..., None where the share is 0."""
        share = local_weight_at(iteration, max_iter, self.share)
        return (self.weights, share) if share > 0.0 else None


@dataclass(frozen=True)
class FuzzyResult:
    """Memberships, the centers they came from, and the objective after each iteration."""

    memberships: FloatMatrix
    centers: AnyArray
    history: tuple[float, ...]
    converged: bool


class _Totals(NamedTuple):
    """Sums over rows of p^m |x - v|^2 and, for each cluster, of p^m and p^m x; change of any p."""

    objective: float
    weights: AnyArray
    moments: AnyArray
    change: float

    def plus(self, more: _Totals) -> _Totals:
        """Take the totals of other rows in."""
        return _Totals(
            self.objective + more.objective,
            self.weights + more.weights,
            self.moments + more.moments,
            max(self.change, more.change),
        )


def solve_fuzzy_cmeans(
    rows: Any,
    centers: AnyArray,
    *,
    fuzziness: float,
    max_iter: int,
    tol: float,
    n_jobs: int,
    local: LocalConstraint | None = None,
    watch: Callable[[int, float], None] | None = None,
) -> FuzzyResult:
    """Minimize sum_il p_il^m |x_i - v_l|^2 over memberships p and centers v in turn.

    Neither step raises the objective. Under the local constraint the memberships of an iteration
    are (1 - share) P* + share W P, where P* are those of fuzzy c-means, P those of the iteration
    before, for all rows at once, and W the weights of neighbors; the objective may then rise.

    Parameters
    ----------
    rows : float32 array or CSR matrix
        Best around zero, as squared distances are made of squared lengths.
    centers : array of shape (n_clusters, n_features)
        Where to start.
    fuzziness : float
        The exponent m, above 1.
    max_iter, tol : int, float
        The search ends when no membership changes by more than tol, or after so many iterations;
        a ramp is always followed to its end.
    local : LocalConstraint, optional
        None is plain fuzzy c-means, and so is a share of 0.
    watch : callable, optional
        Called with the number and the objective of each iteration.
    """
    memberships: FloatMatrix = np.zeros((rows.shape[0], centers.shape[0]), dtype=np.float32)
    history: list[float] = []
    ramp = local is not None and local.share == "ramp"
    next_centers = centers
    with Workers(n_jobs) as workers:
        for iteration in range(max_iter):
            centers = next_centers
            mix = None if local is None else local.at(iteration, max_iter)
            memberships, totals = _update(rows, centers, fuzziness, memberships, mix, workers)
            next_centers = _means(totals.moments, totals.weights, otherwise=centers)
            history.append(totals.objective)
            if watch is not None:
                watch(iteration + 1, totals.objective)
            converged = totals.change <= tol
            if converged and not ramp:
                break
    return FuzzyResult(memberships, centers, tuple(history), converged)


def weighted_centers(
    rows: Any, memberships: sp.csr_matrix, fuzziness: float, n_jobs: int
) -> AnyArray:
    """v_l = sum_i p_il^m x_i / sum_i p_il^m; a cluster nobody belongs to is at the mean of all."""
    powers = memberships.astype(np.float64).power(fuzziness)

    def sum_block(block: slice) -> AnyArray:
        chosen = exact_block(rows, block)
        # One cluster more, to which every row belongs.
        sums = sp.hstack((powers[block], np.ones((chosen.shape[0], 1)))).T @ chosen
        return np.asarray(sums.toarray() if sp.issparse(sums) else sums)

    row_entries = max(rows.shape[1], memberships.shape[1])
    with Workers(n_jobs) as workers:
        sums = sum_blocks(sum_block, rows.shape[0], row_entries, workers)
    weights = np.asarray(powers.sum(axis=0)).ravel()
    return _means(sums[:-1], weights, otherwise=sums[-1] / rows.shape[0])


def memberships_at(
    rows: Any, centers: AnyArray, fuzziness: float, workers: Workers
) -> sp.csr_matrix:
    """Memberships of rows whose centers are known, by the formula of fuzzy c-means."""

    def block_memberships(block: slice) -> sp.csr_matrix:
        distances = _squared_distances(exact_block(rows, block), centers)
        return sparse_memberships(power_memberships(distances, fuzziness))

    found = map_blocks(block_memberships, rows.shape[0], max(centers.shape), workers)
    return sp.vstack(found, format="csr")


def _update(
    rows: Any,
    centers: AnyArray,
    fuzziness: float,
    before: FloatMatrix,
    mix: tuple[sp.csr_matrix, float] | None,
    workers: Workers,
) -> tuple[FloatMatrix, _Totals]:
    """Make new memberships, and in the same pass over the rows the sums the next centers need.

    Memberships before are zero in the first iteration: the average of neighbors is then nothing,
    and what remains is scaled to memberships again.
    """
    after: FloatMatrix = np.empty_like(before)

    def update_block(block: slice) -> _Totals:
        chosen = exact_block(rows, block)
        distances = _squared_distances(chosen, centers)
        shares = power_memberships(distances, fuzziness)
        if mix is not None:
            weights, share = mix
            shares = (1.0 - share) * shares + share * (weights[block] @ before)
            shares /= shares.sum(axis=1, keepdims=True)
        after[block] = shares
        powers = shares**fuzziness
        return _Totals(
            float(np.vdot(powers, distances)),
            powers.sum(axis=0),
            np.asarray((chosen.T @ powers).T),
            float(np.abs(after[block] - before[block]).max()),
        )

    return after, reduce_blocks(
        update_block, _Totals.plus, rows.shape[0], max(centers.shape), workers
    )


def _squared_distances(chosen: Any, centers: AnyArray) -> AnyArray:
    """|x|^2 - 2 x . v + |v|^2, and zero where that is nothing but rounding."""
    lengths = squared_lengths(chosen)[:, np.newaxis] + squared_lengths(centers)
    distances: AnyArray = lengths - 2.0 * (chosen @ centers.T)
    distances[distances < _SAME_PLACE * lengths] = 0.0
    return distances


def _means(sums: AnyArray, weights: AnyArray, *, otherwise: AnyArray) -> AnyArray:
    """Divide sums by weights; where there is no weight, take the other."""
    weights = weights[:, np.newaxis]
    return np.where(weights > 0.0, sums / np.where(weights > 0.0, weights, 1.0), otherwise)


def fuzzy_cmeans_memory(n_rows: int, n_features: int, n_clusters: int, n_jobs: int) -> Parts:
    """Tell what `solve_fuzzy_cmeans` takes beside the rows: memberships before and after, sums."""
    widest = max(n_features, n_clusters)
    sums = blocks_memory(n_rows, widest, n_clusters * n_features, n_jobs)
    return {"memberships": 8.0 * n_rows * n_clusters, **sums}
