"""GPAC with default parameters, on all cores or on a given number of threads."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.contenders.base import Contender, Matrix

WIDE_POOL = 70_000  # above 65,536 members a pool numbers them in 32 bits, which is compiled apart


def fit_gpac(X: Matrix, n_clusters: int, seed: int, n_jobs: int | None = None) -> Any:
    from graphpac import GPAC

    return GPAC(n_clusters=n_clusters, n_jobs=n_jobs, random_state=seed).fit(X)


def rehearse_gpac(X: Matrix, n_clusters: int, seed: int) -> Any:
    """Fit the rows, and a ring of many samples that costs no search."""
    import numpy as np

    from graphpac import GPAC, NeighborGraph, SolverOptions

    steps = np.arange(WIDE_POOL)[:, None] + np.array([[1, 2]])
    ring = NeighborGraph.from_neighbors(steps % WIDE_POOL, np.full(steps.shape, [[0.1, 0.2]]))
    one_pool = SolverOptions(n_hops=2, n_pool_batches=WIDE_POOL)
    GPAC(n_clusters=n_clusters, max_iter=1, solver=one_pool, random_state=seed).fit_graph(ring)
    return fit_gpac(X, n_clusters, seed)


def _on_threads(n_jobs: int) -> Contender:
    setting = f"default parameters, n_jobs={n_jobs}"
    fit = partial(fit_gpac, n_jobs=n_jobs)
    return Contender(fit, (), setting, rehearse_gpac)


CONTENDERS = {
    "GPAC": Contender(
        fit_gpac,
        (),
        "default parameters: cosine distance, 10 neighbors, 40 iterations",
        rehearse_gpac,
    ),
    "GPAC, 1 thread": _on_threads(1),
    "GPAC, 2 threads": _on_threads(2),
}
