"""The largest eigenvalue against numpy's eigenvalues."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphpac.solvers.lanczos import largest_eigenvalue


@given(n=st.integers(1, 60), rank=st.integers(1, 60), entropy=st.integers(0, 2**32 - 1))
def test_the_largest_of_all_eigenvalues(n, rank, entropy):
    rng = np.random.default_rng(entropy)
    factor = rng.normal(size=(n, rank))
    matrix = factor @ factor.T
    found = largest_eigenvalue(matrix.__matmul__, rng.normal(size=n))
    assert found == pytest.approx(np.linalg.eigvalsh(matrix)[-1], rel=1e-4)


@pytest.mark.parametrize("matrix", [np.zeros((6, 6)), np.eye(6), np.diag([0.0, 0, 2, 2, 2, 2])])
def test_matrices_of_few_eigenvalues(matrix):
    start = np.arange(1.0, 7.0)
    found = largest_eigenvalue(matrix.__matmul__, start)
    assert found == pytest.approx(matrix.max())
    assert found == largest_eigenvalue(matrix.__matmul__, start)


def test_the_norm_of_a_large_path():
    n = 5000

    def multiply(vector):
        return 2.0 * vector - np.append(vector[1:], 0.0) - np.append(0.0, vector[:-1])

    found = largest_eigenvalue(multiply, np.random.default_rng(0).normal(size=n))
    assert found == pytest.approx(2.0 + 2.0 * np.cos(np.pi / (n + 1)), rel=1e-3)
