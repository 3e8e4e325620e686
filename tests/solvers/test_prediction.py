"""Averages of neighbors against dense arithmetic."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.solvers.memberships import average_memberships
from tests.strategies import membership_matrix


@given(
    n_queries=st.integers(1, 8),
    n_neighbors=st.integers(1, 5),
    n_clusters=st.integers(1, 7),
    draw_seed=st.integers(0, 9999),
)
def test_averages_match_dense_arithmetic(n_queries, n_neighbors, n_clusters, draw_seed):
    """Some neighbors are missing, some rows have none at all and become uniform."""
    rng = np.random.default_rng(draw_seed)
    P = membership_matrix(9, n_clusters, rng)
    P[rng.random(P.shape) < 0.4] = 0.0
    P[:, 0] += 1e-3
    P = (P / P.sum(axis=1, keepdims=True)).astype(np.float32)
    indices = rng.integers(-1, 9, (n_queries, n_neighbors)).astype(np.int32)
    indices[rng.random(n_queries) < 0.2] = -1
    weights = rng.random((n_queries, n_neighbors)).astype(np.float32)

    averages = average_memberships(indices, weights, sp.csr_matrix(P))

    for row, listed, given_weights in zip(averages.toarray(), indices, weights, strict=True):
        found = listed >= 0
        if not found.any():
            assert_allclose(row, 1.0 / n_clusters, rtol=1e-6)
            continue
        expected = given_weights[found].astype(np.float64) @ P[listed[found]]
        assert_allclose(row, expected / expected.sum(), rtol=1e-5, atol=1e-7)
    assert averages.dtype == np.float32
    assert averages.has_sorted_indices
    assert_allclose(averages.sum(axis=1), 1.0, rtol=1e-6)


@given(draw_seed=st.integers(0, 9999))
def test_a_row_does_not_depend_on_the_other_rows(draw_seed):
    rng = np.random.default_rng(draw_seed)
    P = sp.csr_matrix(membership_matrix(9, 4, rng).astype(np.float32))
    indices = rng.integers(-1, 9, (6, 3)).astype(np.int32)
    weights = rng.random((6, 3)).astype(np.float32)

    together = average_memberships(indices, weights, P).toarray()

    for i in range(6):
        alone = average_memberships(indices[i : i + 1], weights[i : i + 1], P)
        assert_array_equal(alone.toarray()[0], together[i])
