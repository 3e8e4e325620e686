"""FINCH as a user sees it, beside the package of its authors."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from graphpac import FINCH, RememberingSearcher
from graphpac.metrics import score_labels

both_metrics = pytest.mark.parametrize("metric", ["cosine", "euclidean"])


def authors(X, **options):
    """Run the package; its early exit leaves the links it means to remove in place as zeros, which
    connect all the same, so it is without effect and here switched off.
    """
    finch = pytest.importorskip("finch")
    return finch.FINCH(X, ensure_early_exit=False, verbose=False, **options)


def assert_same_partition(found, expected):
    pairs = np.unique(np.column_stack((found, expected)), axis=0)
    assert len(pairs) == found.max() + 1 == len(np.unique(expected))


def blobs(seed, n_samples=500):
    rng = np.random.default_rng(seed)
    centers = 3.0 * rng.normal(size=(9, 7))
    return centers[rng.integers(0, 9, n_samples)] + rng.normal(size=(n_samples, 7))


def test_levels_of_digits(digits):
    model = FINCH().fit(digits.X)
    assert model.n_clusters_per_level_ == (372, 84, 21, 8, 2)
    assert model.partitions_.shape == (1797, 5)
    assert model.partitions_.dtype == np.int32
    assert_array_equal(model.labels_, model.partitions_[:, 3])
    assert set(model.timings_) == {"graph", "levels", "merge"}


def test_ten_clusters_of_digits(digits):
    model = FINCH(10).fit(digits.X)
    scores = score_labels(digits.y, model.labels_)
    assert (scores.acc, scores.nmi, scores.ari) == pytest.approx((0.725, 0.802, 0.601), abs=5e-4)


@both_metrics
def test_digits_are_clustered_as_by_the_authors(metric, digits):
    partitions, sizes, ten = authors(digits.X, distance=metric, req_clust=10)
    model = FINCH(10, metric=metric).fit(digits.X)
    assert model.n_clusters_per_level_ == tuple(sizes)
    for found, expected in zip(model.partitions_.T, partitions.T, strict=True):
        assert_same_partition(found, expected)
    assert_same_partition(model.labels_, ten)


@both_metrics
def test_blobs_are_clustered_as_by_the_authors(metric, seed):
    for data_seed in range(seed, seed + 5):
        X = blobs(data_seed)
        partitions, sizes, seven = authors(X, distance=metric, req_clust=7)
        model = FINCH(7, metric=metric).fit(X)
        assert model.n_clusters_per_level_ == tuple(sizes)
        for found, expected in zip(model.partitions_.T, partitions.T, strict=True):
            assert_same_partition(found, expected)
        assert_same_partition(model.labels_, seven)


def test_exactly_as_many_clusters_as_asked_for_also_among_ties():
    """The authors' package merges the two shortest links, which among ties can be two pairs."""
    X = np.repeat(np.arange(1.0, 7.0), 2)[:, np.newaxis] * [1.0, 0.0] + [0.0, 1.0]
    model = FINCH(5, metric="euclidean").fit(X)
    finest = model.n_clusters_per_level_[0]
    for n_clusters in range(1, finest + 1):
        model = FINCH(n_clusters, metric="euclidean").fit(X)
        assert model.cluster_sizes_.size == n_clusters
        assert model.cluster_sizes_.min() > 0


def test_the_level_nearest_to_a_number(digits):
    model = FINCH().fit(digits.X)
    for n_clusters, size in ((10, 8), (1, 2), (5, 8), (15, 21), (14, 8), (1797, 372)):
        assert model.labels_nearest(n_clusters).max() + 1 == size


def test_more_clusters_than_the_finest_level_has(digits):
    with pytest.warns(
        ConvergenceWarning, match=r"^n_clusters=400 is more than the 372 clusters of the finest"
    ) as caught:
        model = FINCH(400).fit(digits.X)
    assert caught[0].filename == __file__
    assert_array_equal(model.labels_, model.partitions_[:, 0])


def test_early_exit_ends_sooner(digits):
    """The published values of FINCH on Pendigits need this exit; see the next test."""
    assert FINCH(early_exit=True).fit(digits.X).n_clusters_per_level_ == (372, 84, 21, 8, 3)


def test_pendigits_scores_as_published(dataset):
    data = dataset("pendigits")
    model = FINCH(early_exit=True).fit(data.X)
    scores = score_labels(data.y, model.labels_nearest(10))
    assert (scores.nmi, scores.ari) == pytest.approx((0.725, 0.501), abs=5e-4)


def test_early_exit_needs_an_exact_search(digits, caplog):
    caplog.set_level(logging.INFO, logger="graphpac")
    with_exit = FINCH(searcher="faiss", early_exit=True, random_state=0).fit(digits.X)
    assert "early_exit is passed over" in caplog.text
    without = FINCH(searcher="faiss", random_state=0).fit(digits.X)
    assert_array_equal(with_exit.partitions_, without.partitions_)


def test_early_exit_sees_through_a_searcher_that_remembers(digits):
    model = FINCH(early_exit=True, searcher=RememberingSearcher()).fit(digits.X)
    assert model.n_clusters_per_level_ == (372, 84, 21, 8, 3)


def test_new_rows_go_with_their_nearest_training_row(digits):
    model = FINCH(10).fit(digits.X[:1500])
    new = digits.X[1500:]
    unit = digits.X / np.linalg.norm(digits.X, axis=1, keepdims=True)
    nearest = (unit[1500:] @ unit[:1500].T).argmax(axis=1)
    assert np.mean(model.predict(new) == model.labels_[nearest]) >= 0.99
    assert_array_equal(model.predict(digits.X[:1500]), model.labels_)


@both_metrics
@pytest.mark.parametrize("n_clusters", [None, 10])
def test_sparse_rows_give_the_clusters_of_dense_ones(metric, n_clusters, digits):
    dense = FINCH(n_clusters, metric=metric).fit(digits.X)
    sparse = FINCH(n_clusters, metric=metric).fit(sp.csr_matrix(digits.X))
    assert_array_equal(sparse.partitions_, dense.partitions_)
    assert_array_equal(sparse.labels_, dense.labels_)


@both_metrics
@pytest.mark.parametrize("factor", [2.0**-100, 2.0**100])
def test_tiny_and_huge_values(metric, factor, digits):
    X = digits.X.astype(np.float64)
    expected = FINCH(10, metric=metric, early_exit=True).fit(X)
    model = FINCH(10, metric=metric, early_exit=True).fit(factor * X)
    assert model.n_clusters_per_level_ == expected.n_clusters_per_level_
    assert_array_equal(model.labels_, expected.labels_)


@both_metrics
@pytest.mark.parametrize("early_exit", [False, True])
def test_duplicates_and_rows_of_zeros(metric, early_exit, seed):
    X = np.vstack((blobs(seed, 60), blobs(seed, 60), np.zeros((5, 7))))
    model = FINCH(metric=metric, early_exit=early_exit).fit(X)
    finest = model.partitions_[:, 0]
    assert_array_equal(finest[:60], finest[60:120])
    assert len(np.unique(finest[120:])) == 1
    assert_array_equal(model.predict(X), model.labels_)


def test_without_merging_the_nearest_level_is_taken(digits):
    model = FINCH(n_clusters=10, merge=False).fit(digits.X)
    assert model.cluster_sizes_.size == 8
    np.testing.assert_array_equal(model.labels_, model.labels_nearest(10))
