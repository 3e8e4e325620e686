"""Typical hop graphs grow as real ones do."""

import pytest

from graphpac import build_neighbor_graph
from graphpac.graph.hop_sizes import HopSizes
from graphpac.graph.hops import build_hop_graph
from graphpac.graph.lists import either_direction


def test_reach_grows_with_hops_and_ends_at_all_samples():
    reached = [HopSizes(5_000, 10, 4).reach(h) for h in range(1, 9)]
    assert reached == sorted(reached)
    assert reached[0] == pytest.approx(16, rel=0.01)
    assert reached[-1] == pytest.approx(5_000, rel=0.01)


def test_reach_is_about_that_of_real_data(digits):
    step = either_direction(build_neighbor_graph(digits.X, 10))
    hops = build_hop_graph(step, 4)
    n_samples = digits.X.shape[0]
    typical = HopSizes(n_samples, 10, 4)
    assert 0.5 < step.indices.size / n_samples / typical.reach(1) < 2
    assert 0.5 < hops.far.lists.indices.size / n_samples / typical.reach(2) < 2
    lists = {id(lists): lists for lists in (step, hops.near.lists, hops.far.lists)}.values()
    n_bytes = sum(part.nbytes for one in lists for part in one)
    assert 0.5 < n_bytes / typical.list_bytes < 2


def test_long_lists_are_not_stored():
    assert HopSizes(100_000, 10, 4).stored(2) == 2
    assert HopSizes(50_000_000, 10, 4).stored(2) == 1


def test_what_is_not_stored_is_walked_while_pools_are_searched():
    few, many = HopSizes(100_000, 10, 4), HopSizes(50_000_000, 10, 4)
    assert few.build_nanoseconds > many.build_nanoseconds == 0.0
    assert many.search_nanoseconds(1000) > few.search_nanoseconds(1000)
    assert many.search_bytes(1000, 1.0) / 500 > few.search_bytes(1000, 1.0)
