"""The neighbor search behind the face of scikit-learn's KNeighborsTransformer."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphpac import GPAC, NeighborTransformer, build_neighbor_graph
from graphpac.metrics import clustering_accuracy


@pytest.fixture
def rows(seed):
    """Rows without ties, in numbers that both sides hold exactly."""
    values = np.random.default_rng(seed).standard_normal((60, 5))
    return values.astype(np.float32).astype(np.float64)


@parametrize_with_checks([NeighborTransformer(), NeighborTransformer(metric="cosine")])
def test_estimator_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_the_graph_is_that_of_scikit_learn(rows, metric, form):
    ours = NeighborTransformer(7, metric=metric, searcher="exact").fit(form(rows[:40]))
    theirs = KNeighborsTransformer(n_neighbors=7, metric=metric).fit(rows[:40])

    for found, expected in (
        (ours.transform(form(rows[40:])), theirs.transform(rows[40:])),
        (ours.transform(form(rows[:40])), theirs.transform(rows[:40])),
        (clone(ours).fit_transform(form(rows[:40])), theirs.fit_transform(rows[:40])),
    ):
        assert found.shape == expected.shape
        assert_array_equal(found.indptr, expected.indptr)
        assert_array_equal(found.indices, expected.indices)
        assert_allclose(found.data, expected.data, rtol=1e-4, atol=1e-6)
        assert found.dtype == np.float32
    assert_array_equal(
        ours.get_feature_names_out()[:2], ["neighbortransformer0", "neighbortransformer1"]
    )


def test_the_search_is_that_of_the_graph(digits):
    found = NeighborTransformer(6, metric="cosine").fit_transform(digits.X)

    graph = build_neighbor_graph(digits.X, 6, metric="cosine")
    neighbors = found.indices.reshape(-1, 7)
    assert_array_equal(neighbors[:, 0], np.arange(len(digits.X)))
    assert_array_equal(neighbors[:, 1:].ravel(), graph.indices)


def test_of_equal_rows_each_finds_itself_first():
    found = NeighborTransformer(2).fit_transform(np.zeros((5, 3)))

    assert_array_equal(found.indices.reshape(5, 3)[:, 0], np.arange(5))
    assert_array_equal(found.data, 0.0)


def test_where_rows_are_few_all_are_neighbors(rows):
    transformer = NeighborTransformer(100).fit(rows[:4])

    assert_array_equal(np.diff(transformer.transform(rows[4:9]).indptr), 4)
    assert_array_equal(np.diff(transformer.fit_transform(rows[:4]).indptr), 4)


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_distances_beyond_single_precision(rows, size):
    found = NeighborTransformer(3).fit_transform(rows * size)

    expected = NeighborTransformer(3).fit_transform(rows).data.astype(np.float64) * size
    assert_allclose(found.data, expected, rtol=1e-4)


@pytest.mark.parametrize("searcher", ["faiss", pytest.param("nndescent", marks=pytest.mark.slow)])
def test_approximate_searchers_agree_with_themselves(digits, searcher, seed):
    if searcher == "nndescent":
        pytest.importorskip("pynndescent")
    make = NeighborTransformer(5, searcher=searcher, random_state=seed, n_jobs=2)
    first, again = make.fit_transform(digits.X), clone(make).fit_transform(digits.X)

    assert (first != again).nnz == 0
    exact = NeighborTransformer(5).fit_transform(digits.X)
    assert np.mean(first.indices == exact.indices) > 0.9


def test_in_a_pipeline_before_the_clusters(digits):
    pipeline = make_pipeline(
        NeighborTransformer(10), GPAC(10, metric="precomputed", random_state=0)
    )

    labels = pipeline.fit_predict(digits.X)

    assert clustering_accuracy(digits.y, labels) > 0.8
    assert np.mean(pipeline.predict(digits.X) == labels) > 0.99


def test_a_pickle_finds_the_same(rows):
    transformer = NeighborTransformer(4).fit(rows[:40])

    copied = pickle.loads(pickle.dumps(transformer))

    assert_array_equal(copied.transform(rows).toarray(), transformer.transform(rows).toarray())


def test_bad_parameters_and_use_before_the_fit_are_refused(rows):
    with pytest.raises(ValueError, match="metric='inner_product' must be one of 'cosine', 'eucl"):
        NeighborTransformer(metric="inner_product").fit(rows)
    with pytest.raises(ValueError, match="n_neighbors=0 must be a whole number from 1 up"):
        NeighborTransformer(0).fit(rows)
    with pytest.raises(NotFittedError):
        NeighborTransformer().transform(rows)
