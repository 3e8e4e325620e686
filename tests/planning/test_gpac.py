"""The solver that an estimate expects is the one that will run."""

import numpy as np

from graphpac import SolverOptions, build_neighbor_graph
from graphpac.graph.hop_sizes import HopSizes
from graphpac.graph.hops import build_hop_graph
from graphpac.graph.lists import either_direction
from graphpac.planning.gpac import expected_plan, hop_sizes
from graphpac.solvers import Problem
from graphpac.solvers.pools import count_neighbors_within, plan_deal


def test_pools_are_planned_by_the_solver():
    problem, options = Problem(n_clusters=20), SolverOptions()
    plan = expected_plan(hop_sizes(30_000, 10, problem, options), problem, options)
    assert plan.batch_size == 2_000
    assert plan.n_pools > 1
    options = SolverOptions(n_pool_batches=1, n_pool_epochs=1)
    fixed = expected_plan(hop_sizes(30_000, 10, problem, options), problem, options)
    assert (fixed.n_pools, fixed.n_iterations) == (15, 1)


def test_the_plan_is_that_of_real_data(digits):
    problem, options = Problem(n_clusters=10), SolverOptions()
    n_samples = digits.X.shape[0]
    hops = build_hop_graph(either_direction(build_neighbor_graph(digits.X, 10)), 4)
    real = plan_deal(n_samples, 100, count_neighbors_within(hops, 100), options)
    assert real == expected_plan(hop_sizes(n_samples, 10, problem, options), problem, options)


def test_hops_follow_the_rule_of_the_paper_unless_asked_for():
    problem = Problem(n_clusters=10)
    assert hop_sizes(1_797, 10, problem, SolverOptions()) == HopSizes(1_797, 10, 3)
    assert hop_sizes(1_797, 10, problem, SolverOptions(n_hops=6)).n_hops == 6
    assert np.isfinite(hop_sizes(2, 1, problem, SolverOptions()).list_bytes)
