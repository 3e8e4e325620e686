"""K-sums: values on the digits, equal sizes, starts, and clusters of new rows."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import GPAC, KSums, build_neighbor_graph
from graphpac.metrics import score_labels
from tests.reference import ksums as reference


def fit(X, **parameters):
    return KSums(**{"n_clusters": 10, "n_neighbors": 20, "random_state": 0, **parameters}).fit(X)


@pytest.fixture(scope="module")
def model(digits):
    """A fit of most digits; the others are new rows."""
    return fit(digits.X[:1500])


@pytest.mark.parametrize(
    ("n_neighbors", "nmi", "sizes"), [(20, 0.718, (178, 183)), (215, 0.761, (170, 188))]
)
def test_digits(digits, n_neighbors, nmi, sizes):
    """Values and sizes of the specification, with a margin for other seeds."""
    found = []
    for seed in range(5):
        model = fit(digits.X, n_neighbors=n_neighbors, random_state=seed)
        assert model.converged_
        assert np.all(np.diff(model.history_) <= 0.0)
        assert sizes[0] - 6 <= model.cluster_sizes_.min()
        assert model.cluster_sizes_.max() <= sizes[1] + 6
        found.append(score_labels(digits.y, model.labels_).nmi)
    assert np.mean(found) >= nmi - 0.03


def test_the_objective_is_the_sum_of_distances_inside_clusters(digits):
    X = digits.X[:300]
    model = fit(X)
    graph = build_neighbor_graph(X, 20, metric="euclidean")
    distances, _ = reference.dense_distances(graph)
    assert_allclose(model.objective_, reference.objective(distances, model.labels_), rtol=1e-6)
    assert model.objective_ == model.history_[-1]
    assert model.n_iter_ == len(model.history_)
    assert set(model.timings_) == {"graph", "start", "optimize"}


@pytest.mark.parametrize(
    ("n_clusters", "expected"), [(1, 200), (10, 36), (7, 51), (300, 1), (2, 180)]
)
def test_the_automatic_number_of_neighbors(digits, n_clusters, expected):
    X = digits.X[:300]
    model = fit(X, n_clusters=n_clusters, n_neighbors="auto")
    assert model.n_neighbors_ == expected
    asked = fit(X, n_clusters=n_clusters, n_neighbors=expected)
    assert_array_equal(model.labels_, asked.labels_)


def test_there_are_no_more_neighbors_than_other_rows(digits):
    assert fit(digits.X[:30], n_clusters=3, n_neighbors=500).n_neighbors_ == 29


def test_cosine_is_euclidean_on_unit_rows(digits):
    X = digits.X[:500]
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosine, euclidean = fit(X, metric="cosine"), fit(unit)
    assert np.mean(cosine.labels_ == euclidean.labels_) > 0.99
    assert_allclose(cosine.objective_, euclidean.objective_, rtol=1e-3)


def test_sparse_rows_are_as_good_as_dense_ones(digits):
    X = digits.X[:500]
    sparse, dense = fit(sp.csr_matrix(X)), fit(X)
    assert_array_equal(sparse.labels_, dense.labels_)
    new = digits.X[500:600]
    assert_array_equal(sparse.predict(sp.csr_matrix(new)), dense.predict(new))


def test_many_clusters_are_all_used(digits):
    model = fit(digits.X[:1000], n_clusters=250, n_neighbors="auto")
    assert model.cluster_sizes_.min() >= 2
    assert model.cluster_sizes_.max() <= 8


def test_threads_make_no_difference(digits):
    one, three = (fit(digits.X[:1000], n_jobs=n_jobs) for n_jobs in (1, 3))
    assert_array_equal(one.labels_, three.labels_)
    assert one.history_ == three.history_
    assert_array_equal(one.predict(digits.X[1000:]), three.predict(digits.X[1000:]))


@pytest.mark.parametrize("init", ["graph", "random"])
def test_a_seed_decides_the_result(digits, init):
    first, again, other = (fit(digits.X[:500], init=init, random_state=s) for s in (3, 3, 4))
    assert_array_equal(first.labels_, again.labels_)
    assert not np.array_equal(first.labels_, other.labels_)


def test_a_fit_goes_on_from_labels(digits, model):
    X = digits.X[:1500]
    start = model.labels_.copy()
    again = fit(X, init=model.labels_, random_state=5)
    assert again.n_iter_ == 1
    assert_array_equal(again.labels_, start)
    assert again.labels_ is not model.labels_


def test_a_fit_starts_from_memberships_or_a_model(digits):
    X = digits.X[:500]
    fuzzy = GPAC(n_clusters=10, max_iter=5, random_state=0).fit(X)
    from_labels = fit(X, init=fuzzy.labels_)
    assert_array_equal(fit(X, init=fuzzy.memberships_).labels_, from_labels.labels_)
    assert_array_equal(fit(X, init=fuzzy).labels_, from_labels.labels_)


def test_a_wrong_start_is_refused(digits):
    with pytest.raises(ValueError, match="^init='smoothed' must be one of 'graph', 'random', "):
        fit(digits.X, init="smoothed")
    with pytest.raises(ValueError, match="^init holds 3 labels for 1797 samples"):
        fit(digits.X, init=[0, 1, 2])
    with pytest.raises(ValueError, match="^metric='inner_product' must be one of 'euclidean', "):
        fit(digits.X, metric="inner_product")
    with pytest.raises(ValueError, match="^n_neighbors='all' must be 'auto' or a whole number"):
        fit(digits.X, n_neighbors="all")


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("searcher", ["exact", "faiss"])
def test_training_rows_keep_their_label(digits, metric, searcher):
    model = fit(digits.X, metric=metric, searcher=searcher)
    assert np.mean(model.predict(digits.X) == model.labels_) >= 0.99


def test_duplicates_get_the_label_most_of_them_have():
    X = np.repeat([[0.0], [10.0]], [5, 4], axis=0)
    labels = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1])
    model = fit(X, n_clusters=2, n_neighbors=4, init=labels, max_iter=1)
    most = np.bincount(model.labels_[:5]).argmax()
    assert_array_equal(model.predict([[0.0]]), [most])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_new_rows_follow_the_rule_of_the_fit(digits, metric):
    """Neighbors of each new row among the training rows, by scikit-learn, cost by cost."""
    from sklearn.neighbors import NearestNeighbors

    train, new = digits.X[:1500], digits.X[1500:1600]
    model = fit(train, metric=metric)
    if metric == "cosine":
        train, new = (X / np.linalg.norm(X, axis=1, keepdims=True) for X in (train, new))
    _, longest = reference.dense_distances(build_neighbor_graph(train, 20, metric="euclidean"))
    distances, neighbors = NearestNeighbors(n_neighbors=20).fit(train).kneighbors(new)
    expected = [
        reference.predict(found, squares, model.labels_, 10, longest)
        for found, squares in zip(neighbors, distances**2, strict=True)
    ]
    assert np.mean(model.predict(digits.X[1500:1600]) == expected) >= 0.99


def test_each_row_stands_alone(digits, model, seed):
    rng = np.random.default_rng(seed)
    X = digits.X[1500:]
    together = model.predict(X)
    order = rng.permutation(len(X))
    assert_array_equal(model.predict(X[order]), together[order])
    for row in order[:5]:
        assert_array_equal(model.predict(X[row : row + 1]), together[row : row + 1])


def test_new_rows_are_mostly_where_their_class_is(digits, model):
    known = score_labels(digits.y[:1500], model.labels_).nmi
    assert score_labels(digits.y[1500:], model.predict(digits.X[1500:])).nmi >= known - 0.1


def test_rows_far_from_all_go_to_the_smallest_cluster(model):
    far = np.full((1, 64), 1e9)
    assert_array_equal(model.predict(far), [model.cluster_sizes_.argmin()])


def test_a_model_survives_pickling(digits, model):
    X = digits.X[1500:]
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
