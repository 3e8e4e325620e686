"""Dealing: everybody exactly once, whatever the sizes."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac._threads import Workers
from graphpac.graph.hops import build_hop_graph
from graphpac.graph.lists import either_direction
from graphpac.solvers import SolverOptions
from graphpac.solvers.pools import count_neighbors_within, deal_batches, deal_pools, plan_deal
from tests.reference.reach import hop_matrix
from tests.strategies import random_graph


def dealt(n_samples, batch_size, options=None, *, seed=0, n_jobs=1, room=None):
    """Everything one deal leads to: graph, plan, deal and the rounds of a first iteration."""
    graph = random_graph(n_samples, 4, np.random.default_rng(seed))
    hops = build_hop_graph(either_direction(graph), 3)
    rng = np.random.default_rng(seed)
    batch_size = min(batch_size, n_samples)
    n_found = count_neighbors_within(hops, batch_size)
    plan = plan_deal(n_samples, batch_size, n_found, options or SolverOptions(), room=room)
    with Workers(n_jobs) as workers:
        deal = deal_pools(hops, plan, rng, workers)
    return graph, plan, deal, deal_batches(deal, plan, rng)


@given(
    n_samples=st.integers(1, 150),
    batch_size=st.integers(1, 60),
    n_pool_batches=st.none() | st.integers(1, 5),
    n_round_batches=st.integers(1, 6),
)
def test_every_sample_is_dealt_once(n_samples, batch_size, n_pool_batches, n_round_batches):
    options = SolverOptions(n_pool_batches=n_pool_batches, n_round_batches=n_round_batches)

    _, _, deal, rounds = dealt(n_samples, batch_size, options)

    everyone = np.arange(n_samples)
    members = np.concatenate(deal.members)
    assert_array_equal(np.sort(members), everyone)
    assert_array_equal(members[deal.seats], everyone)
    assert_array_equal(deal.starts, [deal.seats[members[0]] for members in deal.members])
    updated = np.concatenate([deal.samples(batch) for batch in chain(*rounds)])
    assert_array_equal(np.sort(updated), everyone)
    assert all(1 <= len(batches) <= n_round_batches for batches in rounds)


@given(
    n_samples=st.integers(2, 200),
    batch_size=st.integers(3, 60),
    n_pool_batches=st.none() | st.integers(1, 5),
)
def test_no_sample_is_alone_in_a_batch(n_samples, batch_size, n_pool_batches):
    """Alone it would have nothing to compare with: uniform memberships, first cluster."""
    options = SolverOptions(n_pool_batches=n_pool_batches)

    _, _, _, rounds = dealt(n_samples, batch_size, options)

    sizes = [batch.order.size for batch in chain(*rounds)]
    assert min(sizes) >= 2
    assert max(sizes) <= 2 * batch_size


@pytest.mark.parametrize(("n_pool_batches", "n_pool_epochs"), [(1, 1), (1, 2), (3, 1), (9, 9)])
def test_pools_know_who_reaches_whom(n_pool_batches, n_pool_epochs):
    """Lists that serve one batch are made when asked for, all others are kept."""
    options = SolverOptions(n_pool_batches=n_pool_batches, n_pool_epochs=n_pool_epochs)
    graph, _, deal, _ = dealt(90, 10, options)

    assert (deal.lists is None) == (n_pool_batches == n_pool_epochs == 1)
    reached = hop_matrix(graph, 3)
    for pool in map(deal.pool, range(len(deal.members))):
        for a, member in enumerate(pool.members):
            near = pool.reach_indices[pool.reach_indptr[a] : pool.reach_indptr[a + 1]]
            assert_array_equal(near, np.flatnonzero(reached[member, pool.members]))


@pytest.mark.parametrize("option", [{"sequential": True}, {"totals": "all"}])
def test_some_runs_have_rounds_of_one_batch(option):
    _, _, _, rounds = dealt(90, 10, SolverOptions(**option, n_round_batches=4))

    assert {len(batches) for batches in rounds} == {1}


def test_an_epoch_deals_batches_anew():
    _, plan, deal, first = dealt(90, 10)
    second = deal_batches(deal, plan, np.random.default_rng(1))

    def orders(rounds):
        return np.concatenate([deal.samples(batch) for batch in chain(*rounds)])

    assert not np.array_equal(orders(first), orders(second))


def test_threads_make_no_difference():
    _, _, alone, _ = dealt(90, 10, SolverOptions(n_pool_batches=2))
    _, _, together, _ = dealt(90, 10, SolverOptions(n_pool_batches=2), n_jobs=3)

    for one, other in zip(alone.lists, together.lists, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert_array_equal(mine, theirs)


def test_lists_that_do_not_fit_shrink_the_pools():
    """With no room at all a pool is one batch, and is dealt anew in every iteration."""
    _, plan, deal, _ = dealt(90, 10, SolverOptions(n_pool_batches=5), room=1)

    assert plan.n_iterations == 1
    assert len(deal.members) == 9
