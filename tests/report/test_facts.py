"""Facts of a fitted model: what they hold, and their way through a file."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import GPAC
from graphpac.exceptions import FileFormatError
from graphpac.io.container import Contents, read_file, write_file
from graphpac.report.facts import (
    CERTAIN,
    MOST_OF_MATRIX,
    ReportFacts,
    collect_facts,
    facts_from_contents,
    facts_to_contents,
)


def assert_same(first: ReportFacts, second: ReportFacts) -> None:
    for field in dataclasses.fields(ReportFacts):
        left, right = getattr(first, field.name), getattr(second, field.name)
        if isinstance(left, np.ndarray):
            assert left.dtype == right.dtype, field.name
            assert_array_equal(left, right, err_msg=field.name)
        else:
            assert left == right, field.name


def test_facts_agree_with_the_model(model, facts):
    assert (facts.n_rows, facts.n_clusters) == model.memberships_.shape
    assert_array_equal(facts.cluster_sizes, model.cluster_sizes_)
    for cluster in range(10):
        inside = model.probabilities_[model.labels_ == cluster]
        assert facts.certain_sizes[cluster] == (inside >= CERTAIN).sum()
        assert_allclose(facts.cluster_certainties[cluster], inside.mean(), rtol=1e-5)
    assert sorted(facts.map_rows) == list(range(facts.n_rows))
    assert_array_equal(facts.map_clusters[:, 0], model.labels_[facts.map_rows])
    assert_array_equal(facts.map_memberships[:, 0], model.probabilities_[facts.map_rows])
    assert_array_equal(facts.shown_clusters[:, 0], model.labels_[facts.shown_rows])
    assert facts.changes[-1] == model.history_[-1].change
    assert facts.n_components == model.graph_.n_components
    assert list(facts.timings) == ["graph", "start", "optimize", "choose", "map"]
    assert facts.parameters["n_clusters"] == "10"
    assert facts.map_method == "graph"


def test_overlaps_are_all_there_and_sorted(model, facts):
    dense = model.memberships_.toarray().astype(np.float64)
    shares = dense.T @ dense / dense.sum(axis=0)[:, np.newaxis]
    found = np.zeros_like(shares)
    found[tuple(facts.overlap_pairs.T)] = facts.overlap_shares
    assert_allclose(found, shares - np.diag(np.diag(shares)), rtol=1e-6)
    assert (np.diff(facts.overlap_shares) <= 0).all()


def test_many_clusters_keep_their_largest_overlaps_only(digits):
    model = GPAC(n_clusters=MOST_OF_MATRIX + 1, random_state=0, max_iter=5).fit(digits.X)
    facts = collect_facts(model, map_method="graph")
    dense = model.memberships_.toarray().astype(np.float64)
    shares = dense.T @ dense / dense.sum(axis=0)[:, np.newaxis]
    np.fill_diagonal(shares, 0.0)
    assert_allclose(facts.overlap_shares, np.sort(shares, axis=None)[::-1][:50], rtol=1e-6)


def test_the_same_model_and_seed_give_the_same_facts(model, facts):
    again = collect_facts(model, map_method="graph")
    assert_same(dataclasses.replace(again, timings=facts.timings), facts)
    other = collect_facts(model, map_method="graph", seed=1)
    assert not np.array_equal(other.map_coordinates, facts.map_coordinates)


def test_facts_come_back_from_a_file(facts, tmp_path):
    path = tmp_path / "summary.graphpac"
    contents = facts_to_contents(facts)
    assert "map_places" in contents.arrays, "what files of the first release call it"
    write_file(path, "report facts", contents)
    assert_same(facts_from_contents(read_file(path, "report facts")), facts)


@pytest.mark.parametrize("lost", ["map_rows", "tol"])
def test_contents_of_another_version_are_refused(facts, lost):
    contents = facts_to_contents(facts)
    arrays = {name: array for name, array in contents.arrays.items() if name != lost}
    metadata = {name: value for name, value in contents.metadata.items() if name != lost}
    with pytest.raises(FileFormatError, match="not the facts this version of graphpac"):
        facts_from_contents(Contents(arrays, metadata))


def test_a_model_of_a_graph_has_facts_too(model):
    on_graph = GPAC(
        n_clusters=3, random_state=np.random.default_rng(0), init=np.zeros(1797, dtype=int)
    ).fit_graph(model.graph_)
    facts = collect_facts(on_graph, map_method="graph")
    assert facts.parameters["init"] == "ndarray"
    assert facts.parameters["random_state"] == "Generator"


def test_a_model_that_was_not_fitted_is_refused():
    with pytest.raises(ValueError, match="this GPAC has no graph and no history to report on"):
        collect_facts(GPAC())


@pytest.mark.filterwarnings("ignore:only 1 of n_clusters=2 clusters have samples")
@pytest.mark.parametrize(("n_rows", "n_clusters"), [(2, 1), (2, 2), (3, 2), (30, 1)])
def test_tiny_models(n_rows, n_clusters, seed):
    X = np.random.default_rng(seed).normal(size=(n_rows, 3))
    model = GPAC(n_clusters=n_clusters, metric="euclidean", random_state=seed).fit(X)
    facts = collect_facts(model, map_method="graph")
    assert facts.cluster_sizes.sum() == n_rows
    assert np.isfinite(facts.map_coordinates).all()
