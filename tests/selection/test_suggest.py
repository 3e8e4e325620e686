"""Many numbers of clusters on one graph."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from graphpac import (
    NeighborTransformer,
    RememberingSearcher,
    build_neighbor_graph,
    suggest_n_clusters,
)
from graphpac.graph.searchers import ExactSearcher


@pytest.fixture(scope="module")
def blobs():
    X, _ = make_blobs(400, 8, centers=5, cluster_std=1.0, random_state=3)
    X = X.astype(np.float32)
    X.flags.writeable = False
    return X


class CountingSearcher:
    """Exact search that counts how often it begins."""

    n_indexed = 0

    def index(self, rows, **options):
        self.n_indexed += 1
        return ExactSearcher().index(rows, **options)


def values(suggestion):
    """All of a suggestion but which number it is."""
    return [{**record, "suggested": None} for record in suggestion.to_records()]


@pytest.mark.parametrize("n_groups", [3, pytest.param(8, marks=pytest.mark.slow)])
def test_groups_that_are_apart_are_counted(n_groups, seed):
    X, _ = make_blobs(600, 10, centers=n_groups, cluster_std=0.8, random_state=n_groups)

    found = suggest_n_clusters(X, range(2, 11), metric="euclidean", random_state=seed)

    assert found.n_clusters == n_groups
    best = found.candidates[n_groups - 2]
    assert best.stability > 0.99
    assert best.n_occupied == n_groups


@pytest.mark.parametrize("n_seeds", [2, 4])
def test_neighbors_are_searched_for_once_and_numbers_told_one_by_one(blobs, n_seeds):
    searcher = CountingSearcher()
    told = []

    found = suggest_n_clusters(
        blobs,
        [6, 4, 4],
        n_seeds=n_seeds,
        random_state=0,
        progress=lambda done, total: told.append((done, total)),
        metric="euclidean",
        searcher=searcher,
    )

    assert searcher.n_indexed == 1
    assert told == [(1, 2), (2, 2)]
    assert [candidate.n_clusters for candidate in found.candidates] == [4, 6]


def test_the_suggestion_depends_on_the_seed_alone(blobs, seed):
    def suggest(n_jobs):
        return suggest_n_clusters(
            blobs, [3, 5, 7], n_seeds=2, random_state=seed, n_jobs=n_jobs, metric="euclidean"
        )

    assert values(suggest(1)) == values(suggest(2))


def test_a_candidate_does_not_depend_on_the_others(blobs):
    few, many = (
        suggest_n_clusters(blobs, numbers, n_neighbors=10, random_state=0)
        for numbers in ([4, 6], [2, 4, 5, 6, 30])
    )

    assert values(few) == [values(many)[1], values(many)[3]]


def test_a_graph_is_taken_as_it_is(blobs, seed):
    graph = build_neighbor_graph(blobs, 10, metric="euclidean")

    found = suggest_n_clusters(graph, [3, 4, 5, 6, 8], random_state=seed)

    assert found.n_clusters == 5


def test_distances_are_taken_as_by_the_estimator(blobs):
    distances = NeighborTransformer(10).fit_transform(blobs)
    graph = build_neighbor_graph(blobs, 10, metric="euclidean")

    of_distances, of_graph = (
        suggest_n_clusters(X, [4, 6], n_seeds=2, random_state=0, metric=metric)
        for X, metric in ((distances, "precomputed"), (graph, "euclidean"))
    )

    assert values(of_distances) == values(of_graph)


def test_a_searcher_that_remembers_is_taken(blobs):
    searcher = RememberingSearcher("exact")

    suggest_n_clusters(blobs, [2, 3], n_seeds=2, searcher=searcher)

    assert searcher.n_remembered == 1


@pytest.mark.filterwarnings("error")
def test_empty_clusters_are_told_in_the_table_and_not_by_warnings():
    X = np.repeat(np.eye(4), 30, axis=0)

    found = suggest_n_clusters(X, [4, 30], n_seeds=2, n_neighbors=5, random_state=0)

    assert found.candidates[1].n_occupied < 30
    assert found.n_clusters == 4


@pytest.mark.parametrize("n_kinds", [2, 5])
def test_kinds_of_equal_rows_are_counted(n_kinds):
    X = np.repeat(np.eye(8)[:n_kinds], 40, axis=0)

    assert suggest_n_clusters(X, [2, 3, 5, 7], n_seeds=2, random_state=0).n_clusters == n_kinds


@pytest.mark.filterwarnings("ignore:all 60 rows are equal")
def test_equal_rows_suggest_nothing():
    assert suggest_n_clusters(np.ones((60, 3)), [2, 3], n_seeds=2).n_clusters is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_clusters": [5]}, "n_clusters holds 5 only: pass at least two"),
        ({"n_clusters": [5, 1]}, "n_clusters holds 1, but each must be a whole number from 2 to"),
        ({"n_clusters": [5, 2.5]}, "n_clusters holds 2.5"),
        ({"n_clusters": [2, 3], "n_seeds": 1}, "n_seeds=1 must be a whole number from 2 to 1,000"),
        ({"n_clusters": [2, 3], "n_seeds": 10**30}, "must be a whole number from 2 to 1,000"),
        ({"n_clusters": range(2, 10**12)}, "n_clusters holds more than 1,000 numbers"),
        ({"n_clusters": [2, 401]}, "n_clusters=401 must be at most 400, the number of samples"),
        ({"n_clusters": [2, 5000]}, "holds 5000, but each must be a whole number from 2 to 4,096"),
        ({"n_clusters": [2, 3], "metric": "near"}, "metric='near' must be"),
    ],
)
def test_bad_arguments_are_refused_before_any_fit(blobs, arguments, message):
    told = []

    with pytest.raises(ValueError, match=message):
        suggest_n_clusters(blobs, progress=lambda *at: told.append(at), **arguments)

    assert told == []
