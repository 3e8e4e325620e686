"""The smallest of many, against sorting everything."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from graphpac.kernels.selection import code_of, key_of, merge_codes, replace_largest

KEYS = st.floats(width=32, allow_nan=False).map(lambda key: key + 0.0)  # no -0.0


@given(values=arrays(np.float32, st.integers(1, 60), elements=KEYS), n_best=st.integers(1, 60))
def test_a_heap_keeps_the_smallest_and_its_largest_first(values, n_best):
    heap = np.full(n_best, np.inf, dtype=np.float32)

    for value in values:
        if value < heap[0]:
            replace_largest(heap, value)

    kept = np.sort(np.concatenate((values, np.full(n_best, np.inf, dtype=np.float32))))[:n_best]
    assert heap[0] == kept[-1]
    assert_array_equal(np.sort(heap), kept)


@given(
    keys=arrays(np.float32, 2, elements=KEYS),
    indices=arrays(np.int32, 2, elements=st.integers(0, 2**31 - 1)),
)
def test_codes_rise_with_key_and_index(keys, indices):
    one, other = (code_of(bits, j) for bits, j in zip(keys.view(np.int32), indices, strict=True))
    pairs = list(zip(keys.tolist(), indices.tolist(), strict=True))
    assert (one < other, one == other) == (pairs[0] < pairs[1], pairs[0] == pairs[1])


@given(
    listed=st.sets(st.tuples(KEYS, st.integers(0, 9)), max_size=8),
    added=st.lists(st.tuples(KEYS, st.integers(0, 9)), max_size=12),
    n_best=st.integers(1, 10),
)
def test_a_merged_list_holds_the_best_of_both_once(listed, added, n_best):
    pairs = sorted(listed)[:n_best]
    added = [*added, *pairs[:1]]  # one that is there already
    keys = np.full(n_best, np.inf, dtype=np.float32)
    indices = np.full(n_best, -1, dtype=np.int32)
    for place, (key, j) in enumerate(pairs):
        keys[place], indices[place] = key, j
    new = [code_of(np.float32(key).view(np.int32), j) for key, j in added]

    merge_codes(
        np.sort(np.array(new, dtype=np.int64)),
        keys.view(np.int32),
        indices,
        np.empty(n_best, dtype=np.int64),
    )

    expected = sorted({*pairs, *added})[:n_best]
    n_found = len(expected)
    assert list(zip(keys.tolist(), indices.tolist(), strict=True))[:n_found] == expected
    assert (indices[n_found:] == -1).all()
    assert np.isinf(keys[n_found:]).all()


@given(key=KEYS, index=st.integers(0, 2**31 - 1))
def test_a_code_tells_its_key(key, index):
    bits = np.array([key], dtype=np.float32).view(np.int32)
    assert key_of(code_of(bits[0], np.int32(index))) == np.float32(key)
