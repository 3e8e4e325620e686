"""The entrance: what it passes on, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from graphpac.graph import build_neighbor_graph
from graphpac.graph.searchers import (
    ExactSearcher,
    FaissSearcher,
    ListsSearcher,
    NNDescentSearcher,
    resolve_searcher,
)


def test_a_graph_of_digits(digits):
    graph = build_neighbor_graph(digits.X, 10)

    assert (graph.n_samples, graph.kind) == (len(digits.X), "cosine")
    assert_array_equal(graph.degrees, 10)
    assert np.all(graph.values >= 0)


def test_more_neighbors_than_samples_gives_all_others():
    graph = build_neighbor_graph(np.eye(4), 10, metric="euclidean")

    assert_array_equal(graph.degrees, 3)


def test_row_lengths_mean_nothing_under_cosine(digits, seed):
    factors = np.random.default_rng(seed).uniform(0.5, 2.0, (300, 1))

    graph = build_neighbor_graph(digits.X[:300], 5)
    scaled = build_neighbor_graph(digits.X[:300] * factors, 5)

    assert np.mean(graph.indices == scaled.indices) > 0.99


@pytest.mark.parametrize("dtype", [np.float16, np.uint8, np.float64])
def test_the_same_numbers_in_another_dtype_give_the_same_graph(digits, dtype):
    graph = build_neighbor_graph(digits.X[:400].astype(np.float32), 5)
    other = build_neighbor_graph(digits.X[:400].astype(dtype), 5)

    assert_array_equal(graph.indices, other.indices)
    assert_array_equal(graph.values, other.values)


@pytest.mark.parametrize("size", [1e30, 1e200, 1e-200])
@pytest.mark.parametrize("metric", ["cosine", "euclidean", "inner_product"])
def test_huge_and_tiny_values_have_the_same_neighbors(size, metric, seed):
    X = np.random.default_rng(seed).normal(size=(200, 6))

    graph = build_neighbor_graph(X, 5, metric=metric)
    scaled = build_neighbor_graph(X * size, 5, metric=metric)

    assert np.mean(graph.indices == scaled.indices) > 0.99


@pytest.mark.parametrize("form", ["frame", "list", "objects"])
def test_numbers_without_a_type_of_their_own_are_read(digits, form):
    X = digits.X[:40].astype(np.float64)
    given = {"frame": pd.DataFrame(X), "list": X.tolist(), "objects": X.astype(object)}[form]
    found, expected = (build_neighbor_graph(rows, 3) for rows in (given, X))
    assert_array_equal(found.indices, expected.indices)
    assert_array_equal(found.values, expected.values)


def test_a_searcher_object_is_used_as_it_is(digits):
    calls = []

    class Recording(ExactSearcher):
        def index(self, rows, **options):
            calls.append(options)
            return super().index(rows, **options)

    build_neighbor_graph(digits.X[:50], 3, searcher=Recording(), n_jobs=1, random_state=7)

    assert calls == [{"metric": "cosine", "n_jobs": 1, "random_state": 7}]


def test_progress_is_reported_to_the_end(digits):
    steps = []

    build_neighbor_graph(digits.X, 3, progress=lambda done, total: steps.append((done, total)))

    assert steps[-1][0] == steps[-1][1] == len(steps)


@pytest.mark.parametrize("random_state", [3, np.random.RandomState(3), np.random.default_rng(3)])
def test_any_random_state_is_taken(digits, random_state):
    graph = build_neighbor_graph(digits.X, 3, searcher="faiss", random_state=random_state)

    assert_array_equal(graph.degrees, 3)


def test_auto_is_exact_while_that_is_cheap():
    assert isinstance(resolve_searcher("auto", np.empty((11_000, 16), np.float32)), ExactSearcher)
    assert isinstance(resolve_searcher("auto", np.empty((70_000, 784), np.float32)), ListsSearcher)
    assert isinstance(resolve_searcher("auto", np.empty((500_000, 8), np.float32)), FaissSearcher)
    assert isinstance(resolve_searcher("auto", sp.csr_matrix((9_000, 50_000))), ExactSearcher)


def test_auto_takes_descent_for_many_sparse_rows_where_it_is_installed(monkeypatch):
    many = sp.csr_matrix((200_000, 50_000))
    table = "graphpac.graph.searchers.table.find_spec"

    monkeypatch.setattr(table, lambda name: object())
    assert isinstance(resolve_searcher("auto", many), NNDescentSearcher)

    monkeypatch.setattr(table, lambda name: None)
    assert isinstance(resolve_searcher("auto", many), ExactSearcher)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0 must be at least 1"),
        ({"metric": "manhattan"}, "metric='manhattan' must be one of cosine, euclidean"),
        ({"searcher": "annoy"}, "searcher='annoy' must be one of auto, published, exact, lists"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"X": np.ones(3)}, "two dimensions"),
        ({"X": np.ones((1, 3))}, "at least 2 samples, got n_samples = 1"),
        ({"X": sp.csr_matrix(np.eye(20)), "searcher": "faiss"}, "needs dense rows"),
        ({"X": sp.csr_matrix(np.eye(20)), "searcher": "lists"}, "needs dense rows"),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(options, message):
    arguments = {"X": np.eye(3), **options}

    with pytest.raises(ValueError, match=message):
        build_neighbor_graph(arguments.pop("X"), **arguments)


def test_the_published_method_is_searched_for_by_faiss_where_rows_are_many():
    few, many = np.empty((11_000, 16), np.float32), np.empty((70_000, 784), np.float32)
    assert isinstance(resolve_searcher("published", few), ExactSearcher)
    assert isinstance(resolve_searcher("published", many), FaissSearcher)


@pytest.mark.parametrize(
    "options", [{"n_looked_at": 0}, {"n_looked_at": "auto"}, {"n_candidates": 0}]
)
def test_bad_options_of_lists_are_refused(options):
    with pytest.raises(ValueError, match="must be a whole number from 1 up"):
        ListsSearcher(**options)


@pytest.mark.parametrize("options", [{"n_probe": 0}, {"n_lists": "many"}, {"n_components": 2.5}])
def test_bad_options_of_faiss_are_refused(options):
    with pytest.raises(ValueError, match="must be a whole number from 1 up"):
        FaissSearcher(**options)
