"""Similarities of neighbors against their formula."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph.affinity import heat_affinity
from tests.strategies import neighbor_graphs


@given(graph=neighbor_graphs(kinds=("euclidean", "cosine")))
def test_affinities_are_those_of_the_formula(graph):
    squares = {}
    for i in range(graph.n_samples):
        for edge in range(graph.indptr[i], graph.indptr[i + 1]):
            value = float(graph.values[edge])
            squares[i, graph.indices[edge]] = value**2 if graph.kind == "euclidean" else 2 * value
    width = np.mean(list(squares.values())) if any(squares.values()) else 1.0
    expected = np.zeros((graph.n_samples, graph.n_samples))
    for (i, j), square in squares.items():
        weight = np.exp(-square / (2.0 * width))
        expected[i, j] = max(expected[i, j], weight)
        expected[j, i] = max(expected[j, i], weight)

    affinity = heat_affinity(graph)

    assert affinity.has_sorted_indices
    assert_allclose(affinity.toarray(), expected, rtol=1e-12)
    assert_array_equal(affinity.toarray(), affinity.toarray().T)


@given(graph=neighbor_graphs(kinds=("inner_product", "similarity")))
def test_values_that_are_no_distances_are_refused(graph):
    with pytest.raises(ValueError, match="has no distances: use a euclidean or cosine one"):
        heat_affinity(graph)
