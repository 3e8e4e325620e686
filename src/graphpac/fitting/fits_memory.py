"""Refusing what would not fit into memory, before any work is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphpac._threads import resolve_n_jobs
from graphpac._wording import show_bytes, show_seconds
from graphpac.fitting.problem import asked_clusters, planned_clusters
from graphpac.fitting.progress import logger, notices
from graphpac.graph.data_size import DataSize
from graphpac.planning import Estimate, Workload, available_memory
from graphpac.planning.available import LIMIT_VARIABLE
from graphpac.planning.estimate import LARGEST_ERROR

_LONG_SECONDS = 60.0
# What makes parts large; those not named have other reasons.
_CAUSES = {
    "lower n_neighbors": {
        *("neighbors found", "neighbor graph", "one hop", "hop lists", "local averages", "pools"),
        *("search in pools", "pairs", "affinity", "affinity and pairs", "edges", "links"),
    },
    "lower n_clusters": {"memberships", "eigenvectors", "embeddings", "sums of blocks", "heads"},
    "reduce the features, for example by PCA": {
        *("working copy of X", "training of the search", "scaled rows", "representatives", "means"),
    },
}


def workload_of(estimator: Any, X: Any) -> Workload:
    """Describe the fit of rows, distances or a graph by an estimator with checked parameters."""
    precomputed = getattr(estimator, "metric", None) == "precomputed"
    size = DataSize.of(X, precomputed=precomputed)
    return Workload(
        size=size,
        costs=estimator._costs,
        n_jobs=resolve_n_jobs(estimator.n_jobs),
        n_clusters=planned_clusters(estimator, size.n_samples),
        counts_clusters=asked_clusters(estimator) is None,
    )


def check_fit_fits(
    estimator: Any, X: Any, stages: Sequence[str] = ("graph", "start", "optimize")
) -> None:
    """Raise MemoryError if a fit cannot fit into the available memory, log a warning if it may not.

    How long it may take is logged too, if that is long. Estimator and X are checked already;
    of the stages that a checkpoint can keep, ``stages`` are still to be done, and all others of the
    estimator are in any case. An estimator that does not tell by ``_costs(size, n_jobs)`` what its
    stages take is not checked.

    What an estimate leaves open is decided in favor of the fit: refused is only what would not fit
    if it took as much less than estimated as was ever measured. X itself is there already, or
    memory-mapped, and then the system takes back its pages when it needs them.
    """
    if not hasattr(estimator, "_costs"):
        return
    estimate = Estimate.of(workload_of(estimator, X))
    done = {"graph", "start", "optimize"}.difference(stages)
    remaining = [name for name in estimate.memory if name not in done]
    available = available_memory()
    if remaining and available is not None:
        _check_memory(estimate, remaining, available)
    _announce(estimate, remaining)


def _check_memory(estimate: Estimate, stages: Sequence[str], available: int) -> None:
    stage = max(stages, key=lambda name: estimate.new_memory[name])
    needed = estimate.new_memory[stage]
    if needed <= available:
        return
    problem = (
        f"clustering {estimate.workload.n_samples:,} samples needs about {show_bytes(needed)} in "
        f'the stage "{stage}", X not counted, but {show_bytes(available)} are available'
    )
    if needed <= LARGEST_ERROR * available:
        logger.warning("%s: it may run out of memory.", problem)
        return

    def fits(smaller: Estimate) -> bool:
        return max(smaller.new_memory[name] for name in stages) <= available

    n_cores = resolve_n_jobs(None)
    if estimate.workload.n_jobs > n_cores and fits(estimate.with_threads(n_cores)):
        msg = (
            f"{problem}, because each thread takes some: lower n_jobs={estimate.workload.n_jobs} "
            f"to {n_cores}, the number of cores to use."
        )
        raise MemoryError(msg)
    most = _rounded_down(estimate.largest_that(fits))
    msg = (
        f"{problem}: about {most:,} samples of this kind would fit; {_cure(estimate, stage)}, "
        f"or set the environment variable {LIMIT_VARIABLE}=off to try all the same."
    )
    raise MemoryError(msg)


def _announce(estimate: Estimate, stages: Sequence[str]) -> None:
    seconds = {name: estimate.seconds[name] for name in stages}
    if sum(seconds.values()) >= _LONG_SECONDS:
        each = ", ".join(f"{name} {show_seconds(took)}" for name, took in seconds.items())
        notices.info("this may take about %s (%s)", show_seconds(sum(seconds.values())), each)


def check_dense_fits(n_samples: int, n_clusters: int) -> None:
    """Raise MemoryError if a float32 array of that shape exceeds the available memory."""
    needed = 4 * n_samples * n_clusters
    available = available_memory()
    if available is not None and needed > available:
        msg = (
            f"a dense array of {n_samples} x {n_clusters} memberships needs {show_bytes(needed)}, "
            f"but {show_bytes(available)} are available: use predict_memberships, whose result is "
            "sparse, or pass fewer rows."
        )
        raise MemoryError(msg)


def _rounded_down(count: int) -> int:
    """Keep two digits: more would promise more than an estimate can."""
    unit: int = 10 ** max(0, len(str(count)) - 2)
    return count // unit * unit


def _cure(estimate: Estimate, stage: str) -> str:
    size, parts = estimate.workload.size, estimate.memory[stage]
    cures = ["pass fewer of them"]
    if size.form == "graph":
        cures.append("give the graph fewer neighbors")
    else:
        caused = {
            cure: sum(parts.get(name, 0) for name in names)
            for cure, names in _CAUSES.items()
            if size.form == "dense" or not cure.startswith("reduce")
        }
        cures.append(max(caused, key=lambda cure: caused[cure]))
    if size.form == "dense" and not size.memory_map:
        cures.append("pass X as a memory map, numpy.load(..., mmap_mode='r')")
    return ", ".join(cures)
