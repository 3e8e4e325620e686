"""Memberships of new rows: they agree with the fit, and each row stands alone."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import GPAC, SolverOptions
from graphpac.graph.precomputed import nearest_columns
from graphpac.graph.weights import local_scale, query_weights
from graphpac.prediction.training import TrainingRows

VARIANTS = [
    {},
    {"n_clusters": 70},
    {"searcher": "faiss"},
    {"metric": "euclidean"},
    {"metric": "inner_product"},
    {"solver": SolverOptions(kernel="uniform")},
]


def fit(X, **parameters):
    return GPAC(**{"n_clusters": 10, "max_iter": 8, "random_state": 0, **parameters}).fit(X)


@pytest.mark.filterwarnings("ignore:only .* clusters have samples")
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_each_row_stands_alone(digits, variant, seed):
    model = fit(digits.X[:1500], **variant)
    rng = np.random.default_rng(seed)
    X = digits.X[1000:1300] + rng.normal(scale=0.5, size=(300, 64))
    together = model.predict_memberships(X).toarray()
    order = rng.permutation(300)
    np.testing.assert_array_equal(model.predict_memberships(X[order]).toarray(), together[order])
    some = rng.choice(300, 37, replace=False)
    np.testing.assert_array_equal(model.predict_memberships(X[some]).toarray(), together[some])
    for row in some[:5]:
        alone = model.predict_memberships(X[row : row + 1]).toarray()[0]
        np.testing.assert_array_equal(alone, together[row])


@pytest.mark.filterwarnings("ignore:only .* clusters have samples")
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_memberships_are_shares(digits, variant):
    model = fit(digits.X[:1000], **variant)
    memberships = model.predict_memberships(digits.X[1000:])
    assert memberships.dtype == np.float32
    assert memberships.has_sorted_indices
    dense = model.predict_proba(digits.X[1000:])
    assert dense.dtype == np.float32
    np.testing.assert_array_equal(dense, memberships.toarray())
    np.testing.assert_array_equal(dense, model.transform(digits.X[1000:]))
    np.testing.assert_allclose(dense.sum(axis=1), 1.0, atol=1e-6)
    labels = model.predict(digits.X[1000:])
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(labels, dense.argmax(axis=1))


@pytest.mark.parametrize("searcher", ["exact", "faiss"])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_training_rows_keep_their_memberships(digits, metric, searcher):
    model = GPAC(n_clusters=10, metric=metric, searcher=searcher, random_state=0).fit(digits.X)
    predicted = model.predict_memberships(digits.X)
    np.testing.assert_array_equal(predicted.toarray(), model.memberships_.toarray())
    np.testing.assert_array_equal(model.predict(digits.X), model.labels_)


def test_rows_near_training_rows_mostly_keep_their_label(digits, monkeypatch):
    """The rules for rows that are training rows do not hide an average that disagrees."""
    model = GPAC(n_clusters=10, random_state=0).fit(digits.X)
    nobody = np.full(digits.X.shape[0], -1, dtype=np.int32)
    monkeypatch.setattr(TrainingRows, "known", lambda self, X: nobody)
    monkeypatch.setattr("graphpac.prediction.average._SAME_ROW", {})
    assert np.mean(model.predict(digits.X) == model.labels_) >= 0.99


@pytest.mark.slow
def test_mnist_training_rows_keep_their_label(dataset):
    X = dataset("mnist").X
    model = GPAC(n_clusters=10, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "inner_product"])
def test_a_new_row_gets_the_weighted_average_of_its_neighbors(digits, metric):
    model = fit(digits.X[:500], metric=metric, n_neighbors=4)
    new = digits.X[600:603] + 0.5
    rows, queries = digits.X[:500].astype(float), new.astype(float)
    if metric == "cosine":
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    distances = {
        "cosine": 1.0 - queries @ rows.T,
        "euclidean": np.linalg.norm(queries[:, None] - rows, axis=2),
        "inner_product": -queries @ rows.T,
    }[metric]
    nearest = np.argsort(distances, axis=1)[:, :4]
    values = np.take_along_axis(distances, nearest, axis=1)
    values = -values if metric == "inner_product" else values
    weights = query_weights(values.astype(np.float32), metric, local_scale(model.graph_))
    expected = np.einsum("qk,qkc->qc", weights, model.memberships_.toarray()[nearest])
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-4)


def test_large_queries_are_cut_into_blocks(digits, monkeypatch):
    model = fit(digits.X)
    expected = model.predict_memberships(digits.X + 0.5)
    monkeypatch.setattr("graphpac.prediction.training._BLOCK_ENTRIES", 64)
    monkeypatch.setattr("graphpac.prediction.training._FEWEST_BLOCK_ROWS", 100)
    assert (model.predict_memberships(digits.X + 0.5) != expected).nnz == 0


def test_predicting_leaves_the_estimator_unchanged(digits):
    model = fit(digits.X)
    before = dict(vars(model))
    model.predict(digits.X[:2])
    assert vars(model) == before


def test_distances_to_all_training_samples(digits):
    rows, new = digits.X[:300], digits.X[300:340]

    def distances(X):
        return np.linalg.norm(X[:, None].astype(float) - rows, axis=2)

    of_rows = fit(rows, metric="euclidean", n_clusters=5, init="random")
    of_dense = fit(distances(rows), metric="precomputed", n_clusters=5, init="random")
    of_sparse = fit(
        sp.csr_matrix(distances(rows)), metric="precomputed", n_clusters=5, init="random"
    )
    np.testing.assert_array_equal(of_dense.graph_.indices, of_sparse.graph_.indices)
    np.testing.assert_array_equal(of_dense.graph_.indices, of_rows.graph_.indices)
    np.testing.assert_array_equal(of_dense.labels_, of_rows.labels_)
    expected = of_rows.predict_proba(new)
    np.testing.assert_allclose(of_dense.predict_proba(distances(new)), expected, atol=1e-4)
    sparse = sp.csr_matrix(distances(new))
    np.testing.assert_allclose(of_dense.predict_proba(sparse), expected, atol=1e-4)


def test_nearest_columns_break_ties_by_number():
    distances = np.array([[2.0, 1.0, 1.0, 0.0, 1.0], [3.0, 3.0, 3.0, 3.0, 3.0]])
    found = nearest_columns(distances, 3)
    assert found.indices.tolist() == [[3, 1, 2], [0, 1, 2]]
    assert found.values.tolist() == [[0.0, 1.0, 1.0], [3.0, 3.0, 3.0]]


def test_columns_that_are_not_stored_are_no_neighbors():
    entries = ([4.0, 0.0, 1.0], ([0, 0, 2], [0, 3, 1]))
    found = nearest_columns(sp.csr_matrix(entries, shape=(3, 4)), 2)
    assert found.indices.tolist() == [[3, 0], [-1, -1], [1, -1]]
    assert found.values.tolist() == [[0.0, 4.0], [np.inf, np.inf], [1.0, np.inf]]


def test_a_row_without_neighbors_is_uniform(digits):
    distances = np.linalg.norm(digits.X[:50, None] - digits.X[:50], axis=2)
    model = fit(distances, metric="precomputed", n_clusters=4, n_neighbors=5)
    np.testing.assert_allclose(model.predict_proba(sp.csr_matrix((1, 50))), 0.25)


def test_half_precision_rows_where_the_training_rows_are_sparse(digits):
    model = fit(sp.csr_matrix(digits.X[:300]), max_iter=3)
    new = digits.X[:20].astype(np.float16)
    expected = model.predict(sp.csr_matrix(digits.X[:20]))
    np.testing.assert_array_equal(model.predict(new), expected)
