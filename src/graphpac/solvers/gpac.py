"""Graph probability aggregation clustering, Algorithm 2 of the paper, on an implicit hop graph."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from graphpac._threads import Workers
from graphpac._typing import AnyArray
from graphpac.graph import NeighborGraph
from graphpac.graph.copies import merge_copies
from graphpac.graph.hops import FEWEST_HOPS, HopGraph, build_hop_graph, count_hops
from graphpac.graph.hubs import hop_lists
from graphpac.graph.lists import Lists
from graphpac.graph.locality import Numbering, number_by_locality
from graphpac.graph.weights import local_weights, symmetrize
from graphpac.kernels.batches import BatchUpdate, BatchView, LocalGraph, Rule
from graphpac.kernels.sweep import sweep
from graphpac.solvers.memberships import certain_memberships
from graphpac.solvers.objective import sampled_objective
from graphpac.solvers.options import Problem, SolverOptions
from graphpac.solvers.pools import (
    Batch,
    Deal,
    Round,
    count_neighbors_within,
    deal_batches,
    deal_pools,
    plan_deal,
)
from graphpac.solvers.result import IterationRecord, SolverResult
from graphpac.solvers.schedules import local_weight_at
from graphpac.solvers.snapshot import Recorder, Snapshot
from graphpac.solvers.start import Start
from graphpac.solvers.state import State, make_state

Callback: TypeAlias = Callable[[IterationRecord], bool | None]
AnyState: TypeAlias = State[Any]
Sweep: TypeAlias = Callable[[BatchView[Any], Rule], BatchUpdate[Any]]


def solve_gpac(
    graph: NeighborGraph,
    start: Start,
    problem: Problem,
    options: SolverOptions,
    *,
    rng: np.random.Generator,
    n_jobs: int = 1,
    callback: Callback | None = None,
    recorder: Recorder | None = None,
    make_state: Callable[[Start, Problem, SolverOptions], AnyState] = make_state,
    sweep: Sweep = sweep,
) -> SolverResult:
    """Minimize the objective of GPAC on a neighbor graph.

    The result depends on the arguments and the generator only, never on ``n_jobs``: batches of one
    epoch are disjoint, each is updated sample by sample by one thread, and what lies outside a
    batch is read as it was before the batch's round. ``callback`` sees the record of every
    iteration; returning True ends the run. ``recorder`` is given snapshots; a run that goes on
    from one ends with the same bits as one that was never left.

    Samples the graph knows to be equal are one sample to the run, and end with equal memberships.
    It counts once however many there are: weighed by their number, the few that are there most
    often would fill clusters in every batch (docs/decisions.md).
    """
    n_hops, hops, local, numbering = lay_out(graph, start, problem, options, n_jobs)
    n_samples = hops.n_samples
    state = make_state(start.of(numbering.order), problem, options)
    batch_size = problem.samples_per_batch(n_samples)
    plan = plan_deal(n_samples, batch_size, count_neighbors_within(hops, batch_size), options)
    early_size = problem.samples_per_batch(n_samples, early=options.larger_early_batches)
    early_plan = replace(plan, batch_size=early_size)

    history: list[IterationRecord] = []
    converged = False
    deal: Deal | None = None
    with Workers(1 if options.sequential else n_jobs) as workers:
        if recorder is not None and (latest := recorder.latest) is not None:
            history.extend(latest.history)
            state.restore({name: rows[numbering.order] for name, rows in latest.arrays.items()})
            rng.bit_generator.state = dealt_from = latest.dealt_from
            deal = deal_pools(hops, plan, rng, workers)
            rng.bit_generator.state = latest.generator
        for iteration in range(len(history), problem.max_iter):
            began = time.perf_counter()
            if deal is None or iteration % plan.n_epochs == 0:
                deal = None  # its lists go before new ones come
                dealt_from = rng.bit_generator.state
                deal = deal_pools(hops, plan, rng, workers)
            rounds = deal_batches(deal, early_plan if problem.is_early(iteration) else plan, rng)
            rule = _rule_of(problem, options, iteration)
            change, dropped = iterate(state, deal, rounds, local, rule, options, workers, sweep)
            state.make_room(dropped)
            seconds = time.perf_counter() - began
            sizes = np.bincount(state.largest()[numbering.numbers], minlength=problem.n_clusters)
            record = IterationRecord(
                iteration + 1, rule.local_weight, change, seconds, tuple(sizes.tolist()), dropped
            )
            history.append(record)
            stop = callback is not None and callback(
                replace(record, labels=lambda: state.largest()[numbering.numbers])
            )
            converged = change <= problem.tol and iteration + 1 >= _min_iter(problem, options)
            if stop or converged or iteration + 1 == problem.max_iter:
                break
            if recorder is not None and (iteration + 1) % recorder.every == 0:
                # By the numbers of the caller: those in force may differ on another machine.
                arrays = {name: rows[numbering.numbers] for name, rows in state.arrays().items()}
                position = rng.bit_generator.state
                recorder.save(Snapshot(tuple(history), arrays, position, dealt_from))

    deal = None  # its lists go before the result comes
    memberships = state.to_csr()[numbering.numbers]
    hard_labels = (state.assignment.labels if options.auxiliary else state.largest())[
        numbering.numbers
    ]
    objective = sampled_objective(
        memberships, hard_labels, hops, numbering, fuzziness=problem.fuzziness, alpha=problem.alpha
    )
    return SolverResult(
        memberships=memberships,
        hard_labels=hard_labels,
        history=tuple(history),
        converged=converged,
        n_hops=int(n_hops),
        batch_size=int(plan.batch_size),
        dropped_mass=history[-1].dropped_mass,
        objective=objective,
    )


class Layout(NamedTuple):
    """What a run reads of the graph, by numbers of its own; equal samples share one."""

    n_hops: int
    hops: HopGraph
    local: LocalGraph
    numbering: Numbering


def lay_out(
    graph: NeighborGraph, start: Start, problem: Problem, options: SolverOptions, n_jobs: int
) -> Layout:
    """Merge equal samples, number the rest so that near ones lie together, and walk the hops."""
    graph, copies = merge_copies(graph)
    mean_degree = round(graph.n_edges / graph.n_samples)
    n_hops = options.n_hops or count_hops(graph.n_samples, problem.n_clusters, mean_degree)
    step = hop_lists(graph)
    numbering = number_by_locality(step, start.hard_labels[copies.originals])
    return Layout(
        n_hops=n_hops,
        hops=build_hop_graph(numbering.renumber(step)[0], n_hops, n_jobs),
        local=_local_graph(graph, numbering, options),
        numbering=numbering.of(copies),
    )


def one_cluster_each(graph: NeighborGraph, n_clusters: int) -> SolverResult:
    """Return the result where no more samples differ than there are clusters.

    No iteration finds it: the local average draws neighbors together.
    """
    labels = merge_copies(graph)[1].numbers
    sizes = tuple(np.bincount(labels, minlength=n_clusters).tolist())
    return SolverResult(
        memberships=certain_memberships(labels, n_clusters),
        hard_labels=labels,
        history=(IterationRecord(1, 0.0, 0.0, 0.0, sizes, 0.0),),
        converged=True,
        n_hops=FEWEST_HOPS,
        batch_size=graph.n_originals,
        dropped_mass=0.0,
        objective=0.0,
    )


def iterate(
    state: AnyState,
    deal: Deal,
    rounds: list[Round],
    local: LocalGraph,
    rule: Rule,
    options: SolverOptions,
    workers: Workers,
    sweep: Sweep,
) -> tuple[float, float]:
    """Update every batch once; return the mean change and the mean dropped mass of a sample.

    Batches of a round are swept side by side and read what was there before it.
    """
    n_samples = deal.seats.size
    everyone = np.arange(n_samples)
    no_others = np.zeros((2, state.width))
    sums = np.zeros(2)
    for batches in rounds:
        totals = state.totals(everyone) if options.totals == "all" else no_others

        def update(batch: Batch, totals: AnyArray = totals) -> BatchUpdate[Any]:
            outside = no_others
            if options.totals == "all":
                outside = totals - state.totals(deal.samples(batch))
            pool = deal.pool(batch.pool)
            view = BatchView(pool, deal.seats, batch.order, local, state.assignment, outside)
            return sweep(view, rule)

        updates = workers.map(update, batches)
        sums += np.sum([(update.change, update.dropped) for update in updates], axis=0)
        for found in updates:
            state.apply(found)
    change, dropped = sums / n_samples
    return float(change), float(dropped)


def _rule_of(problem: Problem, options: SolverOptions, iteration: int) -> Rule:
    """Collect the numbers of one epoch's update."""
    exponent = 1.0 / (problem.fuzziness - 1.0)
    if options.exponent == "truncated":
        exponent = float(int(exponent))
    alpha = float(problem.alpha)
    least_shift, most_shift = _shift_bounds(options)
    local_weight = local_weight_at(
        iteration, problem.max_iter, problem.local_weight, ramp=options.ramp
    )
    return Rule(
        n_clusters=problem.n_clusters,
        alpha=alpha,
        hard_alpha=alpha / 2.0 if options.double_balance else alpha,
        exponent=exponent,
        excess=float(problem.fuzziness) - 1.0 if options.auxiliary else 0.0,
        local_weight=float(local_weight),
        least_shift=least_shift,
        most_shift=most_shift,
        auxiliary=options.auxiliary,
    )


def _shift_bounds(options: SolverOptions) -> tuple[float, float]:
    """Find the bounds of the shift of Eq. 44, which the paper's run without V leaves out."""
    shift = options.shift
    if shift == "auto":
        shift = "always" if options.auxiliary else "never"
    return {"always": (-np.inf, np.inf), "raise": (0.0, np.inf), "never": (0.0, 0.0)}[shift]


def _local_graph(graph: NeighborGraph, numbering: Numbering, options: SolverOptions) -> LocalGraph:
    """Weigh the neighbors of the local average."""
    if options.symmetric:
        indptr, indices, weights = symmetrize(graph, options.kernel)
    else:
        indptr, indices = graph.indptr, graph.indices
        weights = local_weights(graph, options.kernel)
    lists, places = numbering.renumber(Lists(indptr, indices))
    return LocalGraph(*lists, weights[places])


def _min_iter(problem: Problem, options: SolverOptions) -> int:
    """Count iterations before the stopping rule: a low local weight settles too early."""
    if options.min_iter is not None:
        return options.min_iter
    return problem.max_iter // 2 if problem.local_weight == "ramp" else 5
