"""Memberships as powers of scores, and their sparse form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from graphpac.kernels.powers import NEGLIGIBLE
from graphpac.solvers.memberships import (
    certain_memberships,
    power_memberships,
    sparse_memberships,
)
from tests.strategies import membership_matrix

score_rows = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.sampled_from([0.0, 1e-300, 1e-9, 0.5, 1.0, 1.0, 2.0, 7.0, 1e300]),
)


@pytest.mark.parametrize("fuzziness", [1.3, 2.0, 3.0])
def test_they_are_what_a_numerical_optimizer_finds(fuzziness, seed):
    rng = np.random.default_rng(seed)
    for scores in rng.uniform(0.5, 2.0, size=(5, 4)):
        found = minimize(
            lambda p, scores=scores: np.sum(np.clip(p, 0.0, None) ** fuzziness * scores),
            np.full(4, 0.25),
            bounds=[(0.0, 1.0)] * 4,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1.0},
            options={"ftol": 1e-14},
        )
        assert_allclose(power_memberships(scores[None], fuzziness)[0], found.x, atol=1e-5)


@pytest.mark.parametrize("fuzziness", [1.01, 1.05, 1.5, 2.0, 10.0])
def test_the_gradient_is_the_same_in_all_clusters(fuzziness, seed):
    scores = np.random.default_rng(seed).uniform(0.5, 2.0, size=(20, 5))
    memberships = power_memberships(scores, fuzziness)

    gradients = np.log(memberships) * (fuzziness - 1.0) + np.log(scores)

    assert_allclose(gradients, np.broadcast_to(gradients[:, :1], gradients.shape), atol=1e-12)


@given(scores=score_rows, fuzziness=st.sampled_from([1.0 + 1e-12, 1.0001, 1.03, 2.0, 50.0]))
def test_extreme_scores_and_exponents_give_memberships(scores, fuzziness):
    before = scores.copy()

    memberships = power_memberships(scores, fuzziness)

    assert_array_equal(scores, before)
    assert_allclose(memberships.sum(axis=1), 1.0, rtol=1e-12)
    assert memberships.min() >= 0.0
    lowest = scores.min(axis=1, keepdims=True)
    # The best clusters have the largest memberships, and equal ones equal memberships.
    peaks = np.broadcast_to(memberships.max(axis=1, keepdims=True), scores.shape)
    assert_array_equal(memberships[scores == lowest], peaks[scores == lowest])


def test_clusters_of_score_zero_share_a_row_equally():
    scores = np.array([[0.0, 1.0, 0.0], [0.0, 1e-300, 5.0], [0.0, 0.0, 0.0], [1.0, 1.0, 2.0]])

    memberships = power_memberships(scores, 1.5)

    expected = [[1 / 2, 0, 1 / 2], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [4 / 9, 4 / 9, 1 / 9]]
    assert_allclose(memberships, expected, rtol=1e-15)


def test_an_exponent_near_one_leaves_the_best_cluster_only():
    memberships = power_memberships(np.array([[2.0, 1.0, 1.1]]), 1.0 + 1e-9)

    assert_array_equal(memberships, [[0.0, 1.0, 0.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_memberships_keep_what_is_not_negligible(dtype, seed):
    dense = membership_matrix(30, 5, np.random.default_rng(seed)).astype(dtype)
    dense[3] = [0.0, 1.0 - 2e-8, 1e-8, 0.0, 1e-8]
    dense[4] = [0.0, 0.5, 0.0, 0.5, 0.0]

    sparse = sparse_memberships(dense)

    assert sparse.dtype == np.float32
    assert sparse.has_sorted_indices
    assert_array_equal(sparse.toarray() > 0.0, dense >= NEGLIGIBLE)
    assert_allclose(sparse.toarray(), dense, atol=2e-7)
    assert_allclose(sparse.sum(axis=1), 1.0, atol=1e-6)
    assert_array_equal(sparse[3].toarray(), [[0.0, 1.0, 0.0, 0.0, 0.0]])


def test_sparse_memberships_of_one_cluster():
    assert_array_equal(sparse_memberships(np.ones((4, 1))).toarray(), np.ones((4, 1)))


def test_certain_memberships_are_one_at_the_label():
    memberships = certain_memberships(np.array([2, 0, 2]), 4)

    assert memberships.dtype == np.float32
    assert_array_equal(memberships.toarray(), np.eye(4)[[2, 0, 2]])
