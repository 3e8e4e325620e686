"""The steps of self-constrained spectral clustering, against dense matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import build_neighbor_graph
from graphpac._threads import Workers
from graphpac.solvers.self_csc import (
    INNER_STEPS,
    indicator,
    pair_matrix,
    polar_factor,
    rotate_onto,
    solve_self_csc,
    unit_columns,
)
from graphpac.solvers.spectral import leading_eigenvectors, normalized_affinity
from tests.reference import self_csc as reference


@pytest.fixture
def problem(digits, seed):
    """A small graph, its eigenvectors, and labels of little worth."""
    rng = np.random.default_rng(seed)
    X = digits.X[rng.choice(1797, 200, replace=False)]
    affinity = normalized_affinity(build_neighbor_graph(X, 6, metric="euclidean"))
    vectors = leading_eigenvectors(affinity, 5, rng, n_jobs=1).vectors
    return affinity, vectors, vectors.argmax(axis=1)


def solve(problem, **parameters):
    settings = {"pairwise_weight": 0.1, "label_weight": 0.01, "max_iter": 4, "tol": 0.0}
    return solve_self_csc(*problem, **{**settings, "n_jobs": 1, **parameters})


@pytest.mark.parametrize("weights", [(0.1, 0.01), (1.0, 1.0), (0.0, 0.1), (0.3, 0.0)])
def test_embedding_and_objective(problem, weights):
    affinity, vectors, labels = problem
    found = solve(problem, pairwise_weight=weights[0], label_weight=weights[1])
    embedding, history = reference.solve(
        affinity.toarray(), vectors, labels, *weights, 4, INNER_STEPS
    )
    assert_allclose(found.embedding, embedding, atol=1e-9)
    assert_allclose(found.history, history, rtol=1e-9)


def test_the_embedding_stays_orthonormal(problem):
    embedding = solve(problem, max_iter=10).embedding
    assert_allclose(embedding.T @ embedding, np.eye(5), atol=1e-12)


def test_without_self_constraints_the_eigenvectors_stay(problem):
    _, vectors, _ = problem
    embedding = solve(problem, pairwise_weight=0.0, label_weight=0.0).embedding
    assert_allclose(embedding @ embedding.T, vectors @ vectors.T, atol=1e-4)


def test_pairs_lie_on_the_graph(problem):
    affinity, vectors, _ = problem
    with Workers(2) as workers:
        pairs = pair_matrix(vectors, affinity, workers)
    assert_array_equal(pairs.indices, affinity.indices)
    assert_array_equal(pairs.diagonal(), 0.0)
    assert pairs.data.min() >= 0.0
    assert_allclose(pairs.toarray(), pairs.toarray().T, atol=1e-15)
    assert_allclose(pairs.toarray(), reference.pairs(vectors, affinity.toarray()), atol=1e-12)


def test_no_other_pairs_or_labels_fit_better(problem, seed):
    """The steps for Z and V are exact: other feasible matrices give a larger objective."""
    affinity, vectors, labels = problem
    dense = affinity.toarray()
    embedding = rotate_onto(vectors, indicator(labels, 5))
    with Workers(1) as workers:
        pairs = pair_matrix(embedding, affinity, workers).toarray()
    chosen = unit_columns(np.maximum(embedding, 0.0))
    least = reference.objective(embedding, dense, pairs, chosen, 0.1, 0.01)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        others = unit_columns(rng.random(dense.shape) * (dense > 0.0))
        labelling = unit_columns(rng.random(chosen.shape))
        assert least <= reference.objective(embedding, dense, others, chosen, 0.1, 0.01)
        assert least <= reference.objective(embedding, dense, pairs, labelling, 0.1, 0.01)


def test_rotation_onto_labels(seed):
    """An embedding that is a rotated indicator is rotated back."""
    rng = np.random.default_rng(seed)
    target = unit_columns(indicator(rng.integers(4, size=50), 4))
    rotation = polar_factor(rng.normal(size=(4, 4)))
    assert_allclose(rotate_onto(target @ rotation, target), target, atol=1e-12)


def test_an_end_before_the_last_iteration(problem):
    seen = []
    found = solve(problem, max_iter=20, tol=1e-3, watch=lambda *news: seen.append(news))
    assert found.converged
    assert len(found.history) < 20
    assert seen == list(enumerate(found.history, start=1))
    assert not solve(problem, max_iter=1, tol=1e-3).converged


def test_the_same_bits_on_any_threads(problem):
    first, second = (solve(problem, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert_array_equal(first.embedding, second.embedding)
