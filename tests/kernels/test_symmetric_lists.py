"""Lists made symmetric against a dense matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.graph import NeighborGraph
from graphpac.graph.links import links_of
from graphpac.graph.lists import either_direction

SEEDS = st.integers(0, 2**32 - 1)


def random_graph(n_samples, n_edges, seed, kind):
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, n_samples, (2, n_edges))
    values = rng.integers(1, 9, n_samples**2)[sources * n_samples + targets] / 8
    return NeighborGraph.from_edges(sources, targets, values, n_samples=n_samples, kind=kind)


@given(n_samples=st.integers(1, 12), n_edges=st.integers(0, 60), seed=SEEDS)
def test_who_is_one_hop_away_is_that_of_the_matrix(n_samples, n_edges, seed):
    graph = random_graph(n_samples, n_edges, seed, "euclidean")
    lists = either_direction(graph)
    directed = graph.to_scipy().toarray() > 0
    expected = sp.csr_array(directed | directed.T | np.eye(n_samples, dtype=bool))
    assert (lists.indptr.dtype, lists.indices.dtype) == (np.int64, np.int32)
    assert_array_equal(lists.indptr, expected.indptr)
    assert_array_equal(lists.indices, expected.indices)


@pytest.mark.parametrize("kind", ["similarity", "euclidean"])
@given(n_samples=st.integers(1, 12), n_edges=st.integers(0, 60), seed=SEEDS)
def test_links_have_the_larger_similarity_of_both_directions(kind, n_samples, n_edges, seed):
    graph = random_graph(n_samples, n_edges, seed, kind)
    links = links_of(graph)
    directed = graph.to_scipy().toarray()
    expected = np.maximum(directed, directed.T)
    if kind != "similarity":
        expected = (expected > 0).astype(np.float32)
    elif graph.n_edges:
        expected /= graph.values.mean(dtype=np.float64).astype(np.float32)
    shape = (n_samples, n_samples)
    found = sp.csr_array((links.weights, links.indices, links.indptr), shape=shape)
    assert found.has_canonical_format
    assert links.weights.dtype == np.float32
    assert_array_equal(found.toarray(), expected)


def test_a_similarity_too_small_beside_the_mean_is_no_link():
    sources, targets, values = np.array([0, 1]), np.array([1, 2]), np.array([3e38, 1e-45])
    graph = NeighborGraph.from_edges(sources, targets, values, n_samples=3, kind="similarity")
    assert_array_equal(links_of(graph).indices, [1, 0])
