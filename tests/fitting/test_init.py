"""Where a fit starts: names, labels, memberships, other models."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import GPAC
from graphpac.fitting.init import resolve_init
from graphpac.metrics import score_labels

GENTLE = {"n_clusters": 10, "local_weight": 0.9, "max_iter": 5, "random_state": 0}


@pytest.fixture(scope="module")
def fitted(digits):
    return GPAC(n_clusters=10, random_state=0).fit(digits.X)


def test_labels_become_int32(digits):
    for labels in (digits.y, digits.y.tolist(), digits.y.astype(np.uint8)):
        resolved = resolve_init(labels, 1797, 10, digits.X)
        assert resolved.dtype == np.int32
        np.testing.assert_array_equal(resolved, digits.y)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.coo_array])
def test_memberships_are_normalized_and_copied(form):
    given = form(np.array([[2.0, 2.0, 0.0], [0.0, 0.0, 5.0]]))
    before = given.copy()
    resolved = resolve_init(given, 2, 3, None)
    assert isinstance(resolved, sp.csr_matrix)
    assert resolved.dtype == np.float32
    assert resolved.nnz == 3
    np.testing.assert_array_equal(resolved.toarray(), [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    difference = given != before
    assert not (difference.nnz if sp.issparse(difference) else difference.any())


def test_a_model_of_as_many_rows_gives_its_memberships(digits, fitted):
    resolved = resolve_init(fitted, 1797, 10, digits.X)
    np.testing.assert_allclose(resolved.toarray(), fitted.memberships_.toarray(), atol=1e-6)


def test_a_model_of_other_rows_gives_its_predictions(digits, fitted):
    resolved = resolve_init(fitted, 200, 10, digits.X[:200])
    expected = fitted.predict_proba(digits.X[:200])
    np.testing.assert_allclose(resolved.toarray(), expected, atol=1e-6)
    with pytest.raises(ValueError, match="init was fitted on 1797 samples, but the graph has 200"):
        resolve_init(fitted, 200, 10, None)


@pytest.mark.parametrize("kind", ["model", "labels", "memberships"])
def test_a_warm_start_goes_on_from_where_it_was(digits, fitted, kind):
    init = {
        "model": fitted,
        "labels": fitted.labels_,
        "memberships": fitted.memberships_,
    }[kind]
    model = GPAC(**GENTLE, init=init).fit(digits.X)
    assert np.mean(model.labels_ == fitted.labels_) > 0.95


@pytest.mark.parametrize("seed_of_refinement", [0, 1])
def test_refining_a_fit_as_documented_does_not_harm_it(digits, fitted, seed_of_refinement):
    refined = GPAC(
        10, init=fitted, local_weight=0.999, max_iter=10, random_state=seed_of_refinement
    ).fit(digits.X)
    before = score_labels(digits.y, fitted.labels_).nmi
    assert score_labels(digits.y, refined.labels_).nmi > before - 0.002  # .739 at a weight of 0.5


@pytest.mark.parametrize(
    ("variant", "share"),
    [("published", 0.95), ("ramp", 0.95), ("best", 0.9)],  # communities win in the second fit
)
def test_cluster_numbers_survive_a_refit_with_more_rows(digits, variant, share):
    early = GPAC(n_clusters=10, variant=variant, random_state=0).fit(digits.X[:1200])
    late = GPAC(**GENTLE, variant=variant, init=early).fit(digits.X)
    assert np.mean(late.labels_[:1200] == early.labels_) > share


@pytest.mark.parametrize("init", ["k-means++", "random", "zeros"])
def test_named_starts(digits, init):
    model = GPAC(n_clusters=10, init=init, random_state=0).fit(digits.X)
    assert score_labels(digits.y, model.labels_).nmi > 0.7
