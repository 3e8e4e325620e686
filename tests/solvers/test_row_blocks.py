"""Blocks of rows: every row once, and sums that do not depend on threads."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac._threads import Workers
from graphpac.solvers.row_blocks import (
    block_slices,
    exact_block,
    map_blocks,
    squared_lengths,
    sum_in_order,
)


@given(n_rows=st.integers(1, 50_000), row_entries=st.integers(0, 3_000_000))
def test_blocks_hold_every_row_once_and_in_order(n_rows, row_entries):
    blocks = block_slices(n_rows, row_entries)

    assert blocks[0].start == 0
    assert blocks[-1].stop == n_rows
    assert all(one.stop == other.start for one, other in pairwise(blocks))
    sizes = [block.stop - block.start for block in blocks]
    assert min(sizes) >= 1
    assert max(sizes) == 1 or max(sizes) * max(1, row_entries) <= 1 << 20
    assert max(sizes) <= 8192


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_results_keep_the_order_of_the_blocks(n_jobs):
    with Workers(n_jobs) as workers:
        found = map_blocks(lambda block: block, 30_000, 5, workers)

    assert found == block_slices(30_000, 5)
    assert len(found) == 4


def test_sums_go_from_first_to_last(seed):
    parts = list(np.random.default_rng(seed).normal(size=(7, 3)) * 10.0 ** np.arange(7)[:, None])
    first = parts[0].copy()

    total = sum_in_order(parts)

    expected = (((((parts[0] + parts[1]) + parts[2]) + parts[3]) + parts[4]) + parts[5]) + parts[6]
    assert_array_equal(total, expected)
    assert_array_equal(parts[0], first)


def test_sums_are_float64_whatever_the_parts_are():
    total = sum_in_order([np.float32([1.0, 2.0]), np.float32([2.0**-30, 0.0])])

    assert total.dtype == np.float64
    assert_array_equal(total, [1.0 + 2.0**-30, 2.0])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_blocks_and_lengths_are_exact(form, seed):
    dense = np.random.default_rng(seed).normal(size=(9, 4)).astype(np.float32)
    rows = form(dense)

    block = exact_block(rows, slice(2, 5))

    assert block.dtype == np.float64
    assert_array_equal(sp.csr_matrix(block).toarray(), dense[2:5])
    assert_allclose(squared_lengths(rows), (dense.astype(np.float64) ** 2).sum(axis=1), rtol=1e-14)
