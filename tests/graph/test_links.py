"""Links of a neighbor graph against dense matrices."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph import NeighborGraph
from graphpac.graph.links import degrees_of, links_of
from tests.strategies import link_matrices, links_from, neighbor_graphs


def dense(links):
    n_samples = links.indptr.size - 1
    shape = (n_samples, n_samples)
    return sp.csr_array((links.weights, links.indices, links.indptr), shape=shape).toarray()


def similarities(edges, n_samples):
    sources, targets, values = map(np.array, zip(*edges, strict=True))
    return NeighborGraph.from_edges(
        sources, targets, values, n_samples=n_samples, kind="similarity"
    )


@given(graph=neighbor_graphs())
def test_who_is_a_neighbor_in_either_direction_is_linked_once(graph):
    links = links_of(graph)
    directed = np.zeros((graph.n_samples, graph.n_samples))
    sources = np.repeat(np.arange(graph.n_samples), graph.degrees)
    directed[sources, graph.indices] = graph.values if graph.kind == "similarity" else 1.0
    expected = np.maximum(directed, directed.T)
    if graph.kind == "similarity" and graph.n_edges:
        expected = expected / graph.values.mean()
    assert_allclose(dense(links), expected, rtol=1e-6)
    assert links.indices.size == np.count_nonzero(expected)


@given(graph=neighbor_graphs())
def test_links_are_what_kernels_expect(graph):
    links = links_of(graph)
    assert [array.dtype for array in links] == [np.int64, np.int32, np.float32]
    assert_array_equal(dense(links), dense(links).T)
    for i in range(graph.n_samples):
        row = links.indices[links.indptr[i] : links.indptr[i + 1]]
        assert np.all(np.diff(row) > 0)
        assert i not in row
    assert np.all(links.weights > 0.0)  # a cluster without links is told by a sum of zero


@given(A=link_matrices())
def test_degrees_are_sums_of_rows(A):
    assert_array_equal(degrees_of(links_from(A)), A.sum(axis=1))


def test_the_scale_of_similarities_does_not_matter():
    edges = [(0, 1, 1.0), (1, 2, 3.0), (2, 1, 2.0)]
    plain = links_of(similarities(edges, 4))
    for scale in (2.0**-140, 2.0**120):
        scaled = links_of(similarities([(i, j, scale * v) for i, j, v in edges], 4))
        assert_allclose(scaled.weights, plain.weights, rtol=1e-2)  # subnormals have few digits


def test_what_is_nothing_beside_the_mean_is_no_link():
    links = links_of(similarities([(0, 1, 1e-44), (1, 2, 1e38)], 3))
    assert_array_equal(dense(links) > 0.0, [[0, 0, 0], [0, 0, 1], [0, 1, 0]])


def test_small_degrees_are_not_lost_behind_large_ones():
    A = np.zeros((6, 6))
    A[0, 1] = A[1, 0] = 2.0**20
    A[4, 5] = A[5, 4] = 2.0**-20
    assert_array_equal(degrees_of(links_from(A)), A.sum(axis=1))
