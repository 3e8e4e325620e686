"""Counts that stand in for a clock: the same everywhere, and linear in the number of samples."""

import numpy as np
import pytest

from benchmarks.operations import (
    _search_steps,
    count_operations,
    growth_exponent,
    main,
    operations_table,
)
from graphpac import build_neighbor_graph
from graphpac.graph.hops import build_hop_graph
from graphpac.graph.lists import either_direction


def graph_in_the_plane(n_samples, seed=0):
    """Neighborhoods in the plane have the same size wherever and however many they are."""
    X = np.random.default_rng(seed).random((n_samples, 2)).astype(np.float32)
    return build_neighbor_graph(X, 10, metric="euclidean", searcher="exact")


def test_an_epoch_grows_with_the_number_of_samples():
    # 70 clusters: two hops at every size, and rows of 16 kept entries.
    sizes = (1000, 2000, 4000)
    counted = [count_operations(graph_in_the_plane(n), 70) for n in sizes]
    assert {dealing.n_hops for dealing, _ in counted} == {2}
    for name in ("list_entries", "cluster_scores", "local_entries", "search_steps", "total"):
        first, last = (getattr(counted[place][1], name) for place in (0, -1))
        assert growth_exponent(first, last, sizes[-1] / sizes[0]) == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("stored_bytes", [0, 1 << 30])
@pytest.mark.parametrize("n_hops", [2, 3, 5])
def test_search_steps_are_those_of_the_kernel(n_hops, stored_bytes, monkeypatch):
    monkeypatch.setattr("graphpac.graph.hops.STORED_BYTES", stored_bytes)
    hops = build_hop_graph(either_direction(graph_in_the_plane(60)), n_hops)
    members = np.arange(0, 60, 3, dtype=np.int32)
    step = [set(row) for row in np.split(hops.step.indices, hops.step.indptr[1:-1])]

    def walk(sample, n_steps):
        reached = {int(sample)}
        for _ in range(n_steps):
            reached = set().union(*(step[u] for u in reached))
        return reached

    near, far = n_hops // 2, n_hops - n_hops // 2
    turned = [u for member in members for u in walk(member, near)]
    marks = sum(turned.count(u) for member in members for u in walk(member, far))
    # Where nothing but the first step is stored, walks go on from it, once to count and once to
    # list; both halves share them when they are equally long.
    walked = sum(
        2 * len(step[u])
        for half in {near, far}
        for n_steps in range(1, half)
        for member in members
        for u in walk(member, n_steps)
    )
    expected = 2 * len(turned) + 60 + marks + (walked if stored_bytes == 0 else 0)
    assert _search_steps(hops, members) == expected


def test_counts_are_the_same_every_time():
    graph = graph_in_the_plane(500)
    assert count_operations(graph, 5) == count_operations(graph, 5)


def test_the_table_shows_powers_between_sizes():
    counted = [count_operations(graph_in_the_plane(n), 5) for n in (300, 600)]
    lines = operations_table(counted).splitlines()
    assert "300 to 600" in lines[0]
    scores = next(line for line in lines if "cluster scores" in line)
    assert scores.rstrip(" |").endswith("n^1.00")


def test_the_command_prints_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GRAPHPAC_BENCH_CACHE", str(tmp_path))
    main(["--rows", "200", "400", "--clusters", "3", "--features", "8"])
    assert "| total" in capsys.readouterr().out


def test_nothing_has_no_power():
    assert np.isnan(growth_exponent(0.0, 1.0, 2.0))
