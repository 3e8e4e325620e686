"""What searches say they take."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import RememberingSearcher
from graphpac.graph.costs import connect_cost
from graphpac.graph.data_size import DataSize
from graphpac.graph.searchers import (
    SEARCHERS,
    ExactSearcher,
    FaissSearcher,
    ListsSearcher,
    NNDescentSearcher,
    search_cost,
)


def dense(n_rows, n_features=64):
    return DataSize.of(np.broadcast_to(np.float32(0.0), (n_rows, n_features)))


@pytest.mark.parametrize("name", SEARCHERS)
def test_more_rows_take_more_and_more_threads_no_longer(name):
    few, many = (search_cost(name, dense(n), 10, 1) for n in (20_000, 200_000))
    assert few.searching < many.searching
    assert few.seconds < many.seconds
    assert search_cost(name, dense(20_000), 10, 2).seconds <= few.seconds


def test_auto_costs_what_it_picks():
    assert search_cost("auto", dense(2_000), 10, 1) == ExactSearcher().cost(dense(2_000), 10, 1)
    many = dense(200_000)
    assert search_cost("auto", many, 10, 1) == ListsSearcher().cost(many, 10, 1)
    sparse = DataSize.of(sp.eye_array(2_000, format="csr", dtype=np.float32))
    assert search_cost("auto", sparse, 10, 1) == ExactSearcher().cost(sparse, 10, 1)


def test_many_neighbors_are_a_share_of_all_rows_that_exact_search_finds_sooner():
    size = dense(200_000)
    assert FaissSearcher().cost(size, 5_000, 1) == ExactSearcher().cost(size, 5_000, 1)
    assert ListsSearcher().cost(size, 5_000, 1) == ExactSearcher().cost(size, 5_000, 1)
    few = dense(400)
    assert NNDescentSearcher().cost(few, 10, 1) == ExactSearcher().cost(few, 10, 1)


def test_options_count():
    usual = FaissSearcher().cost(dense(200_000), 10, 1)
    assert FaissSearcher(n_probe=64).cost(dense(200_000), 10, 1).seconds > 1.5 * usual.seconds
    usual_lists = ListsSearcher().cost(dense(200_000), 10, 1)
    assert ListsSearcher(20_000).cost(dense(200_000), 10, 1).seconds > 1.5 * usual_lists.seconds
    assert FaissSearcher(n_components=16).cost(dense(200_000), 10, 1).searching < usual.searching


def test_a_searcher_that_remembers_costs_what_its_own_does():
    size = dense(200_000)
    assert RememberingSearcher("faiss").cost(size, 10, 2) == FaissSearcher().cost(size, 10, 2)


def test_somebody_elses_searcher_takes_the_time_of_auto_and_no_memory_of_its_own():
    class Oracle:
        def index(self, rows, *, metric, n_jobs, random_state):
            raise NotImplementedError

    size = dense(20_000)
    expected = search_cost("auto", size, 10, 1).seconds
    assert search_cost(Oracle(), size, 10, 1) == (0.0, 0.0, expected)
    assert connect_cost(size, 10, Oracle(), 1).memory["search"] == 0.0


def test_somebody_elses_searcher_may_tell():
    class Telling:
        def index(self, rows, *, metric, n_jobs, random_state):
            raise NotImplementedError

        def cost(self, size, n_neighbors, n_jobs):
            return ExactSearcher().cost(size, n_neighbors, n_jobs)

    size = dense(200_000)
    assert search_cost(Telling(), size, 10, 1) == ExactSearcher().cost(size, 10, 1)
