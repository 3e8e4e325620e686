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
from graphpac.kernels.rows import find_inner
from graphpac.kernels.sweep import sweep
from graphpac.solvers.memberships import certain_memberships
from graphpac.solvers.objective import sampled_objective
from graphpac.solvers.options import Problem, SolverOptions
from graphpac.solvers.phases import phases_of, standing_after
from graphpac.solvers.pools import Batch, Deal, Dealer, Round
from graphpac.solvers.result import IterationRecord, SolverResult
from graphpac.solvers.resuming import keep_snapshot, resume
from graphpac.solvers.snapshot import Recorder
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
    iteration are disjoint, each is updated sample by sample by one thread, and what lies outside a
    batch is read as it was before the batch's round. ``callback`` sees the record of every
    iteration; returning True ends the run. ``recorder`` is given snapshots; a run that goes on
    from one ends with the same bits as one that was never left. ``make_state`` and ``sweep`` are
    what holds memberships and what updates a batch of them.

    Samples the graph knows to be equal are one sample to the run, and end with equal memberships.
    It counts once however many there are: weighed by their number, the few that are there most
    often would fill clusters in every batch (docs/decisions.md).
    """
    layout = lay_out(graph, start, problem, options, n_jobs)
    numbering = layout.numbering
    state = make_state(start.of(numbering.order), problem, options)
    phases = phases_of(problem, options)
    with Workers(1 if options.sequential else n_jobs) as workers:
        dealer = Dealer(layout.hops, problem, options, rng, workers)
        history = resume(recorder, state, dealer, numbering)
        while (standing := standing_after(phases, history)).phase is not None:
            keep_snapshot(recorder, history, state, dealer, numbering)
            began = time.perf_counter()
            rule = standing.phase.rule(standing.n_done)
            is_early = standing.phase.is_early(standing.n_done)
            resting = None
            if standing.phase.lets_rest(standing.n_done):
                resting = find_resting(state, layout.local)
            change, dropped = iterate(
                state,
                *dealer.deal(len(history), is_early=is_early),
                layout.local,
                rule,
                options,
                workers,
                sweep,
                resting=resting,
            )
            state.make_room(dropped)
            seconds = time.perf_counter() - began
            record = IterationRecord(
                iteration=len(history) + 1,
                local_weight=rule.local_weight,
                change=change,
                seconds=seconds,
                cluster_sizes=_sizes(state, numbering),
                dropped_mass=dropped,
            )
            history.append(record)
            if callback is not None and callback(
                replace(record, labels=lambda: numbering.to_caller(state.largest()))
            ):
                break
    del dealer  # the lists of its pools go before the result comes
    converged = standing_after(phases, history).converged
    return _finish(state, layout, problem, options, tuple(history), converged=converged)


def _sizes(state: AnyState, numbering: Numbering) -> tuple[int, ...]:
    """Count the samples whose largest membership is in each cluster."""
    labels = numbering.to_caller(state.largest())
    return tuple(np.bincount(labels, minlength=state.n_clusters).tolist())


def _finish(
    state: AnyState,
    layout: Layout,
    problem: Problem,
    options: SolverOptions,
    history: tuple[IterationRecord, ...],
    *,
    converged: bool,
) -> SolverResult:
    """Return what was found, by the numbers of the caller, and how good it is."""
    numbering = layout.numbering
    memberships = numbering.to_caller(state.to_csr())
    labels = state.assignment.labels if options.auxiliary else state.largest()
    hard_labels = numbering.to_caller(labels)
    return SolverResult(
        memberships=memberships,
        hard_labels=hard_labels,
        history=history,
        converged=converged,
        n_hops=layout.n_hops,
        batch_size=problem.samples_per_batch(layout.hops.n_samples),
        dropped_mass=history[-1].dropped_mass,
        objective=sampled_objective(
            memberships,
            hard_labels,
            layout.hops,
            numbering,
            fuzziness=problem.fuzziness,
            alpha=problem.alpha,
        ),
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
        n_hops=int(n_hops),
        hops=build_hop_graph(numbering.renumber(step)[0], n_hops, n_jobs),
        local=_renumbered(local_graph(graph, options), numbering),
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
    resting: AnyArray | None = None,
) -> tuple[float, float]:
    """Update every batch once; return the mean change and the mean dropped mass of a sample.

    Batches of a round are swept side by side and read what was there before it. Samples that rest
    are not updated; a batch of which all rest stays as it is.
    """
    n_samples = deal.seats.size
    no_others = np.zeros((2, state.width))
    sums = np.zeros(2)
    for batches in rounds:
        totals = state.totals(slice(None)) if options.totals == "all" else no_others

        def swept(batch: Batch, totals: AnyArray = totals) -> BatchUpdate[Any] | None:
            due = batch.order
            if resting is not None:
                due = due[~resting[deal.samples(batch)]]
            if due.size == 0:
                return None
            outside = no_others
            if options.totals == "all":
                outside = totals - state.totals(deal.samples(batch))
            pool = deal.pool(batch.pool)
            view = BatchView(pool, deal.seats, batch.order, due, local, state.assignment, outside)
            return sweep(view, rule)

        updates = [update for update in workers.map(swept, batches) if update is not None]
        if updates:
            sums += np.sum([(update.change, update.dropped) for update in updates], axis=0)
        for update in updates:
            state.apply(update)
    change, dropped = sums / n_samples
    return float(change), float(dropped)


def find_resting(state: AnyState, local: LocalGraph) -> AnyArray:
    """Find the samples in the midst of their cluster: all their neighbors share it."""
    resting = np.empty(local.indptr.size - 1, dtype=np.bool_)
    find_inner(local.indptr, local.indices, state.largest(), resting)
    return resting


def local_graph(graph: NeighborGraph, options: SolverOptions) -> LocalGraph:
    """Weigh the neighbors of the local average."""
    if options.symmetric:
        return LocalGraph(*symmetrize(graph, options.kernel))
    return LocalGraph(graph.indptr, graph.indices, local_weights(graph, options.kernel))


def _renumbered(local: LocalGraph, numbering: Numbering) -> LocalGraph:
    lists, edges = numbering.renumber(Lists(local.indptr, local.indices))
    return LocalGraph(*lists, local.weights[edges])
