"""PAC on digits, its starts, new rows, and memberships that stay uniform."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from graphpac import PAC
from graphpac.fitting import fits_memory
from graphpac.metrics import score_labels
from tests.reference import pac as reference

both_metrics = pytest.mark.parametrize("metric", ["cosine", "euclidean"])


@pytest.fixture
def rows(seed):
    """Ninety rows in three groups that touch."""
    rng = np.random.default_rng(seed)
    return 3.0 * np.eye(3, 5)[np.arange(90) % 3] + rng.normal(size=(90, 5))


@pytest.mark.parametrize("fuzziness", [1.01, 1.03, 1.05])
def test_digits_as_measured_for_the_specification(digits, fuzziness):
    models = [PAC(10, fuzziness=fuzziness, random_state=seed).fit(digits.X) for seed in range(5)]
    assert np.mean([score_labels(digits.y, m.labels_).nmi for m in models]) > 0.72 - 0.03
    for model in models:
        assert np.all(np.diff(model.history_) <= 1e-12 * model.objective_)
        assert np.mean(model.predict(digits.X) == model.labels_) >= 0.99


def test_the_objective_is_that_of_all_pairs(rows):
    model = PAC(3, metric="euclidean", fuzziness=1.1, random_state=0).fit(rows)
    d = reference.distances(rows, "euclidean")

    assert_allclose(
        model.objective_, reference.objective(d, model.memberships_.toarray(), 1.1), rtol=1e-5
    )
    assert model.history_[-1] == model.objective_
    assert len(model.history_) == model.n_iter_
    assert model.converged_
    assert set(model.timings_) == {"start", "optimize"}


def test_where_zero_is_and_the_unit_do_not_matter(rows):
    labels = PAC(3, metric="euclidean", random_state=0).fit(rows).labels_

    for X in (rows + 1e7, rows * 1e-30, rows * 1e30):
        assert_array_equal(PAC(3, metric="euclidean", random_state=0).fit(X).labels_, labels)


@both_metrics
def test_new_rows_get_what_is_best_among_the_training_rows(rows, metric, seed):
    model = PAC(3, metric=metric, fuzziness=1.1, random_state=0).fit(rows)
    new = rows[:5] + np.random.default_rng(seed).normal(size=(5, 5))

    every = np.vstack((rows, new))
    if metric == "cosine":
        every /= np.linalg.norm(every, axis=1, keepdims=True)
    d = reference.distances(every, metric)[90:, :90]
    powers = model.memberships_.toarray() ** 1.1
    expected = [reference.best_memberships(row @ powers, 1.1) for row in d]
    assert_allclose(model.predict_proba(new), expected, atol=1e-4)


@both_metrics
@pytest.mark.parametrize("init", ["near-uniform", "k-means++"])
def test_either_start_finds_the_groups(rows, metric, init):
    model = PAC(3, metric=metric, init=init, random_state=0).fit(rows)

    assert score_labels(np.arange(90) % 3, model.labels_).ari > 0.5


def test_given_starts_keep_the_numbers_of_clusters(rows):
    truth = np.arange(90) % 3
    by_labels = PAC(3, init=truth).fit(rows)
    by_memberships = PAC(3, init=np.eye(3)[truth]).fit(rows)
    by_model = PAC(3, init=by_labels, max_iter=1).fit(rows)

    assert np.mean(by_labels.labels_ == truth) > 0.8
    assert np.mean(by_memberships.labels_ == truth) > 0.8
    assert_array_equal(by_model.labels_, by_labels.labels_)
    with pytest.raises(ValueError, match="^init='random' must be one of 'near-uniform', 'k-means"):
        PAC(3, init="random").fit(rows)


def test_memberships_that_stay_uniform_are_told_of(digits):
    with (
        pytest.warns(
            ConvergenceWarning, match="^all memberships are close to 1/n_clusters, .* low"
        ),
        pytest.warns(ConvergenceWarning, match="clusters have samples: .*, or lower fuzziness.$"),
    ):
        model = PAC(10, fuzziness=1.3, random_state=0).fit(digits.X)
    assert_allclose(model.probabilities_, 0.1, atol=1e-3)


def test_a_sharper_start_allows_more_fuzziness(digits):
    model = PAC(10, fuzziness=1.15, init="k-means++", random_state=0).fit(digits.X)
    assert score_labels(digits.y, model.labels_).nmi > 0.65


def test_memberships_that_cannot_fit_are_refused_before_work(rows, monkeypatch):
    monkeypatch.setattr(fits_memory, "available_memory", lambda: 1000)
    with pytest.raises(MemoryError, match="^clustering 90 samples needs"):
        PAC(3).fit(rows)
