"""The smallest of many numbers against numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from graphpac.kernels.minima import BLOCK, find_block_minima, find_first, padded


@given(
    values=arrays(
        np.float64,
        st.integers(1, 3 * BLOCK),
        elements=st.sampled_from([-2.0, -0.0, 0.0, 1.0, 3.5, np.inf]) | st.floats(-1e6, 1e6),
    )
)
def test_the_smallest_and_where_it_is_first(values):
    whole = padded(values)
    minima = np.empty(whole.size // BLOCK)

    smallest = find_block_minima(whole, minima)

    assert whole.size % BLOCK == 0
    assert_array_equal(whole[: values.size], values)
    assert smallest == values.min()
    assert_array_equal(minima, whole.reshape(-1, BLOCK).min(axis=1))
    assert find_first(whole, minima, smallest) == values.argmin()
