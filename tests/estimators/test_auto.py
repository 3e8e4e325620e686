"""``n_clusters="auto"``: clusters are counted on the graph, and the fit is that of the number."""

import logging

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs

import graphpac
from graphpac import GPAC, build_neighbor_graph, estimate, estimate_fit
from graphpac.exceptions import CheckpointError, ParameterError
from graphpac.fitting import number as number_stage


@pytest.fixture(scope="module")
def blobs():
    X, _ = make_blobs(500, 8, centers=6, cluster_std=0.8, random_state=3)
    X = X.astype(np.float32)
    X.flags.writeable = False
    return X


@pytest.fixture(scope="module")
def counted(blobs):
    return GPAC("auto", metric="euclidean", random_state=0, max_iter=20).fit(blobs)


@pytest.mark.filterwarnings("ignore:the graph falls into")
def test_the_fit_is_that_of_the_number_found(blobs, counted):
    told = GPAC(6, metric="euclidean", random_state=0, max_iter=20).fit(blobs)
    assert (counted.n_clusters, counted.n_clusters_, told.n_clusters_) == ("auto", 6, 6)
    assert_array_equal(counted.memberships_.toarray(), told.memberships_.toarray())
    assert_array_equal(counted.predict_proba(blobs[:5]), told.predict_proba(blobs[:5]))
    assert counted.n_neighbors_ == 10
    assert list(counted.timings_) == ["graph", "count", "start", "optimize", "choose"]
    assert "count" not in told.timings_


@pytest.mark.filterwarnings("ignore:the graph falls into")
@pytest.mark.parametrize("variant", ["ramp", "published"])
def test_every_variant_and_a_graph_can_be_counted(blobs, variant):
    graph = build_neighbor_graph(blobs, 10, metric="euclidean")
    model = GPAC("auto", variant=variant, max_iter=5, random_state=0).fit_graph(graph)
    assert model.n_clusters_ == model.cluster_sizes_.size == 6
    assert model.cut(3).labels.max() == 2


@pytest.mark.filterwarnings("ignore:the graph falls into")
def test_the_number_does_not_depend_on_seed_or_threads(blobs):
    for seed, n_jobs in ((1, 1), (2, 2)):
        model = GPAC("auto", metric="euclidean", max_iter=1, random_state=seed, n_jobs=n_jobs)
        assert model.fit(blobs).n_clusters_ == 6


@pytest.mark.filterwarnings("ignore:all 40 rows are equal")
def test_rows_without_groups_are_one_cluster():
    model = GPAC("auto", random_state=0, max_iter=3).fit(np.ones((40, 3)))
    assert model.n_clusters_ == 1
    assert set(model.labels_) == {0}


@pytest.mark.filterwarnings("ignore:the graph falls into")
def test_the_number_is_told(blobs, caplog):
    with caplog.at_level(logging.INFO, logger="graphpac"):
        GPAC("auto", metric="euclidean", max_iter=1, random_state=0).fit(blobs)
    assert 'n_clusters="auto" is 6' in caplog.messages


@pytest.mark.filterwarnings("ignore:the graph falls into")
def test_a_stopped_fit_goes_on_without_counting_again(blobs, counted, tmp_path, monkeypatch):
    def model():
        return GPAC("auto", metric="euclidean", random_state=0, max_iter=20)

    def stop(record):
        if record.iteration == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model().fit(blobs, checkpoint=tmp_path, callback=stop)
    assert (tmp_path / "count.gpac").exists()
    monkeypatch.setattr(number_stage, "count_clusters", None)
    for _ in range(2):  # from the middle, and from the result
        resumed = model().fit(blobs, checkpoint=tmp_path)
        assert_array_equal(resumed.memberships_.toarray(), counted.memberships_.toarray())
    with pytest.raises(CheckpointError, match="n_clusters was 'auto', is 6"):
        model().set_params(n_clusters=6).fit(blobs, checkpoint=tmp_path)


def test_a_model_in_a_file_has_the_number_found(blobs, counted, tmp_path):
    graphpac.save(counted, tmp_path / "model.graphpac")
    loaded = graphpac.load(tmp_path / "model.graphpac")
    assert loaded.n_clusters == 6
    assert loaded.parameters["n_clusters"] == "auto"
    assert_array_equal(loaded.predict(blobs[:20]), counted.predict(blobs[:20]))


def test_parameters_are_kept_as_given(counted):
    assert clone(counted).get_params()["n_clusters"] == "auto"


@pytest.mark.parametrize("given", ["Auto", "many", "", 0, 2.5, None, True])
def test_other_words_are_refused(blobs, given):
    with pytest.raises((ParameterError, TypeError), match="n_clusters=.*'auto'.*whole number"):
        GPAC(given).fit(blobs)


@pytest.mark.parametrize("init", [np.zeros(500, dtype=int), np.full((500, 2), 0.5)])
def test_a_start_with_clusters_of_its_own_is_refused(blobs, init):
    with pytest.raises(ParameterError, match="leaves open how many clusters init may have: set"):
        GPAC("auto", init=init).fit(blobs)


def test_an_estimate_says_what_it_assumes(blobs):
    plan = estimate(10_000, 64, "auto")
    assert list(plan.seconds) == ["graph", "count", "start", "optimize", "choose"]
    assert "clusters counted and taken for 100" in str(plan)
    assert 0 < plan.seconds["count"] < 60
    assert estimate_fit(GPAC("auto"), blobs[:60]).workload.n_clusters == 60
