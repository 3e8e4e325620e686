"""Rows in an array that grows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphpac.io.readers.growing import GrowingRows


@given(sizes=st.lists(st.integers(0, 30), max_size=8), expected=st.integers(0, 50))
def test_all_blocks_are_there_in_order(sizes, expected):
    rows = GrowingRows(2, expected, "rows")
    X = np.arange(2 * sum(sizes), dtype=np.float32).reshape(-1, 2)
    for block in np.split(X, np.cumsum(sizes)[:-1]) if sizes else []:
        rows.add(block)
    assert rows.n_rows == len(X)
    np.testing.assert_array_equal(rows.finish(), X)


def test_no_memory(monkeypatch):
    def refuse(*args, **kwargs):
        raise MemoryError

    block = np.zeros((1, 2), dtype=np.float32)
    monkeypatch.setattr(np, "empty", refuse)
    with pytest.raises(MemoryError, match="rows tells of an array of the shape .* not enough mem"):
        GrowingRows(2, 10, "rows").add(block)


def test_no_memory_for_more():
    class Full(np.ndarray):
        def resize(self, *args, **kwargs):
            raise MemoryError

    rows = GrowingRows(2, 1, "rows")
    rows._rows = np.empty((1, 2), dtype=np.float32).view(Full)
    with pytest.raises(MemoryError, match="rows has more than 1 rows, for which there is not"):
        rows.add(np.zeros((2, 2), dtype=np.float32))
