"""What is seen of a result, and whether the advice fits the cause."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from graphpac import GPAC, NeighborGraph
from graphpac.exceptions import DataWarning
from graphpac.findings import Finding, ResultFacts, findings_of_result

GOOD = ResultFacts(
    n_samples=1000,
    n_clusters=10,
    n_occupied=10,
    certainty=0.8,
    n_components=3,
    n_neighbors=10.0,
    usual_neighbors=10,
    most_neighbors=10,
    dropped=0.0,
    fuzziness=1.05,
    alpha=1.0,
    metric="cosine",
)


def changed(**changes):
    return ResultFacts(**{**vars(GOOD), **changes})


def kinds(of_rows=(), **changes):
    return [finding.kind for finding in findings_of_result(changed(**changes), of_rows)]


def cure(of_rows=(), **changes):
    return findings_of_result(changed(**changes), of_rows)[0].cure


def test_a_good_result_has_no_finding():
    assert kinds() == []
    assert kinds(n_components=10) == []
    assert kinds(n_clusters=1, n_occupied=1, certainty=1.0, n_components=3) == []
    assert kinds(certainty=0.1, fuzziness=2.0) == []


def test_noise_is_told_and_good_rows_are_not(digits):
    noise = np.random.default_rng(0).normal(size=(600, 20))
    with pytest.warns(DataWarning, match=r"^memberships are nearly even .* show no groups: scale"):
        model = GPAC(5, random_state=0).fit(noise)
    assert [finding.kind for finding in model.findings_] == ["flat_memberships"]
    assert GPAC(10, max_iter=10, random_state=0).fit(digits.X).findings_ == ()
    with pytest.warns(DataWarning, match="show no groups: look at how the graph was made"):
        GPAC(5, random_state=0).fit_graph(model.graph_)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "scale the columns if their units differ"),
        ({"alpha": 0.0}, "raise alpha"),
        ({"n_neighbors": 400.0}, "lower n_neighbors, for example to 10"),
        ({"n_neighbors": 400.0, "metric": None}, "look at how the graph was made"),
    ],
)
def test_advice_on_even_memberships_fits_the_cause(changes, words):
    assert cure(certainty=0.11, **changes).startswith(words)


@pytest.mark.filterwarnings("ignore:only . of n_clusters=10")
def test_even_memberships_that_settings_made_are_gone_after_the_cure(digits, seed):
    X = digits.X[:300]
    with pytest.warns(DataWarning, match="n_neighbors=299 reaches beyond clusters of 30 samples"):
        GPAC(10, n_neighbors=299, random_state=seed).fit(X)
    with (
        pytest.warns(DataWarning, match="because alpha=0 hardly .*: raise alpha; 1 is the default"),
        pytest.warns(ConvergenceWarning, match="clusters have samples: raise alpha"),
    ):
        GPAC(10, alpha=0, max_iter=10, random_state=0).fit(X)
    assert GPAC(10, max_iter=10, random_state=0).fit(X).findings_ == ()


def test_what_rows_explain_is_not_found_again():
    offset = Finding("offset", "rows hardly differ", 'pass metric="euclidean"')
    assert kinds((offset,), certainty=0.11) == []
    empty = findings_of_result(changed(n_occupied=9, certainty=0.11), (offset,))
    assert [str(finding) for finding in empty] == [
        'only 9 of n_clusters=10 clusters have samples: pass metric="euclidean".'
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "lower n_clusters if the data hold fewer groups, or n_neighbors if"),
        ({"alpha": 8.0}, "lower alpha=8, or n_clusters if the data hold fewer groups"),
        ({"n_samples": 90, "usual_neighbors": 3}, "lower n_neighbors, for example to 3, as 90"),
        ({"n_samples": 10, "n_neighbors": 1.0, "usual_neighbors": 1}, "lower n_clusters, as 10"),
    ],
)
def test_advice_on_empty_clusters_fits_the_cause(changes, words):
    assert cure(n_occupied=9, **changes).startswith(words)


def test_nearly_as_many_clusters_as_rows_are_told_why_not():
    X = np.random.default_rng(0).normal(size=(50, 8))
    alone = GPAC(50, random_state=0).fit(X)
    assert (alone.cluster_sizes_ == 1).all()
    assert alone.findings_ == ()
    message = (
        r"^only \d+ of n_clusters=40 clusters have samples: lower n_clusters, as 50 different "
        "samples are few for 40 clusters: each shares the memberships of its neighbors, and is"
    )
    with pytest.warns(ConvergenceWarning, match=message):
        GPAC(40, random_state=0).fit(X)


@pytest.mark.parametrize("metric", ["euclidean", "inner_product"])
def test_a_row_beside_which_all_others_are_equal_is_told_with_a_cure_that_helps(digits, metric):
    X = digits.X[:300].astype(np.float64)
    X[5] = 1e300
    with pytest.warns(ConvergenceWarning, match="or remove the largest rows if the others do"):
        GPAC(10, metric=metric, max_iter=3, random_state=0).fit(X)
    without = GPAC(10, metric=metric, max_iter=10, random_state=0).fit(np.delete(X, 5, axis=0))
    assert np.count_nonzero(without.cluster_sizes_) == 10


def test_copies_of_rows_do_not_count_as_rows():
    X = np.repeat(np.random.default_rng(0).normal(size=(50, 8)), 20, axis=0)
    with pytest.warns(ConvergenceWarning, match="as 50 different samples are few for 40 clusters"):
        GPAC(40, random_state=0).fit(X)


def test_parts_are_told_where_there_are_more_of_them_than_clusters():
    assert kinds(n_components=11) == ["parts"]
    assert kinds(n_components=11, metric=None) == ["parts"]
    few = {"n_samples": 50, "usual_neighbors": 2}
    assert kinds(n_components=11, n_neighbors=2.0, **few) == []
    assert kinds(n_components=11, n_neighbors=1.0, **few) == ["parts"]


def test_parts_of_a_graph_are_told():
    three = sp.csr_matrix(np.kron(np.eye(3), np.ones((80, 80))))
    with pytest.warns(DataWarning, match="the graph falls into 3 parts .* n_clusters=2, so that"):
        GPAC(2, random_state=0, max_iter=3).fit_graph(NeighborGraph.from_similarities(three))


def test_dropped_memberships_are_told():
    assert kinds(dropped=0.2) == ["dropped_memberships"]
