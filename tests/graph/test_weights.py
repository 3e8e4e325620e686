"""Local weights: the formulas, the limits, and that rows sum to one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph import NeighborGraph
from graphpac.graph.weights import local_scale, local_weights, query_weights, symmetrize
from tests.strategies import neighbor_graphs


def row_sums(indptr, weights):
    return np.array([weights[a:b].sum() for a, b in pairwise(indptr)])


def three_neighbors(values, kind):
    """Sample 0 and its three neighbors; nobody else has any."""
    return NeighborGraph(
        np.array([0, 3, 3, 3, 3], dtype=np.int64),
        np.array([1, 2, 3], dtype=np.int32),
        np.array(values, dtype=np.float32),
        kind,
    )


@given(graph=neighbor_graphs())
def test_rows_of_weights_sum_to_one(graph):
    sums = row_sums(graph.indptr, local_weights(graph))

    assert_allclose(sums, graph.degrees > 0, atol=1e-6)


@given(graph=neighbor_graphs())
def test_nearer_neighbors_weigh_no_less(graph):
    weights = local_weights(graph)

    for i in range(graph.n_samples):
        assert np.all(np.diff(weights[graph.indptr[i] : graph.indptr[i + 1]]) <= 0)


@pytest.mark.parametrize(
    ("kind", "kernel", "values", "formula"),
    [
        ("cosine", "auto", [0.1, 0.2, 0.6], lambda v: np.exp(-((1.0 + v) ** 2) / 0.1)),
        ("cosine", "gaussian", [0.1, 0.2, 0.6], lambda v: np.exp(-2.0 * v / (2.0 * 0.05))),
        ("euclidean", "auto", [1.0, 2.0, 3.0], lambda v: np.exp(-(v**2) / (2.0 * 14.0 / 3.0))),
        ("inner_product", "auto", [3.0, 2.0, -1.0], np.exp),
        ("similarity", "auto", [3.0, 2.0, 1.0], lambda v: v),
        ("similarity", "uniform", [3.0, 2.0, 1.0], np.ones_like),
    ],
)
def test_weights_follow_the_formula(kind, kernel, values, formula):
    expected = formula(np.array(values))

    weights = local_weights(three_neighbors(values, kind), kernel)

    assert_allclose(weights, expected / expected.sum(), rtol=1e-5)


def test_the_two_cosine_kernels_agree_for_near_neighbors():
    graph = three_neighbors([0.001, 0.005, 0.01], "cosine")

    assert_allclose(local_weights(graph, "authors"), local_weights(graph, "gaussian"), rtol=1e-2)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("euclidean", [1e-20, 1e10, 1e18]),
        ("inner_product", [1e30, 1e30, -1e30]),
        ("similarity", [1e38, 1.0, 1e-38]),
        ("euclidean", [0.0, 0.0, 0.0]),
    ],
)
def test_extreme_values_give_finite_weights(kind, values):
    weights = local_weights(three_neighbors(values, kind))

    assert np.all(np.isfinite(weights))
    assert weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kind", "kernel"),
    [
        ("euclidean", "authors"),
        ("inner_product", "gaussian"),
        ("similarity", "gaussian"),
        ("cosine", "cubic"),
    ],
)
def test_a_kernel_without_meaning_is_refused(kind, kernel):
    with pytest.raises(ValueError, match=f"kernel='{kernel}' has no meaning for {kind} values"):
        local_weights(three_neighbors([1.0, 1.0, 1.0], kind), kernel)


@given(graph=neighbor_graphs(max_degree=3))
def test_queries_get_the_weights_of_the_graph(graph):
    missing = {"inner_product": -np.inf, "similarity": 0.0}.get(graph.kind, np.inf)
    values = np.full((graph.n_samples, 3), missing, dtype=np.float32)
    place = np.arange(graph.n_edges) - np.repeat(graph.indptr[:-1], graph.degrees)
    sample = np.repeat(np.arange(graph.n_samples), graph.degrees)
    values[sample, place] = graph.values

    weights = query_weights(values, graph.kind, local_scale(graph))

    assert_allclose(weights[sample, place], local_weights(graph), atol=1e-7)
    assert_allclose(weights.sum(axis=1), graph.degrees > 0, atol=1e-6)


@given(graph=neighbor_graphs())
def test_symmetric_weights_have_every_edge_in_both_directions(graph):
    both = symmetrize(graph)

    entries = set()
    for i in range(graph.n_samples):
        neighbors = both.indices[both.indptr[i] : both.indptr[i + 1]]
        assert np.all(np.diff(neighbors) > 0)
        entries |= {(i, int(j)) for j in neighbors}
    directed = set(zip(*(part.tolist() for part in graph.to_scipy().nonzero()), strict=True))
    assert entries >= directed
    assert entries == {(j, i) for i, j in entries}
    assert_allclose(row_sums(both.indptr, both.weights), np.diff(both.indptr) > 0, atol=1e-6)


def test_symmetric_weights_use_one_weight_for_both_ends():
    graph = NeighborGraph.from_neighbors([[1], [2], [1]], [[0.4], [0.1], [0.1]], metric="cosine")

    both = symmetrize(graph)

    assert_array_equal(both.indices, [1, 0, 2, 1])
    near, far = np.exp(-(1.1**2) / 0.1), np.exp(-(1.4**2) / 0.1)
    assert_allclose(both.weights, [1.0, far / (near + far), near / (near + far), 1.0], rtol=1e-5)
