"""Candidates, starts and cuts as a user of the estimator sees them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import dendrogram, fcluster, is_valid_linkage
from sklearn.exceptions import NotFittedError

from graphpac import GPAC, NeighborGraph
from graphpac.exceptions import ParameterError
from graphpac.metrics import score_labels
from tests.strategies import linked_groups


@pytest.fixture(scope="module")
def fitted(digits):
    return GPAC(n_clusters=10, random_state=0).fit(digits.X)


def test_candidates_are_listed_and_one_is_chosen(fitted):
    origins = [candidate.origin for candidate in fitted.candidates_]
    assert origins[0] == "ramp"
    assert len(origins) == len(set(origins)) == 7
    (chosen,) = (candidate for candidate in fitted.candidates_ if candidate.chosen)
    assert sorted(chosen.cluster_sizes) == sorted(fitted.cluster_sizes_)


def test_variants(fitted, digits):
    ramp = GPAC(n_clusters=10, variant="ramp", random_state=0).fit(digits.X)
    published = GPAC.as_published(n_clusters=10, random_state=0).fit(digits.X)
    assert [candidate.origin for candidate in ramp.candidates_] == ["ramp"]
    assert published.candidates_ == ()
    assert "choose" not in published.timings_
    nmi = [score_labels(digits.y, model.labels_).nmi for model in (published, ramp, fitted)]
    assert nmi == sorted(nmi)
    assert nmi[2] > 0.9


def test_uneven_sizes_are_found_when_asked_for():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], [1500, 200, 120, 80])
    X = 6.0 * np.eye(4)[y] + rng.normal(size=(y.size, 4))
    even, uneven = (
        GPAC(4, metric="euclidean", sizes=sizes, random_state=0).fit(X).labels_
        for sizes in ("even", "uneven")
    )
    assert score_labels(y, uneven).ari > 0.95 > score_labels(y, even).ari


def test_the_published_method_takes_other_parameters_too():
    model = GPAC.as_published(4, init="k-means++", max_iter=20)
    assert (model.n_clusters, model.init, model.max_iter) == (4, "k-means++", 20)
    assert model.variant == "published"


def test_more_starts_compete_and_are_no_worse(fitted, digits):
    model = GPAC(n_clusters=10, n_init=3, random_state=0).fit(digits.X)
    ramps = model.candidates_[:3]
    assert [ramp.origin for ramp in ramps] == ["ramp 1", "ramp 2", "ramp 3"]
    assert ramps[0].two_step_likelihood == fitted.candidates_[0].two_step_likelihood
    likeliest = max(ramps, key=lambda ramp: ramp.two_step_likelihood)
    (chosen,) = (each for each in model.candidates_ if each.chosen)
    assert chosen == likeliest or chosen.beats(likeliest)


def test_starts_of_the_published_method_are_judged_by_its_objective(digits):
    several = GPAC.as_published(10, n_init=3, max_iter=8, random_state=0).fit(digits.X)
    first = GPAC.as_published(10, max_iter=8, random_state=0).fit(digits.X)
    assert several.objective_ <= first.objective_


@pytest.mark.parametrize("left_in", [4, 12])
def test_several_starts_go_on_from_a_checkpoint(digits, tmp_path, left_in):
    X = digits.X[:400]
    model = GPAC(10, n_init=2, max_iter=8, random_state=0)
    expected = model.fit(X).memberships_
    seen = []

    def interrupt(record):
        seen.append(record)
        if len(seen) == left_in:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(X, checkpoint=tmp_path, callback=interrupt)
    assert (model.fit(X, checkpoint=tmp_path).memberships_ != expected).nnz == 0
    names = {path.stem for path in tmp_path.glob("*.gpac")}
    assert names == {"run", "graph", "start", "start-1", "result", "result-1"}


def test_cuts_are_nested_and_the_fit_is_one_of_them(fitted):
    assert_array_equal(fitted.cut(10).labels, fitted.labels_)
    assert (fitted.cut(10).memberships != fitted.memberships_).nnz == 0
    finer = fitted.cut(13)
    for n_clusters in (12, 10, 6, 1):
        cut = fitted.cut(n_clusters)
        assert np.unique(cut.labels).size == cut.memberships.shape[1] == n_clusters
        assert len(set(zip(finer.labels, cut.labels, strict=True))) == np.unique(finer.labels).size
        np.testing.assert_allclose(cut.memberships.sum(axis=1), 1.0, atol=1e-5)
        finer = cut


def test_scipy_reads_the_tree(fitted):
    tree = fitted.tree_
    assert tree is fitted.tree_
    assert is_valid_linkage(np.asarray(tree))
    assert len(dendrogram(tree, no_plot=True)["leaves"]) == tree.n_leaves
    by_scipy = fcluster(tree.linkage, 7, "maxclust")[tree.leaves]
    assert score_labels(fitted.cut(7).labels, by_scipy).ari == pytest.approx(1.0)


def test_equal_rows_are_cut_alike(digits):
    X = np.concatenate((digits.X[:300], digits.X[:50]))
    cut = GPAC(10, random_state=0).fit(X).cut(4)
    assert_array_equal(cut.labels[300:], cut.labels[:50])


def test_what_cannot_be_cut_is_refused(fitted):
    with pytest.raises(ParameterError, match="^n_clusters=0 is not a cut of the tree"):
        fitted.cut(0)
    with pytest.raises(NotFittedError):
        GPAC().cut(3)


def test_a_graph_alone_can_be_cut(fitted):
    of_graph = GPAC(10, random_state=0).fit_graph(fitted.graph_)
    assert np.unique(of_graph.cut(5).labels).size == 5


# ---- odd graphs and rows


@pytest.mark.parametrize("sizes", ["even", "uneven"])
@pytest.mark.parametrize("unit", [1.0, 1e-30, 1e30])
def test_a_graph_of_similarities_in_any_unit(sizes, unit):
    sources, targets, y = linked_groups(n_inside=8, n_outside=2)
    weights = unit * np.where(y[sources] == y[targets], 1.0, 0.5)
    graph = NeighborGraph.from_edges(sources, targets, weights, n_samples=y.size, kind="similarity")
    model = GPAC(4, sizes=sizes, random_state=0).fit_graph(graph)
    assert len(model.candidates_) > 1
    assert score_labels(y, model.labels_).nmi > 0.95
    assert np.unique(model.cut(2).labels).size == 2


@pytest.mark.parametrize("sizes", ["even", "uneven"])
@pytest.mark.parametrize("n_clusters", [2, 20, 38, 39])
@pytest.mark.filterwarnings("ignore:only .* clusters have samples")
@pytest.mark.filterwarnings("ignore::graphpac.exceptions.DataWarning")
def test_few_rows_are_clustered_into_any_number(digits, n_clusters, sizes):
    model = GPAC(n_clusters, sizes=sizes, random_state=0).fit(digits.X[:40])
    assert model.memberships_.shape == (40, n_clusters)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, atol=1e-5)
    assert_array_equal(model.predict(digits.X[:40]), model.labels_)
    assert sum(candidate.chosen for candidate in model.candidates_) in {0, 1}


@pytest.mark.parametrize("sizes", ["even", "uneven"])
def test_ten_thousand_equal_rows_are_one_sample_of_every_candidate(sizes):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    others = 6.0 * np.eye(3, 5)[y] + rng.normal(size=(300, 5))
    X = np.concatenate((np.repeat(others[:1], 10_000, axis=0), others[1:]))
    model = GPAC(3, metric="euclidean", sizes=sizes, random_state=0).fit(X)
    assert np.unique(model.labels_[:10_000]).size == 1
    assert score_labels(y, model.labels_[9_999:]).nmi > 0.95
    assert {sum(candidate.cluster_sizes) for candidate in model.candidates_} == {300}


@pytest.mark.parametrize("sizes", ["even", "uneven"])
@pytest.mark.filterwarnings("ignore:the graph falls into")
def test_samples_without_links_and_more_parts_than_clusters_get_clusters(sizes):
    """Thirty chains of ten, and twenty samples alone."""
    sources = np.flatnonzero(np.arange(300) % 10 < 9)
    graph = NeighborGraph.from_edges(
        sources, sources + 1, np.ones(270), n_samples=320, kind="similarity"
    )
    model = GPAC(5, sizes=sizes, random_state=0).fit_graph(graph)
    assert model.cluster_sizes_.min() > 0
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, atol=1e-5)
    for n_clusters in (1, 3, 5):
        assert np.unique(model.cut(n_clusters).labels).size == n_clusters
