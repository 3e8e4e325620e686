"""Digests tell data apart, and nothing else."""

import numpy as np
import pytest

from graphpac.io import blocks
from graphpac.io.blocks import digest, row_blocks, to_bytes


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 64)


@pytest.mark.parametrize("shape", [(), (0,), (5,), (100,), (40, 3), (4, 100), (3, 0), (2, 3, 50)])
def test_blocks_are_the_array_in_c_order(shape, small_blocks):
    array = np.arange(np.prod(shape, dtype=int), dtype=np.int16).reshape(shape)
    for layout in (array, np.asfortranarray(array), array.astype(">i2")):
        assert b"".join(to_bytes(block) for block in row_blocks(layout)) == array.tobytes()


def test_blocks_are_views_where_rows_are_side_by_side(small_blocks):
    array = np.zeros((40, 3))
    assert all(np.shares_memory(array, np.asarray(to_bytes(b))) for b in row_blocks(array))


def test_memory_order_threads_and_memory_maps_do_not_matter(tmp_path, small_blocks, seed):
    X = np.random.default_rng(seed).normal(size=(50, 7))
    np.save(tmp_path / "X.npy", X)
    expected = digest([X])
    assert digest([np.asfortranarray(X)]) == expected
    assert digest([X], n_jobs=3) == expected
    assert digest([np.load(tmp_path / "X.npy", mmap_mode="r")]) == expected
    assert digest([np.repeat(X, 2, axis=1)[:, ::2]]) == expected


def test_anything_else_matters(small_blocks):
    X = np.zeros((50, 4), dtype=np.int32)
    changed = X.copy()
    changed[31, 2] = 1
    others = [
        [X],
        [changed],
        [X.astype(np.uint32)],
        [X.reshape(100, 2)],
        [X[:49]],
        [X[:25], X[25:]],
        [X, X],
    ]
    assert len({digest(arrays) for arrays in others}) == len(others)
