"""FuzzyCMeans on digits, its starts, the local constraint, new rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from graphpac import GPAC, FuzzyCMeans
from graphpac.fitting import fits_memory
from graphpac.fitting.run import FitRun
from graphpac.metrics import score_labels
from tests.reference import fuzzy_cmeans as reference


@pytest.fixture
def rows(seed):
    """Ninety rows in three groups that touch."""
    rng = np.random.default_rng(seed)
    return 3.0 * np.eye(3, 5)[np.arange(90) % 3] + rng.normal(size=(90, 5))


@pytest.mark.parametrize(("local_weight", "expected"), [(0.0, 0.743), ("ramp", 0.830)])
def test_digits_as_measured_for_the_specification(digits, local_weight, expected):
    models = [
        FuzzyCMeans(10, local_weight=local_weight, random_state=seed).fit(digits.X)
        for seed in range(5)
    ]
    assert np.mean([score_labels(digits.y, m.labels_).nmi for m in models]) > expected - 0.03


def test_large_fuzziness_loses_clusters_of_digits_and_says_so(digits):
    with pytest.warns(ConvergenceWarning, match="clusters have samples: .*, or lower fuzziness.$"):
        FuzzyCMeans(10, fuzziness=2.0, random_state=0).fit(digits.X)


def test_the_objective_is_that_of_the_centers_and_never_rises(rows):
    model = FuzzyCMeans(3, fuzziness=1.5, random_state=0).fit(rows)
    p = reference.memberships(rows, model.cluster_centers_, 1.5)

    assert_allclose(model.memberships_.toarray(), p, atol=1e-5)
    assert_allclose(model.objective_, reference.objective(rows, model.cluster_centers_, p, 1.5))
    assert np.all(np.diff(model.history_) <= 1e-12 * model.objective_)
    assert model.history_[-1] == model.objective_
    assert model.converged_
    assert len(model.history_) == model.n_iter_


def test_new_rows_get_memberships_by_the_formula(rows, seed):
    model = FuzzyCMeans(3, fuzziness=1.5, random_state=0).fit(rows)
    new = rows + np.random.default_rng(seed).normal(size=rows.shape)

    found = model.predict_proba(new)

    assert_allclose(found, reference.memberships(new, model.cluster_centers_, 1.5), atol=1e-5)
    assert_array_equal(model.predict(rows), model.labels_)
    assert_allclose(model.predict_proba(sp.csr_array(new)), found, atol=1e-6)


def test_where_zero_is_and_the_unit_do_not_matter(rows):
    model = FuzzyCMeans(3, random_state=0).fit(rows)
    moved = FuzzyCMeans(3, random_state=0).fit(rows + 1e7)
    tiny = FuzzyCMeans(3, random_state=0).fit(rows * 1e-30)

    assert_array_equal(moved.labels_, model.labels_)
    assert_array_equal(tiny.labels_, model.labels_)
    assert_allclose(moved.cluster_centers_ - 1e7, model.cluster_centers_, atol=1e-5)
    assert_allclose(moved.objective_, model.objective_, rtol=1e-5)
    assert_allclose(tiny.cluster_centers_ * 1e30, model.cluster_centers_, atol=1e-5)
    assert_allclose(tiny.objective_ * 1e60, model.objective_, rtol=1e-5)


def test_cosine_ignores_the_length_of_rows(rows, seed):
    lengths = np.random.default_rng(seed).uniform(0.1, 10.0, size=(90, 1))
    model = FuzzyCMeans(3, metric="cosine", random_state=0).fit(rows)
    other = FuzzyCMeans(3, metric="cosine", random_state=0).fit(rows * lengths)

    assert_array_equal(other.labels_, model.labels_)
    assert_array_equal(model.predict(rows * lengths), model.labels_)


def test_without_the_local_constraint_no_graph_is_made(rows, monkeypatch):
    monkeypatch.delattr(FitRun, "connect")
    model = FuzzyCMeans(3, random_state=0).fit(rows)
    other = FuzzyCMeans(3, local_weight=0, n_neighbors=2, searcher="exact", random_state=0)

    assert_array_equal(other.fit(rows).memberships_.data, model.memberships_.data)
    assert set(model.timings_) == {"start", "optimize"}


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_local_constraint_brings_neighbors_together(digits, metric):
    plain = FuzzyCMeans(10, metric=metric, random_state=0).fit(digits.X)
    local = FuzzyCMeans(10, metric=metric, local_weight="ramp", random_state=0).fit(digits.X)
    graph = GPAC(10, metric=metric, max_iter=1, random_state=0).fit(digits.X).graph_

    def agreement(labels):
        return np.mean(np.repeat(labels, graph.degrees) == labels[graph.indices])

    assert agreement(local.labels_) > agreement(plain.labels_) + 0.02
    assert set(local.timings_) == {"graph", "start", "optimize"}
    assert_array_equal(local.predict(digits.X), local.labels_)


def test_the_length_of_a_fit(rows):
    assert FuzzyCMeans(3, local_weight="ramp").fit(rows).n_iter_ == 50
    assert FuzzyCMeans(3, local_weight="ramp", max_iter=7).fit(rows).n_iter_ == 7
    assert FuzzyCMeans(3, tol=0.0, fuzziness=2.0).fit(rows).n_iter_ <= 300
    constant = FuzzyCMeans(3, local_weight=0.5, random_state=0).fit(rows)
    assert constant.converged_
    assert constant.n_iter_ < 300


def test_starts(rows):
    truth = np.arange(90) % 3
    by_labels = FuzzyCMeans(3, init=truth, max_iter=1).fit(rows)
    by_memberships = FuzzyCMeans(3, init=np.eye(3)[truth], max_iter=1).fit(rows)
    by_model = FuzzyCMeans(3, init=by_labels).fit(rows)

    means = [rows[truth == label].mean(axis=0) for label in range(3)]
    assert_allclose(by_labels.cluster_centers_, means, atol=1e-6)
    assert_array_equal(by_memberships.memberships_.data, by_labels.memberships_.data)
    assert by_model.objective_ < by_labels.objective_
    assert np.mean(by_model.labels_ == truth) > 0.8
    with pytest.raises(ValueError, match="^init='smoothed' must be one of 'k-means\\+\\+', 'rand"):
        FuzzyCMeans(3, init="smoothed").fit(rows)


def test_random_rows_may_be_the_start(rows):
    labels = FuzzyCMeans(3, init="random", random_state=1).fit(rows).labels_
    assert score_labels(np.arange(90) % 3, labels).ari > 0.5


def test_memberships_that_cannot_fit_are_refused_before_work(rows, monkeypatch):
    monkeypatch.setattr(fits_memory, "available_memory", lambda: 1000)
    monkeypatch.delattr(FitRun, "connect")
    with pytest.raises(MemoryError, match="^clustering 90 samples needs"):
        FuzzyCMeans(3, local_weight="ramp").fit(rows)
