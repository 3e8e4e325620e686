"""What the remembering searcher adds to the contract of all searchers: it searches once."""

import copy
import pickle
from threading import Barrier, Thread

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone

from graphpac import FINCH, GPAC, RememberingSearcher, build_neighbor_graph
from graphpac.graph.rows import prepare_rows
from graphpac.graph.searchers import ExactSearcher, FaissSearcher, is_exact


class Counting:
    """Counts the searches of another searcher; whether that is exact nobody knows."""

    def __init__(self, inner):
        self.inner = inner
        self.n_searches = 0

    def index(self, rows, **options):
        index = self.inner.index(rows, **options)
        counter = self

        class Index:
            def neighbors(self, n_neighbors, progress=None):
                counter.n_searches += 1
                return index.neighbors(n_neighbors, progress)

        return Index()


@pytest.fixture
def exact_searches(monkeypatch):
    """Count the exact searches made."""
    calls = []
    index = ExactSearcher.index
    monkeypatch.setattr(
        ExactSearcher, "index", lambda self, *a, **b: calls.append(1) or index(self, *a, **b)
    )
    return calls


def graph(X, searcher, n_neighbors=10, **options):
    return build_neighbor_graph(X, n_neighbors, searcher=searcher, **options)


def test_an_exact_list_answers_for_the_same_rows_and_shorter_lists(digits, exact_searches):
    searcher = RememberingSearcher("exact")
    first = graph(digits.X, searcher)
    again = graph(digits.X.copy(), searcher, random_state=5)
    shorter = graph(digits.X, searcher, 3)

    assert len(exact_searches) == searcher.n_remembered == 1
    assert_array_equal(again.indices, first.indices)
    assert_array_equal(shorter.values, first.truncated(3).values)
    longer = graph(digits.X, searcher, 12)
    assert len(exact_searches) == 2
    assert_array_equal(longer.truncated(10).indices, first.indices)
    assert searcher.n_remembered == 1


def test_other_rows_and_metrics_are_searched(digits, exact_searches):
    searcher = RememberingSearcher("exact")
    graph(digits.X, searcher)
    changed = digits.X.copy()
    changed[-1, -1] += 1
    for X, metric in ((digits.X, "euclidean"), (changed, "cosine"), (digits.X[:-1], "cosine")):
        found = graph(X, searcher, metric=metric)
        assert_array_equal(found.indices, graph(X, "exact", metric=metric).indices)
    graph(sp.csr_matrix(digits.X * (np.arange(64) % 16 == 10)), searcher)
    assert searcher.n_remembered == 5
    searcher.forget()
    assert searcher.n_remembered == 0


def test_an_approximate_list_is_kept_for_its_number_and_the_first_seed(digits):
    counting = Counting(FaissSearcher(n_probe=1))
    searcher = RememberingSearcher(counting)
    first = graph(digits.X, searcher, random_state=0)
    assert_array_equal(graph(digits.X, searcher, random_state=1).indices, first.indices)
    assert counting.n_searches == 1
    graph(digits.X, searcher, 5, random_state=0)
    assert counting.n_searches == searcher.n_remembered == 2


def test_who_is_exact(digits):
    rows = prepare_rows(digits.X, "cosine")
    for searcher in ("auto", "exact", RememberingSearcher(), RememberingSearcher("exact")):
        assert is_exact(searcher, rows)
    for searcher in ("faiss", FaissSearcher(), RememberingSearcher("faiss")):
        assert not is_exact(searcher, rows)


def test_fits_share_one_search_also_those_of_clones(digits, exact_searches):
    X = digits.X[:400]
    searcher = RememberingSearcher()
    model = GPAC(10, max_iter=2, searcher=searcher)
    labels = [clone(model).set_params(random_state=seed).fit(X).labels_ for seed in range(2)]
    FINCH(searcher=searcher).fit(X)
    n_levels = searcher.n_remembered - 1
    assert len(exact_searches) == 1 + n_levels
    alone = GPAC(10, max_iter=2, random_state=1).fit(X)
    assert_array_equal(labels[1], alone.labels_)


def test_threads_that_ask_at_once_search_once(digits, exact_searches):
    searcher = RememberingSearcher("exact")
    together, found = Barrier(4), []

    def ask():
        together.wait()
        found.append(graph(digits.X, searcher, n_jobs=1))

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(exact_searches) == 1
    for one in found[1:]:
        assert_array_equal(one.indices, found[0].indices)


def test_copies_share_and_pickles_begin_anew(digits):
    searcher = RememberingSearcher("exact")
    graph(digits.X[:100], searcher)
    assert copy.deepcopy(searcher) is copy.copy(searcher) is searcher
    unpickled = pickle.loads(pickle.dumps(searcher))
    assert repr(unpickled) == repr(searcher) == "RememberingSearcher(searcher='exact')"
    assert unpickled.n_remembered == 0


def test_nobody_can_write_into_what_is_remembered(digits):
    rows = prepare_rows(digits.X[:100], "cosine")
    index = RememberingSearcher().index(rows, metric="cosine", n_jobs=1, random_state=0)
    found = index.neighbors(4)
    with pytest.raises(ValueError, match="read-only"):
        found.indices[0, 0] = 7
    assert np.all(index.neighbors(2).indices == found.indices[:, :2])
