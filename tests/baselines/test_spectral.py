"""Spectral clustering: values on the digits, parts of the graph, clusters of new rows."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import NeighborSpectralClustering
from graphpac.metrics import score_labels


def fit(X, n_clusters=10, **parameters):
    return NeighborSpectralClustering(n_clusters, **{"random_state": 0, **parameters}).fit(X)


@pytest.fixture(scope="module")
def model(digits):
    """A fit of most digits; the others are new rows."""
    return fit(digits.X[:1500])


@pytest.mark.parametrize(("affinity", "nmi"), [("heat", 0.875), ("binary", 0.854)])
def test_digits(digits, affinity, nmi):
    """Values of the specification, with a margin for other seeds."""
    found = [fit(digits.X, affinity=affinity, random_state=seed) for seed in range(5)]
    assert np.mean([score_labels(digits.y, model.labels_).nmi for model in found]) >= nmi - 0.03


def test_what_a_fit_leaves(model):
    assert model.converged_
    assert model.n_iter_ >= 1
    assert set(model.timings_) == {"graph", "start", "optimize"}
    assert_allclose(model.embedding_.T @ model.embedding_, np.eye(10), atol=1e-10)
    assert np.all(np.diff(model.eigenvalues_) <= 0.0)
    assert_allclose(model.eigenvalues_[0], 1.0, atol=1e-9)


def test_the_objective_is_the_scatter_of_directions(model):
    rows = model.embedding_ / np.linalg.norm(model.embedding_, axis=1, keepdims=True)
    means = np.stack([rows[model.labels_ == label].mean(axis=0) for label in range(10)])
    assert_allclose(model.objective_, np.square(rows - means[model.labels_]).sum(), rtol=1e-6)


def test_new_rows_get_the_label_of_their_neighbors(digits, model):
    labels = model.predict(digits.X[1500:])
    assert labels.dtype == np.int32
    assert score_labels(digits.y[1500:], labels).nmi > 0.75
    alone = [model.predict(digits.X[i : i + 1])[0] for i in range(1500, 1505)]
    assert_array_equal(alone, labels[:5])
    assert_array_equal(model.predict(digits.X[:1500]), model.labels_)


def test_parts_of_the_graph_are_clusters(seed):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(4), [30, 200, 70, 150]))
    X = 100.0 * groups[:, None] + rng.normal(size=(450, 3))
    found = fit(X, 4, random_state=seed)
    assert score_labels(groups, found.labels_).ari == 1.0
    assert_allclose(found.eigenvalues_, 1.0, atol=1e-9)


def test_more_parts_than_clusters_are_told_of(seed, caplog):
    X = 100.0 * np.repeat(np.arange(5), 40)[:, None]
    X = X + np.random.default_rng(seed).normal(size=(200, 2))
    with caplog.at_level(logging.INFO, logger="graphpac"):
        found = fit(X, 3)
    assert "5 parts with no edge between them, more than n_clusters=3" in caplog.text
    # A part is never divided.
    assert all(np.unique(part).size == 1 for part in found.labels_.reshape(5, 40))


def test_rings_that_no_center_describes(seed):
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0.0, 2.0 * np.pi, 600)
    radii = np.repeat([1.0, 3.0], 300) + rng.normal(scale=0.1, size=600)
    X = np.column_stack((radii * np.cos(angles), radii * np.sin(angles)))
    assert score_labels(np.repeat([0, 1], 300), fit(X, 2).labels_).ari == 1.0


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_sparse_rows_give_the_labels_of_dense_ones(digits, metric):
    X = digits.X[:600]
    dense, sparse = fit(X, metric=metric), fit(sp.csr_array(X), metric=metric)
    assert score_labels(dense.labels_, sparse.labels_).ari > 0.95


def test_one_threads_bits_are_those_of_many(digits):
    first, second = (fit(digits.X, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert_array_equal(first.labels_, second.labels_)
    assert_array_equal(first.embedding_, second.embedding_)


def test_the_inner_product_is_no_distance(digits):
    with pytest.raises(ValueError, match="^metric='inner_product' must be one of"):
        fit(digits.X, metric="inner_product")
