"""Rows that repeat: found whatever their form, searched once, one sample of the graph."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from numpy.testing import assert_array_equal

from graphpac.graph import NeighborGraph, build_neighbor_graph
from graphpac.graph.copies import Copies, KnownRows, find_copies, keep_originals, merge_copies
from graphpac.graph.rows import prepare_rows
from graphpac.graph.weights import local_scale
from tests.reference import copies as reference
from tests.strategies import METRICS, sample_matrices

both_forms = pytest.mark.parametrize("form", [np.array, sp.csr_matrix], ids=["dense", "sparse"])
all_metrics = pytest.mark.parametrize("metric", METRICS)


def repeated(n_rows, n_kinds, seed=0, n_features=5):
    """Rows of a few kinds in any order, and the kind of each."""
    rng = np.random.default_rng(seed)
    kinds = np.concatenate((np.arange(n_kinds), rng.integers(0, n_kinds, n_rows - n_kinds)))
    rng.shuffle(kinds)
    return rng.normal(size=(n_kinds, n_features)).astype(np.float32)[kinds], kinds


@both_forms
@given(X=sample_matrices())
def test_copies_are_the_rows_that_are_equal(form, X):
    rows = prepare_rows(form(X), "euclidean")
    expected = reference.copy_of(X)

    copies = find_copies(rows)

    found = np.arange(len(X)) if copies is None else copies.copy_of
    assert_array_equal(found, expected)


@both_forms
def test_both_zeros_are_equal(form):
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]], dtype=np.float32)

    assert_array_equal(find_copies(form(X)).copy_of, [0, 0, 2])


@both_forms
@given(X=sample_matrices(min_samples=6))
def test_known_rows_name_the_first_that_equals_a_query(form, X):
    rows, queries = X[: len(X) // 2], X[len(X) // 4 :]
    known = KnownRows(prepare_rows(form(rows), "euclidean"), n_jobs=1)

    found = known.find(prepare_rows(form(queries), "euclidean"))

    for number, query in zip(found, queries, strict=True):
        equal = np.flatnonzero((rows == query).all(axis=1))
        assert number == (equal[0] if equal.size else -1)


def test_rows_that_share_a_hash_by_chance_stay_apart(monkeypatch):
    from graphpac.graph import copies

    monkeypatch.setattr(copies, "_hash", lambda rows, n_jobs: np.zeros(rows.shape[0], np.uint64))
    X = np.array([[1.0], [2.0], [1.0], [2.0]], dtype=np.float32)

    assert_array_equal(find_copies(X).copy_of, [0, 1, 0, 3])


@both_forms
def test_originals_are_kept_in_their_order(form):
    X, _ = repeated(300, 70)
    copies = find_copies(prepare_rows(X, "euclidean"))

    kept = keep_originals(prepare_rows(form(X), "euclidean"), copies)

    kept = kept.toarray() if sp.issparse(kept) else kept
    assert_array_equal(kept, X[np.sort(np.unique(X, axis=0, return_index=True)[1])])


@all_metrics
def test_a_graph_of_repeated_rows_equals_the_reference(metric):
    X, _ = repeated(60, 12)
    rows = prepare_rows(X, metric)
    copy_of = reference.copy_of(rows)
    originals = np.unique(copy_of)
    once = build_neighbor_graph(X[originals], 3, metric=metric, searcher="exact")
    lists = {
        first: [
            (once.values[edge], originals[once.indices[edge]])
            for edge in range(once.indptr[a], once.indptr[a + 1])
        ]
        for a, first in enumerate(originals)
    }
    own = (rows * rows).sum(axis=1) if metric == "inner_product" else np.zeros(len(X))
    expected = reference.spread(
        lists, copy_of, own, 1, 3, larger_is_nearer=metric == "inner_product"
    )

    graph = build_neighbor_graph(X, 3, metric=metric, searcher="exact")

    assert_array_equal(graph.copy_of, copy_of)
    for i, links in enumerate(expected):
        edges = slice(graph.indptr[i], graph.indptr[i + 1])
        assert_array_equal(graph.indices[edges], [sample for _, sample in links])
        np.testing.assert_allclose(graph.values[edges], [value for value, _ in links], rtol=1e-5)


@all_metrics
def test_merging_gives_back_the_graph_of_the_originals(metric):
    X, _ = repeated(200, 40)
    rows = prepare_rows(X, metric)
    copies = find_copies(rows)
    once = build_neighbor_graph(X[copies.originals], 5, metric=metric, searcher="exact")

    merged, found = merge_copies(build_neighbor_graph(X, 5, metric=metric, searcher="exact"))

    assert_array_equal(found.numbers, copies.numbers)
    for name in ("indptr", "indices", "values"):
        assert_array_equal(getattr(merged, name), getattr(once, name))
    assert merged.copy_of is None


def test_no_copy_collects_the_links_of_all():
    X, _ = repeated(4000, 4)

    graph = build_neighbor_graph(X, 3, searcher="exact")

    assert np.bincount(graph.indices).max() <= 12
    assert graph.n_components == 1


def test_rows_that_are_all_equal_are_linked_to_each_other():
    graph = build_neighbor_graph(np.ones((50, 3)), 4)

    assert_array_equal(graph.degrees, 4)
    assert graph.n_components == 1
    assert not graph.values.any()


def test_copies_do_not_narrow_the_kernel():
    X, _ = repeated(500, 50)
    originals = find_copies(prepare_rows(X, "euclidean")).originals

    scales = [
        local_scale(build_neighbor_graph(rows, 5, metric="euclidean")) for rows in (X, X[originals])
    ]

    assert scales[0] == scales[1]


@pytest.mark.parametrize(
    ("copy_of", "problem"),
    [
        ([0, 0, 1, 3], "first one that equals it"),
        ([0, 1, 2, 4], "first one that equals it"),
        ([0, 1, 2], "first one that equals it"),
        ([0, 1, 2, 2], "copy of yet another"),
    ],
)
def test_a_graph_refuses_copies_that_do_not_fit(copy_of, problem):
    indptr = np.array([0, 1, 1, 1, 1], dtype=np.int64)
    edge = np.array([3], dtype=np.int32), np.ones(1, dtype=np.float32)

    with pytest.raises(ValueError, match=problem):
        NeighborGraph(indptr, *edge, "euclidean", np.array(copy_of, dtype=np.int32))


def test_numbers_and_copies_tell_the_same():
    copy_of = np.array([0, 1, 0, 3, 1], dtype=np.int32)

    copies = Copies.of(copy_of)

    assert_array_equal(copies.originals, [0, 1, 3])
    assert_array_equal(copies.numbers, [0, 1, 0, 2, 1])
    assert_array_equal(copies.counts, [2, 2, 1])
    assert_array_equal(copies.copy_of, copy_of)
