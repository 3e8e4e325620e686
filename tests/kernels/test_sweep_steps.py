"""Slots of a batch."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.kernels.batches import Pool
from graphpac.kernels.sweep_steps import number_slots


@given(n_members=st.integers(1, 40), share=st.floats(0.0, 1.0), seed=st.integers(0, 99))
def test_slots_follow_the_order_of_the_pool(n_members, share, seed):
    rng = np.random.default_rng(seed)
    batch = rng.permutation(n_members)[: max(1, round(share * n_members))].astype(np.int32)
    no_lists = np.zeros(n_members + 1, dtype=np.int64), np.zeros(0, dtype=np.uint16)
    pool = Pool(rng.permutation(100)[:n_members].astype(np.int32), 0, *no_lists)

    samples = np.empty(batch.size, dtype=np.int32)
    slots = number_slots(pool, batch, samples)

    assert_array_equal(slots[np.sort(batch)], np.arange(batch.size))
    assert_array_equal(np.delete(slots, batch), -1)
    assert_array_equal(samples, pool.members[np.sort(batch)])
