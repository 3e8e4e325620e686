"""Growth by counting, where a clock is too noisy: ``python -m benchmarks.operations``.

What the stage optimize reads in an epoch follows from the graph and from how samples are dealt,
before anything is optimized. The counts are exact for that deal and the same on every machine; only
how many of the kept memberships of a row are not zero is taken at its largest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import log
from typing import Any

import numpy as np

from benchmarks import parser_of
from benchmarks.data import load_rows
from benchmarks.tables import markdown_table


@dataclass(frozen=True)
class Operations:
    """Numbers read or written in one epoch, by what for."""

    list_entries: float  # lists of who is within reach in the pool, to find who is in the batch
    neighbor_entries: float  # memberships of the neighbors in the batch
    cluster_scores: float  # one for each sample and cluster
    local_entries: float  # memberships of the nearest neighbors, for the local average
    search_steps: float  # half-walks of the members of a pool, and where they meet
    search_marks: float  # marks on the stretches of a pool, looked through for each member

    @property
    def total(self) -> float:
        """All together."""
        return sum(asdict(self).values())


@dataclass(frozen=True)
class Dealing:
    """How the samples were dealt."""

    n_samples: int
    n_hops: int
    n_pools: int
    n_epochs: int  # that a deal lasts; the search is shared among them


def count_operations(graph: Any, n_clusters: int, seed: int = 0) -> tuple[Dealing, Operations]:
    """Count what one epoch reads, as `graphpac.solvers.gpac.solve_gpac` would deal it."""
    from graphpac._threads import Workers
    from graphpac.graph.hops import build_hop_graph, count_hops
    from graphpac.graph.lists import either_direction
    from graphpac.kernels.reach import STRETCH
    from graphpac.solvers.options import DENSE_CLUSTERS, Problem, SolverOptions
    from graphpac.solvers.pools import count_neighbors_within, deal_pools, plan_deal
    from graphpac.solvers.state import entries_per_row

    problem = Problem(n_clusters=n_clusters)
    n_samples = graph.n_samples
    n_hops = count_hops(n_samples, n_clusters, round(graph.n_edges / n_samples))
    hops = build_hop_graph(either_direction(graph), n_hops)
    options = SolverOptions()
    batch_size = problem.samples_per_batch(n_samples)
    plan = plan_deal(n_samples, batch_size, count_neighbors_within(hops, batch_size), options)
    n_epochs = min(plan.n_iterations, problem.max_iter)
    with Workers(1) as workers:
        deal = deal_pools(hops, plan, np.random.default_rng(seed), workers)

    n_entries = n_clusters if n_clusters <= DENSE_CLUSTERS else entries_per_row(problem, options)
    list_entries = neighbor_entries = steps = marks = 0.0
    for number, members in enumerate(deal.members):
        n_listed = deal.pool(number).reach_indices.size
        list_entries += n_listed
        # A member of the list is in the batch as often as the batch is a part of the pool.
        in_batch = n_listed * min(1.0, plan.batch_size / members.size)
        neighbor_entries += in_batch * n_entries
        steps += _search_steps(hops, members)
        marks += members.size * -(-members.size // STRETCH)
    counted = Operations(
        list_entries=list_entries,
        neighbor_entries=neighbor_entries,
        cluster_scores=float(n_samples * n_clusters),
        local_entries=float(graph.n_edges * n_entries),
        search_steps=steps / n_epochs,
        search_marks=marks / n_epochs,
    )
    return Dealing(n_samples, n_hops, plan.n_pools, n_epochs), counted


def growth_exponent(before: float, after: float, factor: float) -> float:
    """Power of n with which a count grew while n grew by a factor; nan from nothing."""
    return log(after / before) / log(factor) if before > 0 and after > 0 else float("nan")


def operations_table(counted: Sequence[tuple[Dealing, Operations]]) -> str:
    """Millions in an epoch for each size, and the exponents between neighboring sizes."""
    head = ["in an epoch, millions", *(f"{dealing.n_samples:,} rows" for dealing, _ in counted)]
    head += [f"{a.n_samples:,} to {b.n_samples:,}" for (a, _), (b, _) in pairwise(counted)]
    names = [*asdict(counted[0][1]), "total"]
    rows = []
    for name in names:
        values = [getattr(operations, name) for _, operations in counted]
        factors = [b.n_samples / a.n_samples for (a, _), (b, _) in pairwise(counted)]
        powers = [
            growth_exponent(before, after, factor)
            for (before, after), factor in zip(pairwise(values), factors, strict=True)
        ]
        rows.append(
            [
                name.replace("_", " "),
                *(f"{value / 1e6:,.1f}" for value in values),
                *(f"n^{power:.2f}" for power in powers),
            ]
        )
    facts = {"hops": "n_hops", "pools": "n_pools", "epochs a deal lasts": "n_epochs"}
    for label, field in facts.items():
        told = [str(getattr(dealing, field)) for dealing, _ in counted]
        rows.append([label, *told, *[""] * (len(counted) - 1)])
    return markdown_table(head, rows)


def _search_steps(hops: Any, members: Any) -> float:
    """Count what `HopGraph.neighbors_within` walks, turns round and marks for one pool."""
    from graphpac.graph.lists import lists_of

    def joined(lists: Any, rows: Any) -> Any:
        return lists_of(lists, rows)[0].indices

    n_walked = 0
    degrees = np.diff(hops.step.indptr)
    for half in {id(half): half for half in (hops.far, hops.near)}.values():
        for n_more in range(half.n_more):
            reached = joined(*half._replace(n_more=n_more).of(members, hops.step))
            n_walked += 2 * int(degrees[reached].sum())  # to count, and to list
    near, near_rows = hops.near.of(members, hops.step)
    far, far_rows = hops.far.of(members, hops.step)
    turned = joined(near, near_rows)
    # counts[u]: how many members reach u, which is how many marks each visit to u sets.
    counts = np.bincount(turned, minlength=hops.n_samples)
    n_marks = int(counts[joined(far, far_rows)].sum())
    return float(n_walked + 2 * turned.size + hops.n_samples + n_marks)


def main(arguments: Sequence[str] | None = None) -> None:
    from graphpac import build_neighbor_graph

    parser = parser_of("operations", __doc__)
    # With 200 clusters all three sizes have three hops.
    parser.add_argument("--rows", type=int, nargs="+", default=[50_000, 100_000, 200_000])
    parser.add_argument("--clusters", type=int, default=200)
    parser.add_argument("--features", type=int, default=64)
    given = parser.parse_args(arguments)
    counted = []
    for n_samples in given.rows:
        data = load_rows(f"mixture-{n_samples}x{given.features}-{given.clusters}")
        graph = build_neighbor_graph(data.X, 10, random_state=0)
        counted.append(count_operations(graph, given.clusters))
    print(operations_table(counted))


if __name__ == "__main__":
    main()
