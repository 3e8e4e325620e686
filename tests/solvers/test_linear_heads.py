"""Linear heads: outputs, moments of rows, and steps that do not depend on where and how wide."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from graphpac._threads import Workers
from graphpac.solvers.linear_heads import HeadTrainer, LinearHead, RowMoments, decayed, softmax
from tests.reference import scan as reference
from tests.strategies import sample_matrices


@pytest.fixture
def rows(seed):
    """Thirty rows of four features, a third of the entries zero."""
    rng = np.random.default_rng(seed)
    return (rng.normal(1.0, 2.0, (30, 4)) * (rng.random((30, 4)) > 0.3)).astype(np.float32)


@pytest.fixture
def head(seed):
    rng = np.random.default_rng(seed)
    return LinearHead(rng.normal(size=(3, 4)).astype("f4"), rng.normal(size=3).astype("f4"))


def moments_of(rows):
    with Workers(1) as workers:
        return RowMoments.of(rows, workers)


@given(sample_matrices())
def test_moments_of_dense_and_sparse_rows(X):
    rows = X.astype(np.float32)
    mean = rows.astype(np.float64).mean(axis=0)
    deviation = np.abs(rows - mean).sum(axis=1).mean()
    for given_rows in (rows, sp.csr_matrix(rows)):
        found = moments_of(given_rows)
        assert_allclose(found.mean, mean, rtol=1e-6, atol=1e-30)
        if deviation > 1e-5 * np.abs(rows).max():
            assert_allclose(found.deviation, deviation, rtol=1e-6)


def test_rows_that_are_all_alike_deviate_by_one():
    assert moments_of(np.ones((5, 2), dtype=np.float32)).deviation == 1.0


def test_softmax_of_logits_that_overflow():
    shares, log_sums = softmax(np.array([[1e4, 1e4, -1e4], [0.0, np.log(2.0), 0.0]]), axis=1)
    assert_allclose(shares, [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25]])
    assert_allclose(log_sums, [1e4 + np.log(2.0), np.log(4.0)])


def test_memberships_are_the_outputs_for_any_form_of_rows(rows, head):
    expected = reference.outputs(rows.astype(np.float64) @ head.weights.T + head.biases)
    with Workers(1) as workers:
        for given_rows in (rows, sp.csr_matrix(rows)):
            assert_allclose(head.memberships(given_rows, workers).toarray(), expected, atol=1e-6)
        alone = head.memberships(rows[7:8], workers).toarray()
        assert_array_equal(alone[0], head.memberships(rows, workers).toarray()[7])


def test_a_trainer_begins_at_a_head_and_returns_it(rows, head):
    trainer = HeadTrainer.at_head(head, moments_of(rows))
    (returned,) = trainer.heads()
    assert_array_equal(returned.weights, head.weights)
    assert_allclose(returned.biases, head.biases, atol=1e-5)
    expected = (rows @ head.weights.T + head.biases).T[np.newaxis]
    assert_allclose(trainer.logits(rows), expected, atol=1e-4)
    assert_allclose(trainer.logits(sp.csr_matrix(rows)), expected, atol=1e-4)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_steps_are_those_of_adam_on_rows_seen_from_their_mean(rows, head, seed, form):
    moments = moments_of(rows)
    gradients = np.random.default_rng(seed).normal(size=(1, 3, 30)).astype(np.float32)
    trainer = HeadTrainer.at_head(head, moments)

    for rate in (1.0, 0.5):
        trainer.step(form(rows), gradients, rate)

    slopes = gradients[0] @ (rows - moments.mean)
    weights = reference.adam(head.weights, slopes, (1.0, 0.5), 1.0 / moments.deviation)
    biases = head.biases + head.weights @ moments.mean
    biases = reference.adam(biases, gradients[0].sum(axis=1), (1.0, 0.5), 0.1)
    (found,) = trainer.heads()
    assert_allclose(found.weights, weights, atol=1e-4)
    assert_allclose(found.biases, biases - weights @ moments.mean, atol=1e-3)


def test_neither_scale_nor_offset_of_the_rows_changes_the_logits_of_training(rows, seed):
    gradients = np.random.default_rng(seed).normal(size=(2, 3, 30)).astype(np.float32)

    def logits_after_steps(rows):
        trainer = HeadTrainer.at_random(np.random.default_rng(seed).spawn(2), 3, moments_of(rows))
        for _ in range(3):
            trainer.step(rows, gradients, 1.0)
        return trainer.logits(rows)

    assert_allclose(logits_after_steps(100.0 * rows + 50.0), logits_after_steps(rows), atol=1e-2)


def test_the_rate_falls_from_its_full_height_to_nothing():
    rates = [decayed(2.0, step, 10) for step in range(10)]
    assert rates[0] == 2.0
    assert rates[5] == pytest.approx(1.0)
    assert 0.0 < rates[-1] < 0.1
    assert np.all(np.diff(rates) < 0.0)
