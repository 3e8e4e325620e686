"""Blocks of rows: every row once, and sums that do not depend on threads."""

from functools import reduce
from itertools import pairwise
from operator import add
from weakref import WeakSet

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac._threads import Workers
from graphpac.solvers.row_blocks import (
    ROUND_BLOCKS,
    block_slices,
    exact_block,
    map_blocks,
    reduce_blocks,
    squared_lengths,
    sum_blocks,
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


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("n_blocks", [1, 7, ROUND_BLOCKS, 2 * ROUND_BLOCKS + 3])
def test_sums_go_from_first_to_last(n_blocks, n_jobs, seed):
    """The bits are those of adding one by one, however many are held at a time."""
    sizes = np.random.default_rng(seed).integers(-9, 9, size=n_blocks)
    parts = np.random.default_rng(seed).normal(size=(n_blocks, 3)) * 10.0 ** sizes[:, None]
    row_entries = 1 << 20

    with Workers(n_jobs) as workers:
        total = sum_blocks(lambda block: parts[block.start], n_blocks, row_entries, workers)

    assert_array_equal(total, reduce(add, parts))


def test_few_results_are_held_at_a_time():
    alive = WeakSet()

    class Part:
        most = 0

        def __init__(self):
            alive.add(self)
            Part.most = max(Part.most, len(alive))

    with Workers(1) as workers:
        reduce_blocks(lambda _: Part(), lambda total, _: total, 100, 1 << 20, workers)
    assert Part.most <= ROUND_BLOCKS + 2  # with the total, and the last one taken in


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_blocks_and_lengths_are_exact(form, seed):
    dense = np.random.default_rng(seed).normal(size=(9, 4)).astype(np.float32)
    rows = form(dense)

    block = exact_block(rows, slice(2, 5))

    assert block.dtype == np.float64
    assert_array_equal(sp.csr_matrix(block).toarray(), dense[2:5])
    assert_allclose(squared_lengths(rows), (dense.astype(np.float64) ** 2).sum(axis=1), rtol=1e-14)
