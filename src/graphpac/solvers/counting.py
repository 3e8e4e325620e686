"""How many clusters a graph has: what random halves of it agree on.

Each number of clusters is judged by three things. Communities of the graph and of random halves of
it, merged to so many clusters, agree or do not (stability); they hold more links than chance would
(modularity); and knowing them makes the links likelier (likelihood). The first alone prefers two or
three clusters, the last hundreds; their product is highest between (docs/choosing-c.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from graphpac._costs import NANOSECOND, Cost
from graphpac._threads import Workers
from graphpac._typing import IntVector, Progress
from graphpac.graph import NeighborGraph
from graphpac.graph.copies import merge_copies
from graphpac.graph.halving import half_of_edges
from graphpac.graph.links import USUAL_LINKS_PER_NEIGHBOR, links_of
from graphpac.solvers.communities import expected_groups
from graphpac.solvers.levels import FINEST, Levels
from graphpac.solvers.likelihood import LinkGraph

N_HALVES = 3
MOST_COUNTED = 500  # clusters; more must be asked for
FEW = 20  # up to so many each number is tried, beyond those a tenth apart
SAMPLES_PER_CLUSTER = 5  # at least, in the mean, where there are more than a few
# Below, the halves of a graph have too little in common: normal noise of eight features and more
# reaches 0.1 to 0.3, data with classes 0.5 to 0.95. Noise of two features has 0.65.
LEAST_STABILITY = 0.35
# On one core: for each link of each graph, and for each group of its finest level.
LINK_NANOSECONDS, GROUP_NANOSECONDS = 250.0, 2e5


@dataclass(frozen=True)
class JudgedNumber:
    """A number of clusters, and what it was judged by.

    Parameters
    ----------
    n_clusters : int
        The number asked for.
    n_occupied : int
        How many were found: fewer where there are fewer communities.
    stability : float
        Mean adjusted Rand index between the partitions of the graph and of its halves.
    modularity : float
        Share of the graph's links inside clusters, less the share chance would give.
    likelihood : float
        Of the graph under its partition, for each end of a link, in nats.
    """

    n_clusters: int
    n_occupied: int
    stability: float
    modularity: float
    likelihood: float

    @property
    def score(self) -> float:
        """Stability times modularity times likelihood; 0 for what is worse than chance."""
        return max(self.stability, 0.0) * max(self.modularity, 0.0) * self.likelihood

    @property
    def has_empty_clusters(self) -> bool:
        """Whether there are fewer clusters than asked for."""
        return self.n_occupied < self.n_clusters


Judged = TypeVar("Judged", bound=JudgedNumber)


class NumberJudge:
    """Judges numbers of clusters by the communities of a graph and of random halves of it.

    There is a half for each seed. Nothing else is drawn, and nothing depends on the threads or on
    the other numbers asked for; ``most`` is the largest that will be, so that threads can share
    the work.
    """

    def __init__(
        self, graph: NeighborGraph, most: int, seeds: Sequence[int], workers: Workers
    ) -> None:
        merged, copies = merge_copies(graph)
        # Copies are links of a sample to itself, as many as it has neighbors at most.
        loops = 2.0 * np.minimum(copies.counts - 1, graph.degrees[copies.originals])
        self._whole = LinkGraph(links_of(merged), workers, loops)
        halves = [half_of_edges(merged, np.random.default_rng(seed)) for seed in seeds]
        graphs = [
            self._whole,
            *(LinkGraph(links_of(half), workers, loops / 2.0) for half in halves),
        ]
        self._levels = list(workers.map(lambda each: _levels_up_to(each, most), graphs))

    def judge(self, n_clusters: int) -> JudgedNumber:
        """Divide the graph and its halves into so many clusters, and compare them."""
        partitions = [levels.cut(n_clusters) for levels in self._levels]
        n_found = int(partitions[0].max()) + 1
        fit = self._whole.fit(partitions[0], n_found)
        return JudgedNumber(
            n_clusters=n_clusters,
            n_occupied=n_found,
            stability=mean_agreement(partitions),
            modularity=fit.inside - fit.chance,
            likelihood=fit.likelihood,
        )


def _levels_up_to(graph: LinkGraph, most: int) -> Levels:
    levels = Levels(graph)
    levels.reach(most)
    return levels


def best_number(judged: Iterable[Judged]) -> Judged | None:
    """Return the number with the highest score, of equals the smallest; None if that is chance.

    Numbers that left clusters empty are passed over unless all did: they ask for more than there
    are.
    """
    numbers = sorted(judged, key=lambda number: number.n_clusters)
    full = [number for number in numbers if not number.has_empty_clusters]
    best = max(full or numbers, key=lambda number: number.score)
    return best if best.score > 0.0 and best.stability >= LEAST_STABILITY else None


def count_clusters(
    graph: NeighborGraph, *, n_jobs: int = 1, progress: Progress | None = None
) -> int:
    """Find the number of clusters of a graph: 1 if none is better than chance, at most 500.

    It follows from the graph alone: the halves are the same each time.
    """
    numbers = numbers_to_try(graph.n_originals)
    if not numbers:
        return 1
    judged = []
    with Workers(n_jobs) as workers:
        judge = NumberJudge(graph, numbers[-1], range(N_HALVES), workers)
        for number in numbers:
            judged.append(judge.judge(number))
            if progress is not None:
                progress(len(judged), len(numbers))
    best = best_number(judged)
    return 1 if best is None else best.n_clusters


def numbers_to_try(n_samples: int) -> list[int]:
    """Return the numbers of clusters that are tried for so many different samples."""
    most = min(MOST_COUNTED, max(FEW, n_samples // SAMPLES_PER_CLUSTER), n_samples)
    numbers = list(range(2, min(FEW, most) + 1))
    while numbers and numbers[-1] < most:
        numbers.append(min(round(1.1 * numbers[-1]), most))
    return numbers


def mean_agreement(labelings: Sequence[IntVector]) -> float:
    """Mean adjusted Rand index over all pairs of at least two labelings of the same samples.

    Clusters are numbered from 0. 1 if all agree but for their names, about 0 if they agree as much
    as random ones.
    """
    return fmean(_rand_index(a, b) for a, b in combinations(labelings, 2))


def _rand_index(a: IntVector, b: IntVector) -> float:
    """(T - AB/N) / ((A + B)/2 - AB/N), with N all pairs of samples and A, B, T those together."""
    ones = np.ones(a.size)
    together = sp.coo_array((ones, (a, b))).tocsr()
    pairs_a, pairs_b, both = (
        float(np.sum(counts * (counts - 1.0))) / 2.0
        for counts in (np.bincount(a), np.bincount(b), together.data)
    )
    by_chance = pairs_a * pairs_b / max(a.size * (a.size - 1.0) / 2.0, 1.0)
    most = (pairs_a + pairs_b) / 2.0
    return 1.0 if most == by_chance else (both - by_chance) / (most - by_chance)


def count_cost(n_samples: int, degree: float, n_jobs: int) -> Cost:
    """Memory and seconds of `count_clusters`."""
    n_links = USUAL_LINKS_PER_NEIGHBOR * degree
    n_graphs = 1 + N_HALVES
    memory = {
        "links": n_graphs * n_samples * (8.0 + 8 * n_links),
        "communities": n_graphs * n_samples * 40.0,
    }
    n_groups = expected_groups(n_samples, FINEST)
    each = LINK_NANOSECONDS * n_links * n_samples + GROUP_NANOSECONDS * n_groups
    return Cost(memory, n_graphs / min(n_jobs, n_graphs) * each * NANOSECOND)
