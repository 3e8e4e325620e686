"""How fast a machine is, beside the one the operations were timed on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from time import perf_counter

import numpy as np

from graphpac._constraints import check_value, real_number
from graphpac._threads import resolve_n_jobs, single_threaded_blas
from graphpac._typing import AnyArray
from graphpac.graph.build import graph_of_rows
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import prepare_rows
from graphpac.planning.gpac import gpac_costs
from graphpac.solvers import Problem, SolverOptions, make_start, solve_gpac

# Exact search and whole rows of memberships; approximate search and sparse rows.
_SIZES = ((16_000, 64, 16), (40_000, 64, 80))
_FEW_SAMPLES = 1000
_ITERATIONS = 10
_NEIGHBORS = 10


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Seconds a machine takes for what takes one second on the machine the defaults stand for.

    That is a virtual machine with cores of 2.3 GHz and AVX-512. `Calibration.measure` finds the
    factors of the machine at hand.

    Parameters
    ----------
    graph, start, optimize : float
        Factor of each stage, above 0; below 1 is faster.
    """

    graph: float = 1.0
    start: float = 1.0
    optimize: float = 1.0

    def __post_init__(self) -> None:
        for name, factor in self._factors().items():
            check_value(f"Calibration: {name}", factor, real_number(above=0.0))

    @classmethod
    def measure(cls, n_jobs: int | None = None) -> Calibration:
        """Time small fits on this machine, which should have nothing else to do: some 10 seconds.

        Parameters
        ----------
        n_jobs : int, optional
            Number of threads, default all usable cores: with the number you will use, the factors
            tell how well the machine shares work among them.
        """
        return cls(**measure_factors(_SIZES, resolve_n_jobs(n_jobs)))

    def scale(self, seconds: Mapping[str, float]) -> dict[str, float]:
        """Turn seconds of the stages on the known machine into those on this one."""
        factors = self._factors()
        # What else there is, as the map of a report, is made by loops like those that optimize.
        return {name: factors.get(name, self.optimize) * took for name, took in seconds.items()}

    def _factors(self) -> dict[str, float]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def time_stages(
    X: AnyArray, problem: Problem, n_jobs: int, clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """Do what a fit does, and return the seconds of its stages."""
    rng = np.random.default_rng(0)
    times = [clock()]
    rows = prepare_rows(X, "cosine", n_jobs=n_jobs)
    graph = graph_of_rows(
        rows, _NEIGHBORS, metric="cosine", searcher="auto", n_jobs=n_jobs, random_state=0
    )
    times.append(clock())
    start = make_start(
        "smoothed", problem.n_clusters, rows=rows, graph=graph, rng=rng, n_jobs=n_jobs
    )
    times.append(clock())
    solve_gpac(graph, start, problem, SolverOptions(), rng=rng, n_jobs=n_jobs)
    times.append(clock())
    return dict(zip(("graph", "start", "optimize"), np.diff(times).tolist(), strict=True))


def measure_factors(
    sizes: Sequence[tuple[int, int, int]],
    n_jobs: int,
    time_stages: Callable[[AnyArray, Problem, int], Mapping[str, float]] = time_stages,
) -> dict[str, float]:
    """Divide the seconds of fits of (rows, features, clusters) by those expected, on average."""
    from graphpac.datasets import make_mixture

    ratios = []
    with single_threaded_blas():
        for n_samples, n_features, n_clusters in sizes:
            X, _ = make_mixture(n_samples, n_features, n_clusters, random_state=0)
            problem = Problem(n_clusters=n_clusters, max_iter=_ITERATIONS, tol=0.0)
            time_stages(X[:_FEW_SAMPLES], problem, n_jobs)  # loads and compiles
            measured = time_stages(X, problem, n_jobs)
            expected = gpac_costs(
                DataSize.of(X),
                n_jobs,
                problem=problem,
                options=SolverOptions(),
                has_choice=False,
                n_neighbors=_NEIGHBORS,
            )
            ratios.append([measured[name] / cost.seconds for name, cost in expected.items()])
    factors = np.exp(np.log(ratios).mean(axis=0))
    return dict(zip(expected, factors.tolist(), strict=True))
