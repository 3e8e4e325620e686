"""What memberships come down to, against plain sums over dense matrices."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.solvers.memberships import shared_membership, top_memberships


@st.composite
def memberships(draw):
    """Rows of few different shares, so that equal memberships are common; some clusters empty."""
    n_rows, n_clusters = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    parts = st.lists(st.integers(0, n_clusters - 1), min_size=4, max_size=4)
    dense = np.zeros((n_rows, n_clusters), dtype=np.float32)
    for row in dense:
        np.add.at(row, draw(parts), 0.25)
    return dense


@given(dense=memberships(), n_top=st.integers(1, 4), block=st.sampled_from([1, 3, 100]))
def test_the_largest_come_first_and_of_equals_the_first_cluster(dense, n_top, block):
    n_top = min(n_top, dense.shape[1])
    top = top_memberships(sp.csr_matrix(dense), n_top, block_rows=block)
    order = np.argsort(-dense, axis=1, kind="stable")[:, :n_top]
    expected = np.take_along_axis(dense, order, axis=1)
    assert_array_equal(top.values, expected)
    assert_array_equal(top.clusters[expected > 0], order[expected > 0])
    second = expected[:, 1] if n_top > 1 else 0.0
    assert_array_equal(top.lead, expected[:, 0] - second)


@given(dense=memberships())
def test_shared_membership_divides_an_average_member(dense):
    shares = shared_membership(sp.csr_matrix(dense)).toarray()
    for cluster, row in enumerate(shares):
        mass = dense[:, cluster].sum()
        expected = dense[:, cluster] @ dense / mass if mass > 0 else np.zeros_like(row)
        assert_allclose(row, expected, atol=1e-12)
        assert_allclose(row.sum(), float(mass > 0), atol=1e-12)
