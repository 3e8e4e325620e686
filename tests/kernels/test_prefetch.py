"""A hint must not change anything, wherever it points."""

import numpy as np
from numpy.testing import assert_array_equal

from graphpac.kernels._jit import kernel
from graphpac.kernels._prefetch import prefetch


@kernel
def sum_with_hints(values, ahead):
    total = 0.0
    for i in range(values.shape[0]):
        prefetch(values, i + ahead)
        total += values[i, 0]
    return total


def test_hints_change_nothing_and_may_point_anywhere():
    values = np.arange(12.0, dtype=np.float32).reshape(6, 2)
    before = values.copy()

    for ahead in (0, 1, 10**9, -(10**9)):
        assert sum_with_hints(values, ahead) == 30.0
    assert_array_equal(values, before)
