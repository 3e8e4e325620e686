"""Spherical k-means: values on the digits, starts, and clusters of new rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import SphericalKMeans
from graphpac.metrics import score_labels


def fit(X, **parameters):
    return SphericalKMeans(**{"n_clusters": 10, "random_state": 0, **parameters}).fit(X)


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_digits(digits, init):
    """K-means on unit rows, which is nearly the same, has a mean NMI of .730 in the table."""
    models = [fit(digits.X, init=init, random_state=seed) for seed in range(5)]
    assert np.mean([score_labels(digits.y, m.labels_).nmi for m in models]) >= 0.70
    for model in models:
        assert model.converged_
        assert np.all(np.diff(model.history_) >= -1e-9)
        assert model.n_iter_ == len(model.history_)
        assert_allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1.0)


def test_the_objective_is_the_sum_of_cosines(digits):
    for parameters in ({}, {"max_iter": 2}, {"tol": 0.01}):
        model = fit(digits.X, **parameters)
        own = model.cluster_centers_[model.labels_]
        assert_allclose(model.objective_, np.sum(unit(digits.X) * own), rtol=1e-6)
        assert model.objective_ == model.history_[-1]


def test_the_best_of_several_starts_is_kept(digits):
    """The first starts of several are those of fewer, so the best can only get better."""
    found = [fit(digits.X, n_init=n_init).objective_ for n_init in (1, 2, 4)]
    assert found == sorted(found)
    assert found[-1] > found[0]


def test_lengths_of_rows_make_no_difference(digits, seed):
    lengths = np.random.default_rng(seed).uniform(0.01, 100.0, size=(len(digits.X), 1))
    one, other = fit(digits.X), fit(digits.X * lengths)
    assert_array_equal(other.labels_, one.labels_)
    assert_allclose(other.cluster_centers_, one.cluster_centers_, atol=1e-6)


def test_sparse_rows_give_the_same(digits):
    sparse, dense = fit(sp.csr_matrix(digits.X)), fit(digits.X)
    assert_array_equal(sparse.labels_, dense.labels_)
    assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, atol=1e-9)
    assert_array_equal(sparse.predict(sp.csr_matrix(digits.X)), dense.labels_)


def test_rows_of_zeros_fall_to_the_first_cluster(digits):
    X = np.vstack((digits.X[:500], np.zeros((3, 64))))
    model = fit(X)
    assert_array_equal(model.labels_[500:], 0)
    assert_array_equal(model.predict(np.zeros((1, 64))), [0])


def test_all_clusters_are_used(digits):
    model = fit(digits.X[:300], n_clusters=150, init="random")
    assert model.cluster_sizes_.min() >= 1


def test_new_rows_go_to_the_prototype_of_the_largest_cosine(digits):
    model = fit(digits.X[:1500])
    assert_array_equal(model.predict(digits.X[:1500]), model.labels_)
    new = digits.X[1500:]
    assert_array_equal(model.predict(new), (new @ model.cluster_centers_.T).argmax(axis=1))
    assert model.predict(new).dtype == np.int32


def test_a_seed_decides_the_result_and_threads_do_not(digits):
    first, again, other = (
        fit(digits.X, random_state=s, n_jobs=n) for s, n in ((3, 1), (3, 3), (4, 1))
    )
    assert_array_equal(first.cluster_centers_, again.cluster_centers_)
    assert not np.array_equal(first.labels_, other.labels_)


def test_a_wrong_start_is_refused(digits):
    with pytest.raises(ValueError, match=r"^init='smoothed' must be one of 'k-means\+\+', 'rand"):
        fit(digits.X, init="smoothed")
