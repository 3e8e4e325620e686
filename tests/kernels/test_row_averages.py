"""Averages of rows over lists against their definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph.lists import either_direction
from graphpac.kernels.row_averages import average_lists
from tests.strategies import neighbor_graphs


@given(graph=neighbor_graphs(max_samples=24), n_features=st.integers(1, 33), data=st.data())
def test_means_over_lists_are_those_of_the_definition(graph, n_features, data):
    n = graph.n_samples
    lists = either_direction(graph)
    rows = np.random.default_rng(0).standard_normal((n, n_features), dtype=np.float32)
    given_rows = rows.copy()
    first = data.draw(st.integers(0, n))
    found = np.full((n, n_features), np.nan, np.float32)
    average_lists(*lists, rows, 0, found[:first])
    average_lists(*lists, rows, first, found[first:])
    for i in range(n):
        listed = lists.indices[lists.indptr[i] : lists.indptr[i + 1]]
        assert_allclose(found[i], rows[listed].mean(axis=0), rtol=1e-5, atol=1e-6)
    assert_array_equal(rows, given_rows)
