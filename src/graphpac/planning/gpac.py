"""What the stages of GPAC take: the costs of their parts added up."""

from __future__ import annotations

from graphpac._costs import NANOSECOND, Cost, fullest
from graphpac.graph.costs import connect_cost, degree_of, neighbor_graph, working_copy
from graphpac.graph.data_size import DataSize
from graphpac.graph.hop_sizes import HopSizes
from graphpac.graph.hops import count_hops
from graphpac.graph.searchers import NeighborSearcher
from graphpac.solvers import Problem, SolverOptions
from graphpac.solvers.counting import count_cost
from graphpac.solvers.partition import choice_cost
from graphpac.solvers.pools import DealPlan, deal_cost, plan_deal
from graphpac.solvers.start import start_cost
from graphpac.solvers.state import kept_memberships, row_bytes, update_nanoseconds

# Where samples may rest, about so many are updated in an iteration: a third where groups are
# apart, nearly all where they overlap.
UPDATED_SHARE = 0.6


def gpac_costs(
    size: DataSize,
    n_jobs: int,
    *,
    problem: Problem,
    options: SolverOptions,
    counts_clusters: bool = False,
    has_choice: bool = True,
    n_init: int = 1,
    n_neighbors: int = 10,
    searcher: str | NeighborSearcher = "auto",
    init: str = "smoothed",
) -> dict[str, Cost]:
    """Add up the stages of a fit; ``init`` is a name, or any other for a start that is given.

    ``counts_clusters`` tells whether their number is found on the graph, ``has_choice`` whether
    candidates follow the ramp.
    """
    n_clusters = problem.n_clusters
    degree = degree_of(size, n_neighbors)
    hops = hop_sizes(size.n_samples, degree, problem, options)
    graph = neighbor_graph(size, degree)
    start = start_cost(init, size, n_clusters, hops.reach(1), n_jobs)
    optimize = _optimize_cost(hops, problem, options, n_jobs).beside(graph)
    held = {**graph, **working_copy(size)}
    costs = {"graph": connect_cost(size, degree, searcher, n_jobs)}
    if counts_clusters:
        costs["count"] = count_cost(size.n_samples, degree, n_jobs).beside(held)
    costs |= {
        "start": start.times(n_init).beside(held),
        "optimize": optimize.times(n_init),
    }
    if has_choice:
        choice = choice_cost(size.n_samples, degree, n_clusters, n_jobs)
        costs["choose"] = choice.beside({**graph, "result": _result_bytes(hops, problem, options)})
    return costs


def hop_sizes(n_samples: int, degree: int, problem: Problem, options: SolverOptions) -> HopSizes:
    """Expect the hop graph that the solver will make."""
    n_hops = options.n_hops or count_hops(n_samples, problem.n_clusters, degree)
    return HopSizes(n_samples, degree, n_hops)


def expected_plan(hops: HopSizes, problem: Problem, options: SolverOptions) -> DealPlan:
    """Plan pools and batches as the solver does, with the neighbors a typical sample has."""
    batch_size = problem.samples_per_batch(hops.n_samples)
    return plan_deal(hops.n_samples, batch_size, hops.reach_among(batch_size), options)


def _result_bytes(hops: HopSizes, problem: Problem, options: SolverOptions) -> float:
    """Count the memberships as a matrix, and what is made on the way to it."""
    return hops.n_samples * (20.0 * kept_memberships(problem, options) + 40)


def _optimize_cost(hops: HopSizes, problem: Problem, options: SolverOptions, n_jobs: int) -> Cost:
    n, plan = hops.n_samples, expected_plan(hops, problem, options)
    n_threads = min(n_jobs, plan.n_round_batches)
    each = row_bytes(problem, options)
    held = {
        "hop lists": hops.list_bytes,
        "local averages": n * (8.0 + 8 * hops.degree),
        "memberships": n * each,
        "numbering": 24.0 * n,
    }
    deal = deal_cost(hops, plan, problem.max_iter, n_threads)
    # Updates of a round are kept until all are there; whoever makes one also keeps powers of rows.
    n_updated = min(n, plan.n_round_batches * plan.batch_size)
    batches = n_updated * each + n_threads * plan.batch_size * (each + 16)
    memory = fullest(
        {**held, **deal.memory},
        {**held, "pools": deal.memory["pools"], "batches": batches},
        {**held, "result": _result_bytes(hops, problem, options)},
    )
    numbering = 3000.0
    update = update_nanoseconds(
        problem.n_clusters,
        plan.batch_size,
        n_listed=hops.reach_among(n / plan.n_pools),
        n_in_batch=hops.reach_among(plan.batch_size),
        n_neighbors=hops.degree,
    )
    n_updates = problem.max_iter * (UPDATED_SHARE if options.resting else 1.0)
    work = numbering + hops.build_nanoseconds + n_updates * update
    return Cost(memory, n * work / n_threads * NANOSECOND + deal.seconds)
