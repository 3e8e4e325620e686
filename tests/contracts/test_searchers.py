"""What every searcher promises, run over the whole table of them."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph.rows import prepare_rows
from graphpac.graph.searchers import SEARCHERS, RememberingSearcher
from graphpac.graph.searchers.base import METRIC_CODES
from graphpac.kernels.distances import measure_pairs
from tests.reference.distances import exact_key
from tests.strategies import METRICS

DENSE = [
    # pynndescent compiles for most of a minute in every process.
    pytest.param(name, marks=pytest.mark.slow) if name == "nndescent" else name
    for name in (*SEARCHERS, "remembering")
]
SPARSE = [name for name in DENSE if name not in ("faiss", "lists")]
EXACT = ("exact", "remembering")  # of digits, which are few
APPROXIMATE = [name for name in DENSE if name not in EXACT]


@pytest.fixture(autouse=True)
def _pynndescent_may_warn():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="pynndescent")
        warnings.filterwarnings("ignore", module="numba")
        yield


def make_index(name, rows, metric="cosine", n_jobs=2, seed=0):
    if name == "nndescent":
        pytest.importorskip("pynndescent")
    searcher = RememberingSearcher() if name == "remembering" else SEARCHERS[name]()
    return searcher.index(rows, metric=metric, n_jobs=n_jobs, random_state=seed)


def recall(found, truth):
    pairs = zip(found.indices, truth.indices, strict=True)
    return np.mean([len(np.intersect1d(one, other)) / len(other) for one, other in pairs])


def assert_in_order(found, metric):
    """Nearest first, ties by index, the missing at the end."""
    sign = -1.0 if metric == "inner_product" else 1.0
    for listed, values in zip(found.indices, sign * found.values, strict=True):
        n_found = np.sum(listed >= 0)
        assert np.all(listed[:n_found] >= 0)
        assert np.all(np.isinf(values[n_found:]))
        pairs = list(zip(values[:n_found], listed[:n_found], strict=True))
        assert pairs == sorted(pairs)
        assert len(set(listed[:n_found])) == n_found


def assert_same(one, other):
    assert_array_equal(one.indices, other.indices)
    assert_array_equal(one.values, other.values)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", DENSE)
def test_neighbors_have_shape_order_and_exact_values(name, metric, digits):
    rows = prepare_rows(digits.X, metric)

    found = make_index(name, rows, metric).neighbors(10)

    assert found.indices.shape == found.values.shape == (len(rows), 10)
    assert (found.indices.dtype, found.values.dtype) == (np.int32, np.float32)
    assert np.all(found.indices != np.arange(len(rows))[:, np.newaxis])
    assert_in_order(found, metric)
    sign = -1.0 if metric == "inner_product" else 1.0
    expected = [sign * exact_key(rows[0], rows[j], metric) for j in found.indices[0]]
    assert_allclose(found.values[0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", DENSE)
def test_almost_all_neighbors_of_digits_are_found(name, metric, digits):
    rows = prepare_rows(digits.X, metric)

    found = make_index(name, rows, metric).neighbors(10)

    assert recall(found, make_index("exact", rows, metric).neighbors(10)) >= 0.95


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.parametrize("metric", METRICS)
def test_sparse_rows_give_the_neighbors_of_dense_rows(name, metric, digits):
    rows = prepare_rows(digits.X, metric)

    found = make_index(name, sp.csr_matrix(rows), metric).neighbors(10)

    truth = make_index("exact", rows, metric).neighbors(10)
    assert_in_order(found, metric)
    # Dense and sparse sums round differently, which may exchange neighbors at equal distance.
    assert recall(found, truth) >= (0.99 if name in EXACT else 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("name", APPROXIMATE)
@pytest.mark.parametrize("data", ["cifar10_effnetlite2_20k", "mnist"])
def test_almost_all_neighbors_of_20000_real_samples_are_found(name, data, dataset):
    rows = prepare_rows(dataset(data).X[:20_000], "cosine", n_jobs=2)
    some = np.arange(0, len(rows), 40)

    found = make_index(name, rows).neighbors(10)

    truth = make_index("exact", rows).search(rows[some], some.astype(np.int32), 10)
    chosen = type(found)(found.indices[some], found.values[some])
    assert recall(chosen, truth) >= 0.97


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", DENSE)
def test_bits_do_not_depend_on_threads_or_memory_order(name, metric, digits):
    answers = []
    for n_jobs in (1, 2, 4):
        X = np.asfortranarray(digits.X) if n_jobs == 2 else digits.X
        index = make_index(name, prepare_rows(X, metric, n_jobs=n_jobs), metric, n_jobs)
        answers.append((index.neighbors(7), index.query(index._rows[5:90], 7)))

    for neighbors, queried in answers[1:]:
        assert_same(neighbors, answers[0][0])
        assert_same(queried, answers[0][1])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", DENSE)
def test_the_answer_for_a_row_does_not_depend_on_its_company(name, metric, digits):
    rows = prepare_rows(digits.X, metric)
    index = make_index(name, rows[:1500], metric)

    together = index.query(rows[1400:], 8)

    for i in (0, 31, 32, 100, 250):
        alone = index.query(rows[1400 + i : 1401 + i], 8)
        assert_array_equal(alone.indices[0], together.indices[i])
        assert_array_equal(alone.values[0], together.values[i])


@pytest.mark.parametrize("name", DENSE)
def test_a_query_of_an_indexed_row_finds_the_row(name, digits):
    rows = prepare_rows(digits.X, "euclidean")

    found = make_index(name, rows, "euclidean").query(rows[:200], 3)

    assert np.mean(found.indices[:, 0] == np.arange(200)) >= 0.99
    assert_array_equal(found.values[:, 0] == 0.0, found.indices[:, 0] == np.arange(200))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", DENSE)
def test_duplicates_by_the_thousand(name, metric, seed):
    """3,000 rows, but only four different ones: self goes by number, whoever stands first."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 4, 3000)
    rows = prepare_rows(rng.normal(size=(4, 5))[kinds], metric)

    found = make_index(name, rows, metric).neighbors(10)

    assert np.all(found.indices >= 0)
    assert np.all(found.indices != np.arange(3000)[:, np.newaxis])
    assert_in_order(found, metric)
    if metric != "inner_product":
        assert_allclose(found.values, 0.0, atol=1e-6)


@pytest.mark.parametrize("name", DENSE)
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_rows_that_are_all_equal(name, value):
    rows = prepare_rows(np.full((1200, 3), value), "cosine")

    found = make_index(name, rows).neighbors(4)

    assert np.all(found.indices >= 0)
    assert np.all(found.indices != np.arange(1200)[:, np.newaxis])
    assert_in_order(found, "cosine")
    assert_allclose(found.values, 1.0 - value, atol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", DENSE)
def test_rows_of_zeros_have_neighbors(name, metric, digits):
    X = digits.X[:700].copy()
    X[::50] = 0.0
    rows = prepare_rows(X, metric)

    found = make_index(name, rows, metric).neighbors(6)

    assert np.all(found.indices >= 0)
    assert np.all(np.isfinite(found.values))
    if metric == "cosine":
        assert_array_equal(found.values[::50], 1.0)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_samples", [2, 5, 11])
@pytest.mark.parametrize("name", DENSE)
def test_few_rows_give_all_others(name, n_samples, metric, seed):
    rows = prepare_rows(np.random.default_rng(seed).normal(size=(n_samples, 2)), metric)
    index = make_index(name, rows, metric)

    found, queried = index.neighbors(10), index.query(rows, 10)

    assert_array_equal(np.sum(found.indices >= 0, axis=1), min(10, n_samples - 1))
    assert_array_equal(np.sum(queried.indices >= 0, axis=1), min(10, n_samples))
    assert_in_order(found, metric)
    assert_in_order(queried, metric)


@pytest.mark.parametrize("n_features", [1, 2, 17, 65])
@pytest.mark.parametrize("name", DENSE)
def test_any_number_of_features(name, n_features, seed):
    rows = prepare_rows(np.random.default_rng(seed).normal(size=(800, n_features)), "euclidean")

    found = make_index(name, rows, "euclidean").neighbors(5)

    assert recall(found, make_index("exact", rows, "euclidean").neighbors(5)) >= 0.95


@pytest.mark.parametrize("name", DENSE)
def test_no_queries_no_answers(name, digits):
    rows = prepare_rows(digits.X[:600], "cosine")

    found = make_index(name, rows).query(rows[:0], 4)

    assert found.indices.shape == found.values.shape == (0, 4)


@pytest.mark.parametrize("name", DENSE)
def test_an_index_survives_pickling(name, digits):
    rows = prepare_rows(digits.X[:600], "cosine")
    index = make_index(name, rows)
    before = index.query(rows[:40], 4)

    assert_same(pickle.loads(pickle.dumps(index)).query(rows[:40], 4), before)


@pytest.mark.parametrize("metric", METRICS)
def test_exact_search_is_the_full_sort_also_among_ties(metric, seed):
    """Few different values make ties everywhere, also across the tiles of the search."""
    X = np.random.default_rng(seed).integers(0, 3, (4500, 3)).astype(np.float64)
    rows = prepare_rows(X, metric)
    some = np.arange(0, 4500, 500)

    found = make_index("exact", rows, metric).neighbors(25)

    everything = np.arange(4500, dtype=np.int32)[np.newaxis]
    for i in some:
        keys = np.empty(everything.shape, dtype=np.float32)
        measure_pairs(rows, rows[i : i + 1], everything, METRIC_CODES[metric], keys)
        order = np.lexsort((everything[0], keys[0]))
        assert_array_equal(found.indices[i], order[order != i][:25])


@pytest.mark.parametrize("name", ["exact", "faiss", "lists"])
def test_hundreds_of_neighbors_are_the_true_ones_in_order(name, digits):
    rows = prepare_rows(digits.X[:600], "cosine")

    found = make_index(name, rows).neighbors(400)

    everyone = np.tile(np.arange(600, dtype=np.int32), (600, 1))
    keys = np.empty(everyone.shape, dtype=np.float32)
    measure_pairs(rows, rows, everyone, METRIC_CODES["cosine"], keys)
    np.fill_diagonal(keys, np.inf)
    best = np.argsort(keys, axis=1, kind="stable")[:, :400]
    assert_array_equal(found.indices, best)
    assert_array_equal(found.values, np.take_along_axis(keys, best, axis=1))


def test_more_lists_are_looked_into_for_more_neighbors(seed):
    """Sixteen lists hold 4,480 rows, of which 1,000 neighbors are too large a share."""
    rng = np.random.default_rng(seed)
    rows = prepare_rows(rng.normal(size=(90_000, 6)), "cosine", n_jobs=2)
    some = np.arange(0, 90_000, 9_000)

    queried = make_index("faiss", rows, n_jobs=2).query(rows[some], 1000)

    truth = make_index("exact", rows).query(rows[some], 1000)
    assert recall(queried, truth) >= 0.97


@pytest.mark.parametrize("metric", METRICS)
def test_exact_search_is_the_same_however_threads_share_pairs_of_blocks(metric, seed):
    """Rows come nearer and nearer to the first, so every later block replaces whole lists."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(3500, 6))
    shrinking = np.linspace(1.0, 0.1, 3500)[:, np.newaxis]
    rows = prepare_rows(np.ones(6) + shrinking * directions, metric)
    alone = make_index("exact", rows, metric, n_jobs=1).neighbors(6)

    for _ in range(5):
        assert_same(make_index("exact", rows, metric, n_jobs=4).neighbors(6), alone)
    by_queries = make_index("exact", rows, metric).search(rows, np.arange(3500, dtype=np.int32), 6)
    assert_same(by_queries, alone)
