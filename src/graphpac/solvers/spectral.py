"""The spectral embedding of a neighbor graph: leading eigenvectors of its normalized affinity.

Eigenvectors come from subspace iteration with a Chebyshev filter, because a block of vectors sees
an eigenvalue as often as it occurs. ARPACK, which builds on one vector, found one of the two
eigenvalues 1 of Pendigits at tolerance 1e-6, and 13 of the 18 of COIL-100 at full accuracy. Seconds
on one thread for the filter, ARPACK where it found all (full accuracy) and LOBPCG: Pendigits 0.3,
0.5, 1.1; COIL-100, 100 vectors, 1.3, 5.6 with a basis of 400, 9.0; MNIST 2.3, 1.4, 7.0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Parts, fullest
from graphpac._threads import Workers
from graphpac._typing import AnyArray
from graphpac.graph import NeighborGraph
from graphpac.graph.affinity import heat_affinity
from graphpac.solvers.row_blocks import block_slices

Affinity: TypeAlias = Literal["heat", "binary"]

TOLERANCE = 1e-6
MAX_ROUNDS = 200
_SPARE_VECTORS = 10
DEGREE = 20
_DENSE_BLOCKS = 4  # a matrix not larger than so many blocks is decomposed as a whole


class Spectrum(NamedTuple):
    """Largest eigenvalues, descending, and their unit eigenvectors, one in each column."""

    values: AnyArray
    vectors: AnyArray
    n_rounds: int
    converged: bool


def normalized_affinity(graph: NeighborGraph, affinity: Affinity = "heat") -> sp.csr_array:
    """Divide symmetric similarities W by the roots of their sums D: A = D^-1/2 W D^-1/2.

    Parameters
    ----------
    graph : NeighborGraph
        Of kind "euclidean" or "cosine".
    affinity : {"heat", "binary"}
        What W holds: see `heat_affinity`, or 1 for neighbors in either direction.

    Returns
    -------
    affinity : CSR float64 array of shape (n_samples, n_samples)
        Symmetric, with an empty diagonal and eigenvalues in [-1, 1], as many of them 1 as the graph
        has parts. A sample too far from all others for any weight has an empty row.
    """
    weights = heat_affinity(graph) if affinity == "heat" else _binary_affinity(graph)
    degrees = weights.sum(axis=1)
    scales = 1.0 / np.sqrt(np.where(degrees > 0.0, degrees, 1.0))
    sources = np.repeat(np.arange(graph.n_samples), np.diff(weights.indptr))
    weights.data *= scales[sources] * scales[weights.indices]
    return weights


def leading_eigenvectors(
    matrix: sp.csr_array,
    n_vectors: int,
    rng: np.random.Generator,
    *,
    n_jobs: int,
    n_spare: int = _SPARE_VECTORS,
    tolerance: float = TOLERANCE,
    max_rounds: int = MAX_ROUNDS,
) -> Spectrum:
    """Eigenvectors of the largest eigenvalues of a symmetric matrix whose spectrum is in [-1, 1].

    Parameters
    ----------
    matrix : CSR float64 array of shape (n, n)
        Such as `normalized_affinity` makes.
    n_vectors : int
        How many, at most n.
    rng : Generator
        Draws the block of vectors to start from.
    n_jobs : int
        Number of threads. The result is the same for any number.
    n_spare : int
        Vectors beside those wanted: the gap to the last of them sets the speed.
    tolerance : float
        Length of the residual of every unit eigenvector, at most.
    max_rounds : int
        After so many rounds, of `DEGREE` products each, vectors are taken as they are.
    """
    n_block = n_vectors + n_spare
    if matrix.shape[0] <= _DENSE_BLOCKS * n_block:
        values, vectors = np.linalg.eigh(matrix.toarray())
        return Spectrum(values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors], 1, True)
    block = rng.standard_normal((matrix.shape[0], n_block))
    converged = False
    with Workers(n_jobs) as workers:
        multiply = multiplier(matrix, workers)
        for n_rounds in range(1, max_rounds + 1):  # noqa: B007
            values, block, image = _ritz_vectors(multiply, np.linalg.qr(block)[0])
            residuals = image[:, :n_vectors] - block[:, :n_vectors] * values[:n_vectors]
            if np.linalg.norm(residuals, axis=0).max() <= tolerance:
                converged = True
                break
            block = _amplify(multiply, block, image, above=float(values[-1]))
    return Spectrum(values[:n_vectors], block[:, :n_vectors], n_rounds, converged)


def unit_rows(embedding: AnyArray) -> AnyArray:
    """Divide every row by its length; rows of zeros stay."""
    lengths = np.linalg.norm(embedding, axis=1, keepdims=True)
    return np.asarray(embedding / np.where(lengths > 0.0, lengths, 1.0))


def multiplier(matrix: sp.csr_array, workers: Workers) -> Callable[[AnyArray], AnyArray]:
    """Return a function that multiplies a sparse matrix with a dense one, in threads."""
    row_entries = matrix.nnz // matrix.shape[0]
    blocks = [matrix[rows] for rows in block_slices(matrix.shape[0], row_entries)]

    def multiply(dense: AnyArray) -> AnyArray:
        return np.concatenate(workers.map(lambda block: block @ dense, blocks))

    return multiply


def _binary_affinity(graph: NeighborGraph) -> sp.csr_array:
    shape = (graph.n_samples, graph.n_samples)
    directed = sp.csr_array((np.ones(graph.n_edges), graph.indices, graph.indptr), shape=shape)
    return sp.csr_array(directed.maximum(directed.T))


def _ritz_vectors(
    multiply: Callable[[AnyArray], AnyArray], basis: AnyArray
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Best approximations of eigenvalues and eigenvectors in a subspace, and the vectors' images.

    They are those of the small matrix Q^T A Q, where Q is an orthonormal basis.
    """
    image = multiply(basis)
    values, rotation = np.linalg.eigh(basis.T @ image)
    descending = rotation[:, ::-1]
    return values[::-1], basis @ descending, image @ descending


def _amplify(
    multiply: Callable[[AnyArray], AnyArray], block: AnyArray, image: AnyArray, *, above: float
) -> AnyArray:
    """Multiply a block with a polynomial of A that is large on (above, 1] and small on [-1, above].

    It is the Chebyshev polynomial T_d((t - m) / e) of the interval with center m and half-width e,
    by its recurrence T_{d+1}(t) = 2 t T_d(t) - T_{d-1}(t), divided by its value at 1 so that
    nothing overflows: ratio = T_{d-1} / T_d there.
    """
    center, half_width = (above - 1.0) / 2.0, (above + 1.0) / 2.0
    at_one = (1.0 - center) / half_width
    ratio = 1.0 / at_one
    before, now = block, (image - center * block) * (ratio / half_width)
    for _ in range(DEGREE - 1):
        next_ratio = 1.0 / (2.0 * at_one - ratio)
        shifted = multiply(now) - center * now
        before, now = now, (2.0 * next_ratio / half_width) * shifted - ratio * next_ratio * before
        ratio = next_ratio
    return now


def spectrum_memory(n_samples: int, n_vectors: int, n_edges: float, n_links: float) -> Parts:
    """Tell what the affinity of a graph and its eigenvectors take; links are edges either way."""
    n_block = n_vectors + _SPARE_VECTORS
    if n_samples <= _DENSE_BLOCKS * n_block:
        return {"affinity": 12.0 * n_links, "eigenvectors": 24.0 * n_samples**2}
    return fullest(
        {"affinity": 56.0 * n_edges},  # both directions, and what they are joined from
        # Whole and in blocks; three steps of the recurrence, and products on the way to the next.
        {"affinity": 24.0 * n_links, "eigenvectors": 8 * 8.0 * n_samples * n_block},
    )
