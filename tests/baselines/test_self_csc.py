"""Self-constrained spectral clustering: values on the digits, and clusters of new rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import NeighborSpectralClustering, SelfCSC
from graphpac.metrics import score_labels


def fit(X, n_clusters=10, **parameters):
    return SelfCSC(n_clusters, **{"random_state": 0, **parameters}).fit(X)


@pytest.fixture(scope="module")
def model(digits):
    """A fit of most digits; the others are new rows."""
    return fit(digits.X[:1500])


def test_digits(digits):
    """The value of the specification, with a margin for other seeds."""
    found = [fit(digits.X, random_state=seed) for seed in range(5)]
    assert np.mean([score_labels(digits.y, model.labels_).nmi for model in found]) >= 0.883 - 0.03


def test_it_is_called_a_reconstruction():
    first_lines = SelfCSC.__doc__.splitlines()[:3]
    assert "reconstruction" in " ".join(first_lines)


def test_what_a_fit_leaves(model):
    assert model.n_iter_ == len(model.history_) <= 20
    assert model.objective_ == model.history_[-1]
    assert set(model.timings_) == {"graph", "start", "optimize"}
    assert_allclose(model.embedding_.T @ model.embedding_, np.eye(10), atol=1e-10)


def test_the_objective_falls_on_the_digits(model):
    assert model.history_[-1] < model.history_[0]


def test_without_self_constraints_it_is_spectral_clustering(digits):
    plain = NeighborSpectralClustering(10, random_state=0).fit(digits.X)
    free = fit(digits.X, pairwise_weight=0.0, label_weight=0.0)
    assert score_labels(plain.labels_, free.labels_).ari > 0.9


def test_parts_of_the_graph_are_clusters(seed):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(4), [30, 200, 70, 150]))
    X = 100.0 * groups[:, None] + rng.normal(size=(450, 3))
    assert score_labels(groups, fit(X, 4, random_state=seed).labels_).ari == 1.0


def test_new_rows_get_the_label_of_their_neighbors(digits, model):
    labels = model.predict(digits.X[1500:])
    assert score_labels(digits.y[1500:], labels).nmi > 0.75
    alone = [model.predict(digits.X[i : i + 1])[0] for i in range(1500, 1505)]
    assert_array_equal(alone, labels[:5])
    assert_array_equal(model.predict(digits.X[:1500]), model.labels_)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_sparse_rows_give_the_labels_of_dense_ones(digits, metric):
    X = digits.X[:600]
    dense, sparse = fit(X, metric=metric), fit(sp.csr_array(X), metric=metric)
    assert score_labels(dense.labels_, sparse.labels_).ari > 0.95


def test_one_threads_bits_are_those_of_many(digits):
    first, second = (fit(digits.X, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert_array_equal(first.labels_, second.labels_)
    assert first.objective_ == second.objective_
