"""Fuzziness of memberships."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphpac.metrics import fuzzy_partition_coefficient, fuzzy_partition_entropy

INDICES = [fuzzy_partition_coefficient, fuzzy_partition_entropy]

membership_matrices = st.tuples(
    st.integers(1, 20), st.integers(1, 6), st.integers(0, 2**32 - 1)
).map(lambda size: np.random.default_rng(size[2]).dirichlet(np.full(size[1], 0.3), size[0]))


def test_values_by_hand():
    memberships = [[1.0, 0.0], [0.5, 0.5]]
    assert fuzzy_partition_coefficient(memberships) == pytest.approx(0.75)
    assert fuzzy_partition_coefficient(memberships, normalized=True) == pytest.approx(0.5)
    assert fuzzy_partition_entropy(memberships) == pytest.approx(np.log(2) / 2)
    assert fuzzy_partition_entropy(memberships, normalized=True) == pytest.approx(0.5)


@pytest.mark.parametrize("n_clusters", [2, 7])
def test_ends_of_the_range(n_clusters):
    uniform = np.full((5, n_clusters), 1 / n_clusters)
    hard = np.eye(n_clusters)
    assert fuzzy_partition_coefficient(uniform) == pytest.approx(1 / n_clusters)
    assert fuzzy_partition_entropy(uniform) == pytest.approx(np.log(n_clusters))
    for memberships, coefficient in ((uniform, 0.0), (hard, 1.0)):
        assert fuzzy_partition_coefficient(memberships, normalized=True) == pytest.approx(
            coefficient, abs=1e-12
        )
        assert fuzzy_partition_entropy(memberships, normalized=True) == pytest.approx(
            1.0 - coefficient
        )


def test_a_single_cluster_is_hard():
    memberships = np.ones((4, 1))
    assert fuzzy_partition_coefficient(memberships, normalized=True) == 1.0
    assert fuzzy_partition_entropy(memberships, normalized=True) == 0.0


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("normalized", [False, True])
@given(memberships=membership_matrices)
def test_sparse_equals_dense(index, normalized, memberships):
    expected = index(memberships, normalized=normalized)
    for matrix in (sp.csr_matrix(memberships), sp.csr_array(memberships)):
        assert index(matrix, normalized=normalized) == pytest.approx(expected)


def test_float32_rounding_does_not_make_the_entropy_negative():
    memberships = np.full((3, 1), np.nextafter(np.float32(1.0), np.float32(2.0)))
    assert fuzzy_partition_entropy(memberships) == 0.0


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize(
    ("memberships", "message"),
    [
        ([0.5, 0.5], "has shape \\(2,\\)"),
        (np.empty((0, 3)), "both at least 1"),
        ([[0.5, 0.2]], "row sums from 0.7 to 0.7"),
        ([[1.5, -0.5]], "entries from -0.5"),
        ([[np.nan, 1.0]], "rows that sum to 1"),
        (sp.csr_matrix([[0.5, 0.2]]), "row sums from 0.7 to 0.7"),
    ],
)
def test_bad_memberships_get_a_sentence(index, memberships, message):
    with pytest.raises(ValueError, match=message):
        index(memberships)
