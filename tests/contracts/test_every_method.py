"""What holds for every method: bad input, odd input, the same bits on any threads."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from graphpac.metrics import score_labels
from tests.contracts.estimators import ESTIMATORS, SPLITS_SMALL_GROUPS

METHODS = [
    estimator
    for estimator, _ in ESTIMATORS
    if type(estimator).__name__ != "GPAC"  # has contracts of its own, and stricter ones
]
every_method = pytest.mark.parametrize("method", METHODS, ids=repr)


@pytest.fixture
def rows(seed):
    """Sixty rows in three far groups, read-only: whoever writes into the caller's array fails."""
    rng = np.random.default_rng(seed)
    X = 8.0 * np.eye(3, 5)[np.arange(60) % 3] + rng.normal(size=(60, 5))
    X.flags.writeable = False
    return X


def fitted(method, X, **parameters):
    """Fit a copy of a method, told of three clusters if it can be."""
    model = clone(method)
    known = model.get_params()
    given = {"n_clusters": 3, "n_neighbors": 8, "random_state": 0, **parameters}
    model.set_params(**{name: value for name, value in given.items() if name in known})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


def assert_sound(model, n_samples):
    """Check what must hold for every fitted model."""
    labels = model.labels_
    assert labels.shape == (n_samples,)
    assert labels.dtype == np.int32
    assert labels.min() >= 0
    np.testing.assert_array_equal(
        np.bincount(labels, minlength=model.cluster_sizes_.size), model.cluster_sizes_
    )
    if hasattr(model, "memberships_"):
        memberships = model.memberships_
        assert memberships.shape == (n_samples, model.n_clusters)
        assert memberships.dtype == np.float32
        np.testing.assert_allclose(memberships.sum(axis=1), 1.0, atol=1e-6)
        assert memberships.data.min() >= 0.0
        np.testing.assert_array_equal(memberships.toarray().argmax(axis=1), labels)
        np.testing.assert_array_equal(memberships.toarray().max(axis=1), model.probabilities_)


@every_method
def test_far_groups_are_found(method, rows):
    model = fitted(method, rows)
    assert_sound(model, 60)
    scores = score_labels(np.arange(60) % 3, model.labels_)
    if type(method).__name__ in SPLITS_SMALL_GROUPS:
        assert scores.purity > 0.9
    else:
        assert scores.ari > 0.9
    assert np.mean(model.predict(rows) == model.labels_) >= 0.99


@every_method
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int16, np.uint8])
def test_any_dtype(method, rows, dtype):
    assert_sound(fitted(method, np.round(rows + 20).astype(dtype)), 60)


@every_method
def test_lists_and_order_in_memory(method, rows):
    labels = fitted(method, rows).labels_
    np.testing.assert_array_equal(fitted(method, rows.tolist()).labels_, labels)
    np.testing.assert_array_equal(fitted(method, np.asfortranarray(rows)).labels_, labels)


@every_method
def test_the_same_bits_on_any_threads(method, rows):
    first, second = (fitted(method, rows, n_jobs=n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(first.labels_, second.labels_)
    if hasattr(first, "memberships_"):
        np.testing.assert_array_equal(first.memberships_.data, second.memberships_.data)
    if hasattr(first, "objective_"):
        assert first.objective_ == second.objective_


@every_method
def test_duplicates_a_constant_feature_and_a_row_of_zeros(method, rows):
    X = np.vstack((rows, rows[:20], np.zeros((1, 5))))
    X[:-1, 4] = 7.0
    assert_sound(fitted(method, X), 81)
    assert_sound(fitted(method, np.ones((12, 3))), 12)
    assert_sound(fitted(method, np.zeros((12, 3))), 12)


@every_method
def test_as_many_clusters_as_rows(method, rows):
    if "n_clusters" in method.get_params():
        assert_sound(fitted(method, rows[:6], n_clusters=6), 6)
        assert_sound(fitted(method, rows[:6], n_clusters=1), 6)


@pytest.mark.parametrize("n_empty", [0, 20], ids=["sparse in form only", "sparse"])
@every_method
def test_sparse_rows_work_or_are_refused(method, rows, n_empty):
    few = np.where(np.abs(rows) > 1.0, rows, 0.0)
    X = sp.csr_array(np.pad(few, ((0, 0), (0, n_empty))))
    if method.__sklearn_tags__().input_tags.sparse:
        model = fitted(method, X)
        assert_sound(model, 60)
        assert score_labels(np.arange(60) % 3, model.labels_).ari > 0.9
        assert np.mean(model.predict(X) == model.labels_) >= 0.99
    else:
        with pytest.raises(TypeError, match=r"^X is sparse, but .* needs dense rows: pass X\."):
            fitted(method, X)


@every_method
def test_bad_rows_get_one_sentence(method, rows):
    X = rows.copy()
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match="^X contains NaN in row 7, column 2: remove such rows"):
        fitted(method, X)
    with pytest.raises(ValueError, match="^X has the shape .* instead of .n_samples, n_features."):
        fitted(method, rows[0])
    with pytest.raises(ValueError, match="^n_samples = 1 leaves nothing to compare: pass at least"):
        fitted(method, rows[:1], n_clusters=1)
    if "n_clusters" in method.get_params():
        with pytest.raises(ValueError, match="^n_clusters=61 must be at most 60, the number"):
            fitted(method, rows, n_clusters=61)
        with pytest.raises(ValueError, match="^n_clusters=0 must be "):
            fitted(method, rows, n_clusters=0)


@every_method
def test_every_parameter_has_a_rule(method, rows):
    """A parameter of an impossible type is refused by its name."""
    for name in method.get_params():
        with pytest.raises(ValueError, match=f"^{name}="):
            clone(method).set_params(**{name: {"no": "such value"}}).fit(rows)


@every_method
def test_a_failed_fit_changes_nothing(method, rows):
    model = fitted(method, rows)
    labels = model.labels_
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((4, 5), np.nan))
    np.testing.assert_array_equal(model.labels_, labels)
    assert model.n_features_in_ == 5
