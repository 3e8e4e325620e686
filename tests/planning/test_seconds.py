"""Estimated seconds against measured ones: within a factor of three, on a busy machine too."""

from functools import partial
from time import process_time

import pytest

from graphpac import Calibration, SolverOptions, build_neighbor_graph
from graphpac._threads import single_threaded_blas
from graphpac.datasets import make_mixture
from graphpac.planning import DataSize, Estimate, Workload, gpac_costs
from graphpac.planning.calibration import measure_factors, time_stages
from graphpac.solvers import Problem, find_partition

MOST = 3.0
FEW_ROWS = 1000

# Processor time of one thread: what others do on the machine counts for less.
time_stages = partial(time_stages, clock=process_time)


def time_choice(X, y, problem):
    graph = build_neighbor_graph(X, 10)
    began = process_time()
    find_partition(graph, [y.astype("int32")], problem, SolverOptions(), with_communities=True)
    return process_time() - began


@pytest.fixture(scope="module")
def calibration():
    """How fast this machine is, by fits smaller than those that are estimated."""
    return Calibration(**measure_factors(((4_000, 32, 10), (5_000, 32, 80)), 1, time_stages))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_samples", "n_features", "n_clusters", "max_iter"),
    [(12_000, 96, 20, 20), (14_000, 64, 100, 10)],
    ids=["dense rows", "sparse rows"],
)
def test_every_stage_takes_about_as_long_as_estimated(
    n_samples, n_features, n_clusters, max_iter, calibration
):
    X, y = make_mixture(n_samples, n_features, n_clusters, random_state=1)
    problem = Problem(n_clusters=n_clusters, max_iter=max_iter, tol=0.0)
    costs = partial(gpac_costs, problem=problem, options=SolverOptions())
    estimated = Estimate.of(Workload(size=DataSize.of(X), costs=costs), calibration).seconds
    with single_threaded_blas():
        time_stages(X[:FEW_ROWS], problem, 1)  # compiles
        time_choice(X[:FEW_ROWS], y[:FEW_ROWS], problem)
        runs = [{**time_stages(X, problem, 1), "choose": time_choice(X, y, problem)} for _ in "ab"]
    measured = {stage: min(run[stage] for run in runs) for stage in estimated}
    ratios = {stage: estimated[stage] / measured[stage] for stage in measured}
    assert all(1 / MOST < ratio < MOST for ratio in ratios.values()), (ratios, measured)
