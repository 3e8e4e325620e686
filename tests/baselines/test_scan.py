"""SCANHead on digits, its memberships of new rows, collapse, and self-labeling."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from graphpac import SCANHead
from graphpac.metrics import score_labels


@pytest.fixture
def rows(seed):
    """Ninety rows in three groups that touch."""
    rng = np.random.default_rng(seed)
    return 3.0 * np.eye(3, 5)[np.arange(90) % 3] + rng.normal(size=(90, 5))


def entropy_of(model):
    """Entropy of the mean membership."""
    shares = model.memberships_.toarray().mean(axis=0, dtype=np.float64)
    return -np.sum(shares * np.log(shares))


@pytest.mark.slow
def test_digits_are_found_and_nothing_collapses(digits):
    models = [SCANHead(10, random_state=seed).fit(digits.X) for seed in range(5)]
    assert np.mean([score_labels(digits.y, model.labels_).nmi for model in models]) > 0.84
    assert min(entropy_of(model) for model in models) > 0.99 * np.log(10)


def test_few_steps_find_most_of_digits(digits):
    model = SCANHead(10, max_iter=150, n_heads=5, random_state=0).fit(digits.X)
    assert score_labels(digits.y, model.labels_).nmi > 0.75
    assert entropy_of(model) > 0.98 * np.log(10)
    assert model.n_iter_ == len(model.history_) == 150
    assert model.head_losses_.shape == (5,)
    assert model.objective_ == model.head_losses_.min() > -np.log(10)
    assert set(model.timings_) == {"graph", "optimize"}


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "inner_product"])
def test_new_rows_get_the_outputs_of_the_head(rows, metric):
    model = SCANHead(3, metric=metric, max_iter=100, random_state=0).fit(rows)

    assert_array_equal(model.predict(rows), model.labels_)
    assert_array_equal(model.predict_memberships(rows).data, model.memberships_.data)
    assert_array_equal(model.predict_proba(rows[4:5])[0], model.memberships_.toarray()[4])
    assert_allclose(model.predict_proba(sp.csr_array(rows)), model.predict_proba(rows), atol=1e-5)


def test_memberships_follow_a_line_through_two_groups():
    """Linear logits make memberships that only rise or only fall along any line."""
    X = np.linspace(-1.0, 1.0, 40)[:, np.newaxis] * np.ones((1, 3)) + [[5.0, -3.0, 0.0]]
    model = SCANHead(2, metric="euclidean", n_neighbors=5, max_iter=100, random_state=0).fit(X)
    memberships = model.predict_proba(X)[:, 0]
    assert np.all(np.diff(memberships) <= 0.0) or np.all(np.diff(memberships) >= 0.0)
    assert abs(model.cluster_sizes_[0] - 20) <= 4


def test_neither_the_unit_nor_zero_matter_to_euclidean_rows(rows):
    labels = [
        SCANHead(3, metric="euclidean", max_iter=200, random_state=0).fit(X).labels_
        for X in (rows, 1e-7 * rows, 1e4 + rows)
    ]
    assert score_labels(labels[0], labels[1]).ari > 0.95
    assert score_labels(labels[0], labels[2]).ari > 0.95


def test_without_the_entropy_clusters_are_lost_and_that_is_told(rows):
    with pytest.warns(ConvergenceWarning, match="clusters have samples: .*, or raise entropy_weig"):
        SCANHead(12, entropy_weight=0.0, max_iter=200, random_state=0).fit(rows)


def test_more_heads_never_end_in_a_higher_loss(rows):
    """The first heads and all batches are the same, so there is only more to choose from."""
    few, many = (SCANHead(3, n_heads=n, max_iter=50, random_state=0).fit(rows) for n in (2, 6))
    assert many.objective_ <= few.objective_ + 1e-6


def test_self_labels_make_memberships_more_certain(rows):
    plain, sure = (
        SCANHead(3, self_label=threshold, max_iter=200, random_state=0).fit(rows)
        for threshold in (None, 0.9)
    )
    assert sure.probabilities_.mean() > plain.probabilities_.mean()
    assert np.mean(sure.labels_ == plain.labels_) > 0.9
    assert "self-labels" in sure.timings_


def test_self_labels_survive_a_threshold_no_sample_reaches(rows):
    plain, sure = (
        SCANHead(3, self_label=threshold, max_iter=1, random_state=0).fit(rows)
        for threshold in (None, 1.0 - 1e-12)
    )
    assert_array_equal(sure.labels_, plain.labels_)


def test_more_clusters_take_larger_batches(rows):
    assert SCANHead(8)._samples_of_a_step() == 512
    assert SCANHead(1000)._samples_of_a_step() == 10_000
    assert SCANHead(1000, batch_size=64)._samples_of_a_step() == 64
    assert SCANHead(3, batch_size=16, max_iter=60, random_state=0).fit(rows).n_iter_ == 60
