"""How likely a graph is under a partition, and local moves that make it likelier.

In the degree-corrected planted partition links are denser by one factor inside clusters and thinner
by one factor between. With f the share of link ends that stay inside, kappa_l the share of all
degrees in cluster l and s = sum kappa_l^2, the log-likelihood of a link end is

    LL = f ln(f / s) + (1 - f) ln((1 - f) / (1 - s)).

It grows by a move of sample i to cluster l when links(i, l) - gamma k_i K_l / 2M does, with
gamma = (w_in - w_out) / (ln w_in - ln w_out), w_in = f / s, w_out = (1 - f) / (1 - s)
(Newman, Equivalence between modularity optimization and maximum likelihood, 2016).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from graphpac._threads import Workers
from graphpac._typing import AnyArray, IntVector, Progress
from graphpac.graph.links import degrees_of
from graphpac.kernels.moves import (
    Clusters,
    Links,
    inside_changes,
    links_inside,
    move_blocks,
    walks_returning,
)

N_BLOCKS = 32  # whatever the threads: blocks of a round do not see each other's moves
ROUND_BLOCKS = 8
MOST_SWEEPS = 20
FEWEST_MOVED = 1e-4  # share of the samples; below, a sweep was the last

Item = TypeVar("Item")
Result = TypeVar("Result")


class Fit(NamedTuple):
    """What the likelihood is made of: f and s, and the ends of all links."""

    inside: float
    chance: float
    n_ends: float

    @property
    def likelihood(self) -> float:
        """LL for each link end, at least 0: what the partition tells beyond the degrees."""
        f, s = self.inside, self.chance
        total = 0.0
        if f > 0.0 and s > 0.0:
            total += f * np.log(f / s)
        if f < 1.0 and s < 1.0:
            total += (1.0 - f) * np.log((1.0 - f) / (1.0 - s))
        return float(total)

    @property
    def resolution(self) -> float:
        """gamma: what a link is worth beside chance. Half a link between is the least there is."""
        if not 0.0 < self.chance < 1.0:
            return 1.0
        between = max(1.0 - self.inside, 0.5 / max(self.n_ends, 1.0))
        w_in = max(self.inside, 1e-12) / self.chance
        w_out = between / (1.0 - self.chance)
        if np.isclose(w_in, w_out):
            return float(w_in)
        return float((w_in - w_out) / (np.log(w_in) - np.log(w_out)))


class LinkGraph:
    """Links with what is computed of them once, and the threads that work on them."""

    def __init__(self, links: Links, workers: Workers, loops: AnyArray | None = None) -> None:
        """``loops`` are links of merged samples to themselves, each end counted."""
        self.links = links
        self.workers = workers
        self.loops = loops
        self.degrees = degrees_of(links) if loops is None else degrees_of(links) + loops
        self.n_samples = int(links.indptr.size - 1)
        self.n_ends = float(self.degrees.sum())
        n_blocks = min(N_BLOCKS, self.n_samples)
        self.bounds = np.linspace(0, self.n_samples, n_blocks + 1).astype(np.int64)

    def map(
        self,
        function: Callable[[LinkGraph, Item], Result],
        items: Sequence[Item],
        progress: Progress | None = None,
    ) -> list[Result]:
        """Apply a function to this graph and every item, side by side with a share of the threads.

        Threads have less to wait for than if they shared every item.
        """
        n_each = max(1, self.workers.n_jobs // max(1, len(items)))

        def apply(item: Item) -> Result:
            with Workers(n_each) as workers:
                graph = copy.copy(self)
                graph.workers = workers
                return function(graph, item)

        return self.workers.map(apply, items, progress)

    def clusters(self, labels: IntVector, n_clusters: int) -> Clusters:
        """Sum degrees and count samples of each cluster."""
        totals = np.bincount(labels, weights=self.degrees, minlength=n_clusters)
        return Clusters(totals, np.bincount(labels, minlength=n_clusters))

    def inside(self, labels: IntVector) -> float:
        """Sum the link ends that stay inside clusters."""
        loops = 0.0 if self.loops is None else float(self.loops.sum())
        inside = self._sum(lambda bounds, sums: links_inside(self.links, labels, bounds, sums))
        return inside + loops

    def inside_change(self, was: IntVector, labels: IntVector) -> float:
        """Sum by how many more link ends stay inside clusters since labels were others."""
        return self._sum(lambda bounds, sums: inside_changes(self.links, was, labels, bounds, sums))

    def fit(self, labels: IntVector, n_clusters: int) -> Fit:
        """Return what the likelihood of a partition is made of."""
        return self.fit_of(self.inside(labels), self.clusters(labels, n_clusters))

    def fit_two_steps(self, labels: IntVector, n_clusters: int) -> Fit:
        """Return what the likelihood is made of when walks of two steps take the place of links.

        Walks are not known of merged samples: there must be no loops.
        """
        inside = self._sum(
            lambda bounds, sums: walks_returning(self.links, labels, n_clusters, bounds, sums)
        )
        return self.fit_of(inside, self.clusters(labels, n_clusters))

    def fit_of(self, inside: float, clusters: Clusters) -> Fit:
        """Return what the likelihood is made of when so many link ends stay inside clusters."""
        if self.n_ends == 0.0:
            return Fit(0.0, 1.0, 0.0)
        shares = clusters.totals / self.n_ends
        inside = min(inside / self.n_ends, 1.0)
        return Fit(inside, float(np.square(shares).sum()), self.n_ends)

    def _sum(self, part: Callable[[AnyArray, AnyArray], None]) -> float:
        """Sum over all samples, block by block."""
        sums = np.zeros(self.bounds.size - 1)
        self.workers.map(
            lambda piece: part(self.bounds[piece[0] : piece[1] + 1], sums[slice(*piece)]),
            self.pieces(sums.size),
        )
        return float(sum(sums.tolist()))

    def pieces(self, n_blocks: int) -> list[tuple[int, int]]:
        """Deal blocks to the threads, each some that follow each other."""
        ends = np.linspace(0, n_blocks, self.workers.n_jobs + 1).astype(np.int64).tolist()
        return [piece for piece in pairwise(ends) if piece[0] < piece[1]]


class Moving:
    """A partition whose samples move, and what is known of it without looking at all links."""

    def __init__(self, graph: LinkGraph, labels: IntVector, n_clusters: int) -> None:
        self.graph = graph
        self.labels = labels.copy()
        self.clusters = graph.clusters(labels, n_clusters)
        self.inside = graph.inside(labels)

    @property
    def fit(self) -> Fit:
        """What the likelihood of the partition is made of."""
        return self.graph.fit_of(self.inside, self.clusters)

    def sweep(self, due: AnyArray, price: float) -> tuple[int, AnyArray]:
        """Move all samples that are due once; return how many moved, and who is due next."""
        was = self.labels.copy()
        moved = sweep_once(self.graph, self.labels, self.clusters, due, price)
        self.inside += self.graph.inside_change(was, self.labels)
        return moved


def raise_likelihood(
    graph: LinkGraph, labels: IntVector, n_clusters: int, *, most_sweeps: int = MOST_SWEEPS
) -> IntVector:
    """Move samples between clusters while the likelihood grows; no cluster is left empty.

    After the first sweeps only samples beside one that moved are looked at again, so the time is
    linear in the links. Blocks that move unaware of each other may lower the likelihood: the best
    of all sweeps is returned.
    """
    moving = Moving(graph, labels, n_clusters)
    due = np.ones(graph.n_samples, dtype=np.uint8)
    fit = moving.fit
    best, most = labels.copy(), _above_chance(fit)
    for sweep in range(most_sweeps):
        if sweep < 2:
            due[:] = 1
        n_moved, due = moving.sweep(due, fit.resolution / max(graph.n_ends, 1.0))
        fit = moving.fit
        if _above_chance(fit) > most:
            best, most = moving.labels.copy(), _above_chance(fit)
        if n_moved <= FEWEST_MOVED * graph.n_samples:
            break
    return best


def _above_chance(fit: Fit) -> float:
    """LL, negative where links avoid the clusters: that is likely too, but no clustering."""
    return fit.likelihood if fit.inside >= fit.chance else -fit.likelihood


def sweep_once(
    graph: LinkGraph, labels: IntVector, clusters: Clusters, due: AnyArray, price: float
) -> tuple[int, AnyArray]:
    """Move all samples that are due once; return how many moved, and who is due next.

    Labels are changed, and their clusters follow.
    """
    next_due = np.zeros_like(due)
    n_moved = 0
    for start in range(0, graph.bounds.size - 1, ROUND_BLOCKS):
        bounds = graph.bounds[start : start + ROUND_BLOCKS + 1]
        was = labels[bounds[0] : bounds[-1]].copy()
        had = clusters.counts.copy()
        found = was.copy()
        changes = Clusters(
            *(np.zeros((bounds.size - 1, had.size), dtype=each.dtype) for each in clusters)
        )

        def move(piece: tuple[int, int]) -> int:
            first, last = piece
            some = bounds[first : last + 1]  # noqa: B023 (used up in this round)
            return move_blocks(
                graph.links,
                graph.degrees,
                labels,
                clusters,
                due,
                next_due,
                some,
                found[some[0] - bounds[0] : some[-1] - bounds[0]],  # noqa: B023
                price,
                Clusters(changes.totals[first:last], changes.counts[first:last]),  # noqa: B023
            )

        n_moved += sum(graph.workers.map(move, graph.pieces(bounds.size - 1)))
        labels[bounds[0] : bounds[-1]] = found
        clusters.totals[:] += changes.totals.sum(axis=0)
        clusters.counts[:] += changes.counts.sum(axis=0)
        _give_back(graph.degrees, labels, int(bounds[0]), was, had, clusters)
    return n_moved, next_due


def _give_back(
    degrees: AnyArray,
    labels: IntVector,
    first: int,
    was: IntVector,
    had: AnyArray,
    clusters: Clusters,
) -> None:
    """Put a sample back into each cluster that blocks emptied together, unaware of each other.

    It may have been the only one where it went, which is then empty in its turn; every sample put
    back stays, so there is an end. ``had`` are the samples each cluster had before.
    """
    totals, counts = clusters
    empty = np.flatnonzero((counts == 0) & (had > 0)).tolist()
    while empty:
        cluster = empty.pop()
        sample = first + int(np.flatnonzero(was == cluster)[0])
        left = int(labels[sample])
        labels[sample] = cluster
        counts[cluster] += 1
        counts[left] -= 1
        totals[cluster] += degrees[sample]
        totals[left] -= degrees[sample]
        if counts[left] == 0:
            empty.append(left)
