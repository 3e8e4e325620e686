"""What is asked of a fit, and the sizes that follow from it."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import NeighborGraph, SolverOptions, build_neighbor_graph
from graphpac.graph.hops import build_hop_graph
from graphpac.graph.lists import either_direction
from graphpac.graph.searchers import ExactSearcher, FaissSearcher
from graphpac.planning import Data, Workload
from graphpac.solvers import Problem
from graphpac.solvers.pools import plan_deal


def workload(n_samples=100_000, n_features=64, n_clusters=10, **options):
    rows = np.broadcast_to(np.float32(0.0), (n_samples, n_features))
    return Workload(data=Data.of(rows), problem=Problem(n_clusters=n_clusters), **options)


def test_the_size_of_an_array():
    X = np.zeros((5, 3), dtype=np.float16)
    assert Data.of(X) == Data(
        n_samples=5, n_features=3, n_entries=15, n_bytes=30, form="dense", memory_map=False
    )


def test_the_size_of_a_sparse_matrix_counts_what_is_stored():
    stored = np.eye(20, dtype=np.float32)
    stored[9, :5] = 1.0
    data = Data.of(sp.csr_matrix(stored))
    assert (data.form, data.n_entries) == ("sparse", 25)
    assert data.n_bytes == 25 * 8 + 20 * 4
    assert data.n_products == 5 * 2**2 + 15 * 1
    assert data.resized(40).n_products == 4 * data.n_products


def test_a_matrix_that_is_sparse_in_form_only_counts_as_an_array_and_its_copy():
    X = sp.csr_matrix(np.ones((20, 7), dtype=np.float32))
    data = Data.of(X)
    assert (data.form, data.n_entries, data.copied_bytes) == ("dense", 140, 560)
    assert data.n_bytes == 140 * 8 + 20 * 4
    assert Data.of(X @ X.T, precomputed=True).form == "distances"


def test_the_size_of_a_graph():
    graph = NeighborGraph.from_neighbors([[1, 2], [0, 2], [0, 1]], np.ones((3, 2)))
    data = Data.of(graph)
    assert (data.form, data.n_samples, data.n_entries) == ("graph", 3, 6)
    assert data.n_bytes == 6 * 8 + 4 * 8


def test_a_view_of_a_memory_map_is_one(tmp_path):
    np.save(tmp_path / "X.npy", np.zeros((4, 2)))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert Data.of(X).memory_map
    assert Data.of(np.asarray(X)[1:]).memory_map
    assert not Data.of(np.array(X)).memory_map


def test_rows_are_resized_in_proportion_and_dense_distances_in_both_directions():
    rows = Data.of(np.zeros((10, 4), dtype=np.float32)).resized(30)
    assert (rows.n_features, rows.n_entries, rows.n_bytes) == (4, 120, 480)
    distances = Data.of(np.zeros((10, 10), dtype=np.float32), precomputed=True).resized(20)
    assert (distances.n_features, distances.n_entries, distances.n_bytes) == (20, 400, 1600)
    graph = Data.of(sp.eye_array(10, format="csr", dtype=np.float32), precomputed=True).resized(20)
    assert (graph.n_features, graph.n_entries) == (20, 20)


def test_the_searcher_is_the_one_a_fit_would_choose():
    assert isinstance(workload(2_000).chosen_searcher, ExactSearcher)
    assert isinstance(workload(200_000).chosen_searcher, FaissSearcher)
    named = workload(2_000, searcher=FaissSearcher(n_probe=3))
    assert named.chosen_searcher == FaissSearcher(n_probe=3)
    # Many neighbors are a share of all rows that exact search finds sooner.
    assert isinstance(workload(200_000, n_neighbors=5_000).chosen_searcher, ExactSearcher)
    sparse = replace(workload(2_000).data, form="sparse")
    assert isinstance(replace(workload(), data=sparse).chosen_searcher, ExactSearcher)


def test_reach_grows_with_hops_and_ends_at_all_samples():
    reached = [workload(5_000).reach(h) for h in range(1, 9)]
    assert reached == sorted(reached)
    assert reached[0] == pytest.approx(16, rel=0.01)
    assert reached[-1] == pytest.approx(5_000, rel=0.01)


def test_reach_is_about_that_of_real_data(digits):
    step = either_direction(build_neighbor_graph(digits.X, 10))
    hops = build_hop_graph(step, 4)
    typical = workload(*digits.X.shape)
    n_samples = digits.X.shape[0]
    assert 0.5 < step.indices.size / n_samples / typical.reach(1) < 2
    assert 0.5 < hops.far.lists.indices.size / n_samples / typical.reach(2) < 2


def test_long_lists_are_not_stored():
    assert workload(100_000).stored_hops(2) == 2
    assert workload(50_000_000).stored_hops(2) == 1


def test_pools_are_planned_by_the_solver(monkeypatch):
    """The plan is that of a hop graph with the reach assumed."""
    asked = workload(30_000, n_clusters=20)
    plan = asked.plan
    assert plan.batch_size == 2_000
    assert plan.n_pools > 1
    assert asked.n_deals == -(-50 // plan.n_epochs)
    fixed = replace(asked, options=SolverOptions(n_pool_batches=1, n_pool_epochs=1)).plan
    assert (fixed.n_pools, fixed.n_epochs) == (15, 1)


def test_the_plan_needs_no_more_of_a_hop_graph_than_is_made_up(digits):
    hops = build_hop_graph(either_direction(build_neighbor_graph(digits.X, 10)), 4)
    real = plan_deal(hops, 100, SolverOptions())
    assert real == workload(*digits.X.shape).plan
