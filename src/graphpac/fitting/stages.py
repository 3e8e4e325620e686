"""The stages of a fit of GPAC after its graph: starts, ramps, and the choice of a partition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from graphpac.findings import are_flat
from graphpac.fitting.problem import options_of, problem_of
from graphpac.fitting.run import FitRun
from graphpac.graph import NeighborGraph
from graphpac.graph.rows import Rows
from graphpac.io.parts import RESULT, START, Part
from graphpac.solvers import (
    Callback,
    Candidate,
    IterationRecord,
    SolverResult,
    Start,
    find_partition,
    make_start,
    one_cluster_each,
    solve_gpac,
)
from graphpac.solvers.memberships import largest_membership

Variant: TypeAlias = Literal["best", "ramp", "published"]


@dataclass(frozen=True)
class Outcome:
    """What a fit found, and the candidates it chose from."""

    result: SolverResult
    candidates: tuple[Candidate, ...]


def last_start(n_init: int) -> Part[Start]:
    """Return the part that is made last of rows: when it is there, they are needed no more."""
    return START.numbered(n_init - 1)


def make_starts(run: FitRun, graph: NeighborGraph, originals: Rows | None) -> tuple[Start, ...]:
    """Make the start of each ramp, timed as the stage "start"."""
    with run.log.stage("start"):

        def made(number: int) -> Start:
            return make_start(
                run.init,
                run.n_clusters,
                rows=originals,
                graph=graph,
                rng=run.streams.again(number).start,
                n_jobs=run.n_jobs,
            )

        numbers = range(run.estimator.n_init)
        return tuple(run.kept.take(START.numbered(i), partial(made, i)) for i in numbers)


def find_clusters(
    run: FitRun, graph: NeighborGraph, starts: tuple[Start, ...], callback: Callback | None
) -> Outcome:
    """Optimize from each start, and let what comes of it compete with communities."""
    n_clusters = run.n_clusters
    if graph.n_originals <= n_clusters:
        with run.log.stage("optimize"):
            return Outcome(one_cluster_each(graph, n_clusters), ())
    results = _optimize(run, graph, starts, callback)
    best = min(results, key=lambda result: result.objective)
    if run.estimator.variant == "published" or n_clusters == 1:
        return Outcome(best, ())
    certainty = float(largest_membership(best.memberships)[1].mean())
    if are_flat(certainty, n_clusters, run.estimator.fuzziness):
        # Neighbors show no groups: the likeliest partition would be one of noise, and look certain.
        with run.log.stage("choose"):
            return Outcome(best, ())
    return _choose(run, graph, results)


def _optimize(
    run: FitRun, graph: NeighborGraph, starts: tuple[Start, ...], callback: Callback | None
) -> list[SolverResult]:
    problem, options = problem_of(run.estimator, run.n_clusters), options_of(run.estimator)
    n_iterations = problem.max_iter * len(starts)
    results: list[SolverResult] = []
    with run.log.stage("optimize") as progress:
        for number, start in enumerate(starts):

            def tell(done: int, _: int, before: int = number * problem.max_iter) -> None:
                progress(before + done, n_iterations)

            def watch(record: IterationRecord, tell: Any = tell) -> bool | None:
                tell(record.iteration, problem.max_iter)
                run.log.iteration(record.iteration, record.change, record.local_weight)
                return None if callback is None else callback(record)

            def solve(
                start: Start = start, number: int = number, tell: Any = tell, watch: Any = watch
            ) -> SolverResult:
                return solve_gpac(
                    graph,
                    start,
                    problem,
                    options,
                    rng=run.streams.again(number).optimize,
                    n_jobs=run.n_jobs,
                    callback=watch,
                    recorder=run.kept.recorder(problem.max_iter, tell, number),
                )

            results.append(run.kept.take(RESULT.numbered(number), solve))
    return results


def _choose(run: FitRun, graph: NeighborGraph, results: list[SolverResult]) -> Outcome:
    """Choose a partition, timed as the stage "choose".

    A checkpoint does not keep it: it follows from the ramps' results in a small part of their time.
    """
    with run.log.stage("choose") as progress:
        partition = find_partition(
            graph,
            [largest_membership(result.memberships)[0] for result in results],
            problem_of(run.estimator, run.n_clusters),
            options_of(run.estimator),
            with_communities=run.estimator.variant == "best",
            sizes=run.estimator.sizes,
            n_jobs=run.n_jobs,
            progress=progress,
        )
    ramp = results[partition.ramp]
    return Outcome(
        SolverResult(
            memberships=partition.memberships,
            hard_labels=partition.labels,
            history=ramp.history,
            converged=ramp.converged,
            n_hops=ramp.n_hops,
            batch_size=ramp.batch_size,
            dropped_mass=ramp.dropped_mass,
            objective=ramp.objective,
        ),
        partition.candidates,
    )
