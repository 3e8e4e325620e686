"""What a fit would take, in words and as plain numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphpac._costs import Cost
from graphpac._threads import resolve_n_jobs
from graphpac._wording import show_bytes
from graphpac.estimators import GPAC, estimate
from graphpac.fitting.problem import options_of, problem_of
from graphpac.planning import DataSize, Estimate, available_memory
from graphpac.report.map_coordinates import map_cost
from graphpac.runs.source import Source
from graphpac.solvers.state import kept_memberships


def estimate_source(source: Source, model: GPAC) -> Estimate:
    """Estimate the fit of a file by a model."""
    shape = source.describe()
    return estimate(
        shape.n_rows,
        shape.n_columns,
        model.n_clusters,
        n_neighbors=model.n_neighbors,
        fuzziness=model.fuzziness,
        metric=model.metric,
        dtype=shape.dtype,
        memory_map=shape.is_memory_map,
        n_stored=shape.n_stored,
        n_jobs=model.n_jobs,
        max_iter=model.max_iter,
    )


def with_report(plan: Estimate, model: GPAC) -> Estimate:
    """Add what the report of a fit by a model will take."""
    n_memberships = kept_memberships(problem_of(model, plan.workload.n_clusters), options_of(model))

    def costs(size: DataSize, n_jobs: int) -> dict[str, Cost]:
        drawn = map_cost(size, plan.workload.n_neighbors, n_memberships, n_jobs)
        return {**plan.workload.costs(size, n_jobs), "map": drawn}

    return Estimate.of(replace(plan.workload, costs=costs), plan.calibration)


def plan_facts(plan: Estimate) -> dict[str, Any]:
    """Return an estimate as what JSON can hold; memory in bytes."""
    return {
        "n_rows": plan.workload.n_samples,
        "n_features": plan.workload.size.n_features,
        "n_clusters": plan.workload.n_clusters,
        "threads": plan.workload.n_jobs,
        "memory": {stage: dict(parts) for stage, parts in plan.memory.items()},
        "peak_memory": plan.peak_memory,
        "needed_memory": plan.needed_memory,
        "available_memory": available_memory(),
        "seconds": dict(plan.seconds),
        "total_seconds": plan.total_seconds,
        "most_rows": plan.largest_n_samples(),
    }


def fits(plan: Estimate) -> bool:
    """Tell whether there is memory enough here for a fit, as far as is known."""
    available = available_memory()
    return available is None or plan.needed_memory <= available


def plan_verdict(plan: Estimate) -> str:
    """Say whether a fit would go through on this machine."""
    available = available_memory()
    if available is None:
        return "How much memory is available here is not known."
    told = f"{show_bytes(available)} are available here"
    if fits(plan):
        return f"{told}: it fits."
    n_cores = resolve_n_jobs(None)
    if plan.workload.n_jobs > n_cores and fits(plan.with_threads(n_cores)):
        return f"{told}: it does not fit, but with --threads {n_cores} it does."
    return f"{told}: it does not fit; about {plan.largest_n_samples():,} such rows would."
