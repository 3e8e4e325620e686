"""The normalized affinity and its leading eigenvectors, against dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import build_neighbor_graph
from graphpac._threads import Workers
from graphpac.solvers.spectral import (
    TOLERANCE,
    leading_eigenvectors,
    multiplier,
    normalized_affinity,
    unit_rows,
)
from tests.reference import spectral as reference
from tests.strategies import neighbor_graphs


def spectrum_of(matrix, n_vectors, *, n_jobs=1, seed=0):
    return leading_eigenvectors(matrix, n_vectors, np.random.default_rng(seed), n_jobs=n_jobs)


def assert_eigenvectors(matrix, found):
    """The columns are orthonormal, and the matrix only stretches them."""
    assert_allclose(found.vectors.T @ found.vectors, np.eye(found.values.size), atol=1e-10)
    residuals = matrix @ found.vectors - found.vectors * found.values
    assert np.linalg.norm(residuals, axis=0).max() <= 1.1 * TOLERANCE


def parts(sizes, rng):
    """Rows in groups so far apart that no neighbors lie in two of them."""
    groups = [1000.0 * number + rng.normal(size=(size, 3)) for number, size in enumerate(sizes)]
    return np.concatenate(groups)


@given(neighbor_graphs(kinds=("cosine", "euclidean")), st.sampled_from(["heat", "binary"]))
def test_normalized_affinity(graph, kind):
    found = normalized_affinity(graph, kind)
    expected = reference.normalized(reference.affinity(graph, kind))
    assert_allclose(found.toarray(), expected, atol=1e-12)
    assert_array_equal(found.diagonal(), 0.0)
    assert np.abs(np.linalg.eigvalsh(expected)).max() <= 1.0 + 1e-12


@pytest.mark.parametrize("n_vectors", [1, 3, 10, 40])
def test_eigenvalues_equal_those_of_a_dense_solver(digits, n_vectors):
    matrix = normalized_affinity(build_neighbor_graph(digits.X[:600], 10, metric="euclidean"))
    found = spectrum_of(matrix, n_vectors)
    values, vectors = reference.leading(matrix.toarray(), n_vectors)
    assert found.converged
    assert_allclose(found.values, values, atol=1e-9)
    assert_eigenvectors(matrix, found)
    # The same subspace, whatever basis of it was found.
    cosines = np.linalg.svd(found.vectors.T @ vectors, compute_uv=False)
    assert_allclose(cosines, 1.0, atol=1e-6)


@pytest.mark.parametrize("n_clusters", [3, 5, 8])
def test_every_part_of_the_graph_has_an_eigenvalue_of_one(seed, n_clusters):
    X = parts([120, 60, 80, 140, 100], np.random.default_rng(seed))
    graph = build_neighbor_graph(X, 8, metric="euclidean")
    assert graph.n_components == 5
    matrix = normalized_affinity(graph)
    found = spectrum_of(matrix, n_clusters)
    n_ones = min(5, n_clusters)
    assert_allclose(found.values[:n_ones], 1.0, atol=1e-9)
    assert np.all(found.values[n_ones:] < 1.0 - 1e-6)
    assert_eigenvectors(matrix, found)
    if n_clusters == 5:
        groups = np.repeat(np.arange(5), [120, 60, 80, 140, 100])
        rows = unit_rows(found.vectors)
        same = groups[:, None] == groups
        assert_allclose(rows @ rows.T, same, atol=1e-4)


def test_a_matrix_of_few_rows_is_decomposed_as_a_whole(seed):
    rows = np.random.default_rng(seed).normal(size=(6, 2))
    matrix = normalized_affinity(build_neighbor_graph(rows, 3, metric="euclidean"))
    found = spectrum_of(matrix, 6)
    assert_allclose(found.values, reference.leading(matrix.toarray(), 6)[0], atol=1e-12)
    assert_eigenvectors(matrix, found)


def test_pairs_only(seed):
    """Half of all eigenvalues are 1, half are -1, and none is between."""
    n = 400
    partners = np.arange(n) ^ 1
    matrix = sp.csr_array((np.ones(n), partners, np.arange(n + 1)), shape=(n, n))
    found = spectrum_of(matrix, 7, seed=seed)
    assert found.converged
    assert_allclose(found.values, 1.0, atol=1e-9)
    assert_eigenvectors(matrix, found)


def test_no_edges_at_all():
    found = spectrum_of(sp.csr_array((200, 200)), 3)
    assert found.converged
    assert_array_equal(found.values, 0.0)


def test_the_same_bits_on_any_threads(digits):
    matrix = normalized_affinity(build_neighbor_graph(digits.X, 10, metric="cosine"))
    first, second = (spectrum_of(matrix, 10, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert_array_equal(first.vectors, second.vectors)
    assert_array_equal(first.values, second.values)


def test_products_in_blocks(seed):
    rng = np.random.default_rng(seed)
    matrix = sp.random_array((20_000, 50), density=0.1, format="csr", random_state=rng)
    dense = rng.normal(size=(50, 4))
    with Workers(2) as workers:
        assert_array_equal(multiplier(matrix, workers)(dense), matrix @ dense)


def test_unit_rows():
    found = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [-2.0, 0.0]]))
    assert_allclose(found, [[0.6, 0.8], [0.0, 0.0], [-1.0, 0.0]])
