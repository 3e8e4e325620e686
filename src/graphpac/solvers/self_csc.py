"""Self-constrained spectral clustering, as far as it can be reconstructed.

With A the normalized affinity of a neighbor graph, the method looks for an embedding H with
orthonormal columns that fits the graph, pairs Z and labels V which it derives from itself:

    f(H, Z, V) = 1/2 Tr(H^T (I - A) H) - alpha <Z, H H^T> + beta/2 |H - V|^2
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Parts
from graphpac._threads import Workers
from graphpac._typing import AnyArray
from graphpac.solvers.row_blocks import map_blocks
from graphpac.solvers.spectral import multiplier, unit_rows

INNER_STEPS = 5


@dataclass(frozen=True)
class SelfConstrainedResult:
    """The embedding H, and the objective f after each iteration."""

    embedding: AnyArray
    history: tuple[float, ...]
    converged: bool


def solve_self_csc(
    affinity: sp.csr_array,
    eigenvectors: AnyArray,
    labels: AnyArray,
    *,
    pairwise_weight: float,
    label_weight: float,
    max_iter: int,
    tol: float,
    n_jobs: int,
    watch: Callable[[int, float], None] | None = None,
) -> SelfConstrainedResult:
    """Let the embedding and what it says of pairs and labels pull each other.

    The steps for Z and V minimize f; the step for H, of a fixed-point iteration, need not lower it.

    Parameters
    ----------
    affinity : CSR float64 array of shape (n_samples, n_samples)
        A, symmetric with an empty diagonal. Z has entries where A has, and no others.
    eigenvectors : float64 array of shape (n_samples, n_clusters)
        Leading eigenvectors of A.
    labels : int array of shape (n_samples,)
        Clusters found in the eigenvectors.
    pairwise_weight, label_weight : float
        alpha and beta.
    max_iter, tol : int, float
        The search ends when the objective changes by no more than this share of itself, or after
        so many iterations of `INNER_STEPS` steps for H each.
    watch : callable, optional
        Called with the number and the objective of each iteration.
    """
    label_matrix = unit_columns(indicator(labels, eigenvectors.shape[1]))
    embedding = rotate_onto(eigenvectors, label_matrix)
    history: list[float] = []
    converged = False
    with Workers(n_jobs) as workers:
        for iteration in range(1, max_iter + 1):
            pairs = pair_matrix(embedding, affinity, workers)
            if iteration > 1:
                label_matrix = unit_columns(np.maximum(embedding, 0.0))
            pull = multiplier(affinity + 2.0 * pairwise_weight * pairs, workers)
            for _ in range(INNER_STEPS):
                # H <- ((A + 2 alpha Z) H + beta V) / (1 + beta), then made orthonormal, in which
                # the divisor cancels.
                embedding = polar_factor(pull(embedding) + label_weight * label_matrix)
            history.append(_objective(embedding, pull(embedding), label_matrix, label_weight))
            if watch is not None:
                watch(iteration, history[-1])
            if iteration > 1 and abs(history[-1] - history[-2]) <= tol * abs(history[-1]):
                converged = True
                break
    return SelfConstrainedResult(embedding, tuple(history), converged)


def pair_matrix(embedding: AnyArray, affinity: sp.csr_array, workers: Workers) -> sp.csr_array:
    """Z = [H H^T]+ where A has entries, columns divided by their length, then (Z + Z^T) / 2.

    Before the last step Z minimizes f among matrices of these entries with unit columns, and the
    last step does not change f, because H H^T is symmetric.
    """
    n_samples, n_clusters = embedding.shape
    degrees = np.diff(affinity.indptr)
    sources = np.repeat(np.arange(n_samples), degrees)

    def multiply_pairs(edges: slice) -> AnyArray:
        ends = embedding[sources[edges]], embedding[affinity.indices[edges]]
        return np.asarray(np.einsum("ij,ij->i", *ends))

    products = map_blocks(multiply_pairs, sources.size, n_clusters, workers)
    agreements = np.maximum(np.concatenate([np.zeros(0), *products]), 0.0)
    # [H H^T]+ is symmetric, so its columns are as long as its rows.
    lengths = np.sqrt(np.bincount(sources, weights=agreements**2, minlength=n_samples))
    shares = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    weights = agreements * 0.5 * (shares[sources] + shares[affinity.indices])
    return sp.csr_array((weights, affinity.indices, affinity.indptr), shape=affinity.shape)


def indicator(labels: AnyArray, n_clusters: int) -> AnyArray:
    """One in the column of the label, zero elsewhere."""
    return np.asarray(np.eye(n_clusters)[labels])


def unit_columns(matrix: AnyArray) -> AnyArray:
    """Divide every column by its length; columns of zeros stay."""
    return unit_rows(matrix.T).T


def rotate_onto(vectors: AnyArray, target: AnyArray) -> AnyArray:
    """Rotate the columns of an embedding as near to a target as rotations can (Procrustes)."""
    return np.asarray(vectors @ polar_factor(vectors.T @ target))


def polar_factor(matrix: AnyArray) -> AnyArray:
    """Nearest matrix with orthonormal columns: U V^T of the thin SVD U S V^T."""
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray(left @ right)


def _objective(
    embedding: AnyArray, pulled: AnyArray, label_matrix: AnyArray, label_weight: float
) -> float:
    """Evaluate f: <H, (A + 2 alpha Z) H> holds two of its terms, and Tr(H^T H) = c."""
    agreement = np.vdot(embedding, pulled)
    strain = np.square(embedding - label_matrix).sum()
    return float(0.5 * (embedding.shape[1] - agreement + label_weight * strain))


def self_csc_memory(n_samples: int, n_clusters: int, n_links: float) -> Parts:
    """Tell what `solve_self_csc` takes: eigenvectors, labels, two embeddings and an SVD; pairs."""
    return {"embeddings": 5 * 8.0 * n_samples * n_clusters, "affinity and pairs": 56.0 * n_links}
