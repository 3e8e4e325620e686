"""Anchor graphs against their formula."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from graphpac.graph.searchers import Neighbors
from graphpac.solvers.anchors import anchor_graph, spread_to_anchors
from tests.reference import balanced as reference


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@given(data=st.data())
def test_weights_are_those_of_the_formula(metric, data):
    """Equal distances are common here, and all of a row may be equal."""
    n_rows, n_anchors = data.draw(st.integers(1, 5)), data.draw(st.integers(2, 6))
    n_nearest = data.draw(st.integers(1, n_anchors - 1))
    values = st.lists(
        st.sampled_from([0.0, 0.5, 0.5, 1.0, 1.75]), min_size=n_anchors, max_size=n_anchors
    )
    distances = np.array([data.draw(values) for _ in range(n_rows)], dtype=np.float32)
    order = np.argsort(distances, axis=1, kind="stable")[:, : n_nearest + 1].astype(np.int32)
    nearest = Neighbors(order, np.take_along_axis(distances, order, axis=1))

    graph = anchor_graph(nearest, metric, n_anchors)

    squares = distances.astype(np.float64) ** 2 if metric == "euclidean" else distances
    expected = [reference.anchor_weights(row.astype(np.float64), n_nearest) for row in squares]
    assert_allclose(graph.toarray(), expected, atol=1e-12)


def test_anchors_take_the_mean_of_their_rows():
    graph = sp.csr_array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    memberships = np.array([[1.0, 0.0], [0.4, 0.6]])
    expected = [[(1.0 + 0.2) / 1.5, 0.3 / 1.5], [0.4, 0.6], [0.5, 0.5]]
    assert_allclose(spread_to_anchors(graph, memberships), expected)
