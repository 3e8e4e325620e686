"""Work on rows against NumPy's indexing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from graphpac.kernels.rows import find_inner, find_largest
from tests.strategies import random_graphs

few_values = st.sampled_from(np.array([0.0, 0.25, 0.5, 1.0], dtype=np.float32).tolist())
matrices = arrays(np.float32, st.tuples(st.integers(1, 9), st.integers(1, 5)), elements=few_values)


@given(rows=matrices)
def test_find_largest_matches_argmax(rows):
    out = np.empty(len(rows), dtype=np.int32)

    find_largest(rows, out)

    assert_array_equal(out, rows.argmax(axis=1))


@given(graph=random_graphs(), data=st.data())
def test_inner_samples_share_the_label_of_all_their_neighbors(graph, data):
    labels = data.draw(arrays(np.int32, graph.n_samples, elements=st.integers(0, 2)))
    inner = np.empty(graph.n_samples, dtype=np.bool_)

    find_inner(graph.indptr, graph.indices, labels, inner)

    for i in range(graph.n_samples):
        neighbors = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
        assert inner[i] == (set(labels[neighbors].tolist()) <= {labels[i]})
