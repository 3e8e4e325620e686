"""Partitions that compete: the ramp's, and communities merged to as many clusters.

Each is improved by local moves, and judged by the block model, which allows each pair of clusters a
density of its own: how much does the cluster at one end of a link tell about the other end's? Even
sizes leave more to be told. So the information I of a partition less even than the ramp's counts
relative to the entropy H of its sizes, as I / H^x, and one more even must also be likelier by the
planted partition, on walks of two steps (docs/decisions.md).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from graphpac._typing import IntVector
from graphpac.solvers.communities import (
    MOST_TOO_MANY,
    find_communities,
    links_between,
    move_to_rest,
)
from graphpac.solvers.likelihood import LinkGraph, raise_likelihood
from graphpac.solvers.merging import Criterion, merge

COMMUNITIES_PER_CLUSTER = (2, 3, 6)
MOST_COMMUNITIES = 4096  # the links between them are a square matrix
# x: to take the ramp's place, and among those that may.
TO_WIN, TO_LEAD = 0.25, 0.6
LEAST_SHARE = 0.1  # of the mean size: smaller communities are merged before all others
CRITERIA: tuple[Criterion, ...] = ("likelihood", "average")
MOST_MERGED = len(COMMUNITIES_PER_CLUSTER) * len(CRITERIA)


@dataclass(frozen=True)
class Candidate:
    """A partition that was considered.

    Parameters
    ----------
    origin : str
        Where it comes from.
    likelihood : float
        Of the planted partition, for each end of a link, in nats.
    two_step_likelihood : float
        The same with walks of two steps in the place of links.
    block_information : float
        What clusters tell about each other's links: the mutual information of the block model.
    cluster_sizes : tuple of int
        Samples of each cluster; those that are equal count once.
    seconds : float
        How long it took beside the ramp.
    chosen : bool
        Whether it was the best.
    """

    origin: str
    likelihood: float
    two_step_likelihood: float
    block_information: float
    cluster_sizes: tuple[int, ...]
    seconds: float
    chosen: bool = False

    @property
    def size_entropy(self) -> float:
        """Entropy of the cluster sizes in nats: ln c where all are the same, less where not."""
        sizes = np.array(self.cluster_sizes)
        shares = sizes[sizes > 0] / sizes.sum()
        return float(-np.sum(shares * np.log(shares)))

    def relative_information(self, x: float) -> float:
        """Block information for each nat of the entropy of sizes to the power x."""
        entropy = self.size_entropy
        return self.block_information / entropy**x if entropy > 0.0 else 0.0

    def beats(self, other: Candidate) -> bool:
        """Tell whether this partition is better: if it is more even, by likelihood as well."""
        if self.size_entropy < other.size_entropy:
            return self.relative_information(TO_WIN) > other.relative_information(TO_WIN)
        return (
            self.block_information > other.block_information
            and self.two_step_likelihood > other.two_step_likelihood
        )


class Contender(NamedTuple):
    """A candidate and its partition."""

    facts: Candidate
    labels: IntVector


class Merged(NamedTuple):
    """What `improved` is to make a candidate of."""

    origin: str
    labels: IntVector
    n_clusters: int
    spent: float


def improved(
    graph: LinkGraph, origin: str, labels: IntVector, n_clusters: int, spent: float = 0.0
) -> Contender:
    """Raise the likelihood of a partition by local moves, and judge what comes of it.

    ``spent`` are the seconds it took until here.
    """
    began = time.perf_counter() - spent
    return judged(graph, origin, raise_likelihood(graph, labels, n_clusters), n_clusters, began)


def judged(
    graph: LinkGraph, origin: str, labels: IntVector, n_clusters: int, began: float
) -> Contender:
    """Measure what candidates are compared by."""
    facts = Candidate(
        origin,
        likelihood=graph.fit(labels, n_clusters).likelihood,
        two_step_likelihood=graph.fit_two_steps(labels, n_clusters).likelihood,
        block_information=block_information(graph, labels, n_clusters),
        cluster_sizes=tuple(np.bincount(labels, minlength=n_clusters).tolist()),
        seconds=time.perf_counter() - began,
    )
    return Contender(facts, labels)


def wanted_communities(
    graph: LinkGraph, n_clusters: int, per_cluster: Sequence[float]
) -> list[int]:
    """List the numbers of communities to look for, more than there are clusters.

    Left out are more than a square matrix of their links has room for.
    """
    most = min(MOST_COMMUNITIES / MOST_TOO_MANY, graph.n_samples)
    numbers = (int(factor * n_clusters) for factor in per_cluster)
    return [number for number in numbers if n_clusters < number <= most]


def communities_to_merge(
    graph: LinkGraph, n_clusters: int, per_cluster: Sequence[float], finest: IntVector
) -> list[IntVector]:
    """Find communities of the groups of the finest level, once for each number for a cluster.

    Left out is what cannot be merged to so many clusters.
    """
    wanted = wanted_communities(graph, n_clusters, per_cluster)
    if not wanted:
        return []
    found = find_communities(graph, wanted, finest)
    return [each for each in found if n_clusters <= int(each.max()) + 1 <= MOST_COMMUNITIES]


def finest_groups(graph: LinkGraph, n_clusters: int) -> IntVector:
    """Find the groups that communities are made of, where any are looked for."""
    wanted = wanted_communities(graph, n_clusters, COMMUNITIES_PER_CLUSTER)
    if not wanted:
        return np.arange(graph.n_samples, dtype=np.int32)
    return move_to_rest(graph, float(max(wanted)))


def merged_communities(
    graph: LinkGraph, n_clusters: int, resolution: float, finest: IntVector | None = None
) -> list[Merged]:
    """Find communities, a few for each cluster, and merge them.

    ``finest`` are the labels of `finest_groups`. Seconds of the search count for the first.
    """
    began = time.perf_counter()
    finest = finest_groups(graph, n_clusters) if finest is None else finest
    found = communities_to_merge(graph, n_clusters, COMMUNITIES_PER_CLUSTER, finest)
    searched = time.perf_counter() - began

    def merged(task: tuple[IntVector, Criterion]) -> Merged:
        communities, criterion = task
        began = time.perf_counter()
        n_found = int(communities.max()) + 1
        merges = merge(
            graph,
            communities,
            criterion=criterion,
            resolution=resolution,
            least=LEAST_SHARE * graph.n_samples / n_clusters,
        )
        labels = merges.cut(n_found, n_clusters)[communities]
        origin = f"{n_found} communities, merged by {criterion}"
        return Merged(origin, labels, n_clusters, time.perf_counter() - began)

    done = graph.workers.map(merged, list(product(found, CRITERIA)))
    return [each._replace(spent=each.spent + searched) for each in done[:1]] + done[1:]


def choose(ramps: Sequence[Contender], others: Sequence[Contender]) -> Contender:
    """Return the likeliest of the ramps' partitions, or the best of those that beat it."""
    likeliest = max(ramps, key=lambda ramp: ramp.facts.two_step_likelihood)
    better = [other for other in others if other.facts.beats(likeliest.facts)]
    return max(
        better,
        key=lambda other: other.facts.relative_information(TO_LEAD),
        default=likeliest,
    )


def block_information(graph: LinkGraph, labels: IntVector, n_clusters: int) -> float:
    """Mutual information of the clusters at both ends of a link: sum m_ab ln(m_ab / (m_a m_b))."""
    if graph.n_ends == 0.0:
        return 0.0
    shares = links_between(graph.links, labels, n_clusters).tocoo()
    shares.data /= shares.data.sum()
    ends = np.bincount(shares.row, weights=shares.data, minlength=n_clusters)
    chance = ends[shares.row] * ends[shares.col]
    return float(np.sum(shares.data * np.log(shares.data / chance)))


def numbered_like(labels: IntVector, model: IntVector, n_clusters: int) -> IntVector:
    """Renumber clusters so that as many samples as possible keep their number of a model."""
    overlap = np.zeros((n_clusters, n_clusters))
    np.add.at(overlap, (labels, model), 1.0)
    _, numbers = linear_sum_assignment(overlap, maximize=True)
    renumbered: IntVector = numbers[labels].astype(np.int32)
    return renumbered
