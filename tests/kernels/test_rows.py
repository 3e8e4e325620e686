"""Work on rows against NumPy's indexing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from graphpac.kernels.rows import find_largest

few_values = st.sampled_from(np.array([0.0, 0.25, 0.5, 1.0], dtype=np.float32).tolist())
matrices = arrays(np.float32, st.tuples(st.integers(1, 9), st.integers(1, 5)), elements=few_values)


@given(rows=matrices)
def test_find_largest_matches_argmax(rows):
    out = np.empty(len(rows), dtype=np.int32)

    find_largest(rows, out)

    assert_array_equal(out, rows.argmax(axis=1))
