"""RCC: what it finds on digits, scalings, prediction and data it cannot measure."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import RCC
from graphpac.baselines._scaling import FeatureScaling
from graphpac.metrics import score_labels


@pytest.fixture(scope="module")
def fitted(digits):
    return RCC(random_state=0).fit(digits.X)


def test_digits_are_found_without_their_number(digits):
    """Edges by cosine, then by Euclidean distance, on pixels from 0 to 1: see the specification."""
    X = digits.X / 16
    for metric, n_clusters, nmi in (("cosine", 25, 0.899), ("euclidean", 24, 0.871)):
        model = RCC(metric=metric, scaling="none", random_state=0).fit(X)
        assert abs(model.n_clusters_ - n_clusters) <= 1
        assert score_labels(digits.y, model.labels_).nmi == pytest.approx(nmi, abs=0.01)


def test_the_seed_does_not_matter(digits, fitted):
    for seed in range(1, 5):
        other = RCC(random_state=seed).fit(digits.X)
        assert score_labels(fitted.labels_, other.labels_).ari > 0.99
    assert score_labels(digits.y, fitted.labels_).nmi > 0.87


def test_what_a_fit_leaves(digits, fitted):
    assert fitted.cluster_sizes_.size == fitted.n_clusters_
    assert fitted.cluster_sizes_.min() >= 1
    assert fitted.representatives_.shape == digits.X.shape
    assert fitted.representatives_.dtype == np.float32
    assert fitted.objective_ == fitted.history_[-1]
    assert fitted.n_iter_ == len(fitted.history_) < 100
    assert fitted.converged_
    assert set(fitted.timings_) == {"start", "graph", "optimize"}


def test_representatives_of_a_cluster_are_close(digits, fitted):
    """The method works if groups collapse: to a small part of their width in the data."""
    scaled = FeatureScaling.learned(digits.X, "min-max").apply(digits.X, 1)
    largest = fitted.labels_ == fitted.cluster_sizes_.argmax()
    before, after = scaled[largest].std(axis=0), fitted.representatives_[largest].std(axis=0)
    assert np.linalg.norm(after) < 0.2 * np.linalg.norm(before)


def test_predict_gives_the_cluster_of_the_nearest_row(digits, fitted):
    X = digits.X[:200] + 0.01 * np.random.default_rng(0).normal(size=(200, 64))
    assert np.mean(fitted.predict(X) == fitted.labels_[:200]) > 0.99
    assert_array_equal(fitted.predict(digits.X), fitted.labels_)
    assert_array_equal(fitted.predict(X[:3]), fitted.predict(X)[:3])


def test_min_max_does_not_depend_on_units(digits, fitted):
    """Powers of two and whole numbers, so that nothing is rounded."""
    factors = 2.0 ** np.random.default_rng(0).integers(-8, 8, size=64)
    model = RCC(random_state=0).fit(digits.X * factors + 3.0)
    assert_array_equal(model.labels_, fitted.labels_)
    assert_array_equal(model.representatives_, fitted.representatives_)


def test_groups_of_enough_rows_are_found(seed):
    rng = np.random.default_rng(seed)
    truth = np.arange(1500) % 5
    X = 12.0 * rng.normal(size=(5, 20))[truth] + rng.normal(size=(1500, 20))
    model = RCC(metric="euclidean", scaling="none", random_state=0).fit(X)
    assert score_labels(truth, model.labels_).ari > 0.95


def test_fewer_rows_than_neighbors():
    X = np.array([[0.0, 1.0], [0.0, 1.1], [5.0, 0.0]])
    model = RCC(n_neighbors=50, random_state=0).fit(X)
    assert model.labels_.shape == (3,)
    assert model.labels_[0] != model.labels_[2]


@pytest.mark.parametrize("value", [0.0, 3.0, -1e6])
def test_equal_rows_are_one_cluster(value):
    model = RCC(random_state=0).fit(np.full((30, 4), value))
    assert_array_equal(model.labels_, np.zeros(30))
    assert model.n_clusters_ == 1
    assert model.converged_


def test_huge_and_tiny_numbers(digits):
    X = digits.X[:200].astype(np.float64)
    for factor in (1e-200, 1e200):
        model = RCC(scaling="none", metric="euclidean", random_state=0).fit(X * factor)
        assert np.all(np.isfinite(model.representatives_))
        assert model.labels_.shape == (200,)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_scalings(digits, dtype, order):
    X = np.asarray(digits.X, dtype=dtype, order=order)
    exact = digits.X.astype(np.float64)
    spans = np.where(np.ptp(exact, axis=0) > 0, np.ptp(exact, axis=0), 1.0)
    spreads = np.where(exact.std(axis=0) > 0, exact.std(axis=0), 1.0)
    expected = {
        "none": exact,
        "min-max": (exact - exact.min(axis=0)) / spans,
        "standardize": (exact - exact.mean(axis=0)) / spreads,
        "unit": 8.0 * exact / np.linalg.norm(exact, axis=1, keepdims=True),
    }
    for scaling, rows in expected.items():
        found = FeatureScaling.learned(X, scaling).apply(X, 1)
        assert found.dtype == np.float32
        assert found.flags.c_contiguous
        assert_allclose(found, rows, rtol=1e-6, atol=1e-6)
