"""What follows the ramp: candidates are improved and judged, and the best gets memberships."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import scipy.sparse as sp

from graphpac._costs import NANOSECOND, Cost
from graphpac._threads import Workers
from graphpac._typing import IntVector, Progress
from graphpac.graph import NeighborGraph
from graphpac.graph.copies import merge_copies
from graphpac.graph.links import USUAL_LINKS_PER_NEIGHBOR, links_of
from graphpac.solvers.candidates import (
    COMMUNITIES_PER_CLUSTER,
    MOST_COMMUNITIES,
    MOST_MERGED,
    Candidate,
    Contender,
    choose,
    finest_groups,
    improved,
    merged_communities,
    numbered_like,
)
from graphpac.solvers.communities import expected_groups
from graphpac.solvers.gpac import local_graph
from graphpac.solvers.likelihood import LinkGraph
from graphpac.solvers.options import Problem, SolverOptions
from graphpac.solvers.partition_memberships import MOST_ENTRIES, partition_memberships
from graphpac.solvers.uneven import (
    MOST_UNEVEN,
    choose_uneven,
    finest_uneven,
    uneven_candidates,
)

ClusterSizes: TypeAlias = Literal["even", "uneven"]

# On one core: for each link, the finest level, which one thread moves, and each candidate, which
# threads share; for each group of the finest level, all searches for a resolution.
FINEST_NANOSECONDS, CANDIDATE_NANOSECONDS, SEARCH_NANOSECONDS = 80.0, 70.0, 5e4


@dataclass(frozen=True, slots=True)
class Partition:
    """The clusters that were chosen, their memberships, and what else was considered.

    ``ramp`` is the number of the likeliest of the ramps.
    """

    labels: IntVector
    memberships: sp.csr_matrix
    candidates: tuple[Candidate, ...]
    ramp: int


def find_partition(
    graph: NeighborGraph,
    ramps: Sequence[IntVector],
    problem: Problem,
    options: SolverOptions,
    *,
    with_communities: bool,
    sizes: ClusterSizes = "even",
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Partition:
    """Improve the partitions of one ramp or more, let communities compete, and keep the best.

    With ``sizes="uneven"`` communities are merged and judged by other rules, and the ramp's
    partition stands only where there are none. Clusters are numbered as in the ramp's partition.
    Samples that are equal are one, as in the ramp. The result does not depend on ``n_jobs``.
    """
    merged, copies = merge_copies(graph)
    n_clusters = problem.n_clusters
    most_merged = MOST_UNEVEN if sizes == "uneven" else MOST_MERGED
    n_candidates = len(ramps) + with_communities * most_merged

    def tell(n_done: int) -> None:
        if progress is not None:
            progress(n_done, n_candidates)

    with Workers(n_jobs) as workers:
        links = LinkGraph(links_of(merged), workers)
        of_ramps, finest = _ramps_and_groups(
            links,
            [labels[copies.originals] for labels in ramps],
            n_clusters,
            (finest_uneven if sizes == "uneven" else finest_groups) if with_communities else None,
            tell,
        )
        of_communities: list[Contender] = []
        if finest is not None:
            of_communities = _communities(
                links,
                of_ramps[0],
                n_clusters,
                sizes,
                finest,
                lambda n_done, _: tell(len(ramps) + n_done),
            )
        if sizes == "uneven" and of_communities:
            best = choose_uneven(links, of_communities)
        else:
            best = choose(of_ramps, of_communities)
        labels = best.labels
        if best is not of_ramps[0]:
            labels = numbered_like(labels, ramps[0][copies.originals], n_clusters)
        memberships = partition_memberships(
            local_graph(merged, options),
            labels,
            n_clusters,
            fuzziness=problem.fuzziness,
            workers=workers,
        )
    candidates = tuple(
        replace(each.facts, chosen=each is best) for each in (*of_ramps, *of_communities)
    )
    likeliest = choose(of_ramps, ())
    ramp = next(number for number, each in enumerate(of_ramps) if each is likeliest)
    return Partition(labels[copies.numbers], memberships[copies.numbers], candidates, ramp)


def _ramps_and_groups(
    links: LinkGraph,
    ramps: Sequence[IntVector],
    n_clusters: int,
    find_finest: Callable[..., IntVector] | None,
    tell: Callable[[int], None],
) -> tuple[list[Contender], IntVector | None]:
    """Improve the ramps' partitions, and find the finest groups of all samples at the same time.

    These take one thread: every sample is to see the moves of those before it.
    """
    tasks: list[Callable[[LinkGraph], Any]] = [
        partial(
            improved,
            origin="ramp" if len(ramps) == 1 else f"ramp {number}",
            labels=labels,
            n_clusters=n_clusters,
        )
        for number, labels in enumerate(ramps, start=1)
    ]
    if find_finest is not None:
        tasks.append(partial(find_finest, n_clusters=n_clusters))
    done = links.map(
        lambda graph, task: task(graph), tasks, lambda n_done, _: tell(min(n_done, len(ramps)))
    )
    return done[: len(ramps)], None if find_finest is None else done[-1]


def _communities(
    links: LinkGraph,
    ramp: Contender,
    n_clusters: int,
    sizes: ClusterSizes,
    finest: IntVector,
    progress: Progress,
) -> list[Contender]:
    """Merge communities to as many clusters, for sizes that are much the same or that are not."""
    if sizes == "uneven":
        return uneven_candidates(links, n_clusters, finest, progress)
    resolution = links.fit(ramp.labels, n_clusters).resolution
    merged = merged_communities(links, n_clusters, resolution, finest)
    return links.map(lambda graph, each: improved(graph, *each), merged, progress)


def choice_cost(n_samples: int, degree: float, n_clusters: int, n_jobs: int) -> Cost:
    """Memory and seconds of `find_partition` with communities."""
    n_links = USUAL_LINKS_PER_NEIGHBOR * degree
    n_entries = min(MOST_ENTRIES, n_clusters)
    each = {
        "links": 8.0 + 8 * n_links,
        "sums of links": 8.0 * n_links,
        "candidates": 4.0 * (1 + MOST_MERGED) + 20.0 * min(n_jobs, MOST_MERGED),
        "averages": 2 * 8.0 * n_entries + 40,
    }
    memory = {name: n_samples * n_bytes for name, n_bytes in each.items()}
    memory["links of communities"] = 8.0 * min(6 * n_clusters, MOST_COMMUNITIES) ** 2
    n_groups = expected_groups(n_samples, n_clusters)
    moves = (1 + MOST_MERGED) * CANDIDATE_NANOSECONDS * n_links * n_samples
    searches = SEARCH_NANOSECONDS * n_groups
    n_searching = min(n_jobs, len(COMMUNITIES_PER_CLUSTER))
    work = FINEST_NANOSECONDS * n_links * n_samples + searches / n_searching + moves / n_jobs
    return Cost(memory, work * NANOSECOND)
