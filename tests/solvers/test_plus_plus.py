"""Seeds of k-means++ against those of scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.cluster import kmeans_plusplus

from graphpac._threads import single_threaded_blas
from graphpac.solvers.plus_plus import MOST_FEATURES, plus_plus


@pytest.mark.parametrize("n_seeds", [1, 2, 30])
@pytest.mark.parametrize("n_features", [1, 7, MOST_FEATURES, MOST_FEATURES + 1])
def test_seeds_are_those_of_scikit_learn(n_features, n_seeds, seed):
    rows = np.random.default_rng(seed).standard_normal((3000, n_features), dtype=np.float32)
    with single_threaded_blas():
        found = plus_plus(rows, n_seeds, seed)
        expected, _ = kmeans_plusplus(rows, n_seeds, random_state=seed)
    assert found.dtype == np.float32
    assert_array_equal(found, expected)


def test_sparse_rows_pass(seed):
    rows = sp.random(200, 9, 0.5, format="csr", dtype=np.float32, random_state=seed)
    assert plus_plus(rows, 5, seed).shape == (5, 9)


def test_rows_that_are_all_equal_pass(seed):
    assert_array_equal(plus_plus(np.ones((20, 3), np.float32), 4, seed), np.ones((4, 3)))
