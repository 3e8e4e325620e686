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

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from graphpac._threads import Workers
from graphpac._typing import AnyArray, IntVector
from graphpac.graph.links import degrees_of
from graphpac.kernels.moves import Clusters, Links, links_inside, move_block, walks_returning

N_BLOCKS = 32  # whatever the threads: blocks of a round do not see each other's moves
ROUND_BLOCKS = 8
MOST_SWEEPS = 20
FEWEST_MOVED = 1e-4  # share of the samples; below, a sweep was the last


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

    def clusters(self, labels: IntVector, n_clusters: int) -> Clusters:
        """Sum degrees and count samples of each cluster."""
        totals = np.bincount(labels, weights=self.degrees, minlength=n_clusters)
        return Clusters(totals, np.bincount(labels, minlength=n_clusters))

    def fit(self, labels: IntVector, n_clusters: int) -> Fit:
        """Return what the likelihood of a partition is made of."""
        loops = 0.0 if self.loops is None else float(self.loops.sum())
        inside = self._sum(lambda first, last: links_inside(self.links, labels, first, last))
        return self._fit(inside + loops, labels, n_clusters)

    def fit_two_steps(self, labels: IntVector, n_clusters: int) -> Fit:
        """Return what the likelihood is made of when walks of two steps take the place of links.

        Walks are not known of merged samples: there must be no loops.
        """
        return self._fit(
            self._sum(
                lambda first, last: walks_returning(self.links, labels, n_clusters, first, last)
            ),
            labels,
            n_clusters,
        )

    def _fit(self, inside: float, labels: IntVector, n_clusters: int) -> Fit:
        if self.n_ends == 0.0:
            return Fit(0.0, 1.0, 0.0)
        shares = self.clusters(labels, n_clusters).totals / self.n_ends
        inside = min(inside / self.n_ends, 1.0)
        return Fit(inside, float(np.square(shares).sum()), self.n_ends)

    def _sum(self, part: Callable[[int, int], float]) -> float:
        """Sum over all samples, block by block."""
        blocks = list(zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True))
        return float(sum(self.workers.map(lambda block: part(*block), blocks)))


def raise_likelihood(
    graph: LinkGraph, labels: IntVector, n_clusters: int, *, most_sweeps: int = MOST_SWEEPS
) -> IntVector:
    """Move samples between clusters while the likelihood grows; no cluster is left empty.

    After the first sweeps only samples beside one that moved are looked at again, so the time is
    linear in the links. Blocks that move unaware of each other may lower the likelihood: the best
    of all sweeps is returned.
    """
    labels = labels.copy()
    due = np.ones(graph.n_samples, dtype=np.uint8)
    fit = graph.fit(labels, n_clusters)
    best, most = labels.copy(), _above_chance(fit)
    for sweep in range(most_sweeps):
        if sweep < 2:
            due[:] = 1
        price = fit.resolution / max(graph.n_ends, 1.0)
        n_moved, due = sweep_once(graph, labels, n_clusters, due, price)
        fit = graph.fit(labels, n_clusters)
        if _above_chance(fit) > most:
            best, most = labels.copy(), _above_chance(fit)
        if n_moved <= FEWEST_MOVED * graph.n_samples:
            break
    return best


def _above_chance(fit: Fit) -> float:
    """LL, negative where links avoid the clusters: that is likely too, but no clustering."""
    return fit.likelihood if fit.inside >= fit.chance else -fit.likelihood


def sweep_once(
    graph: LinkGraph, labels: IntVector, n_clusters: int, due: AnyArray, price: float
) -> tuple[int, AnyArray]:
    """Move all samples that are due once; labels are changed. Return how many, and who is next."""
    next_due = np.zeros_like(due)
    n_moved = 0
    bounds = graph.bounds
    for start in range(0, bounds.size - 1, ROUND_BLOCKS):
        firsts = bounds[start : start + ROUND_BLOCKS]
        lasts = bounds[start + 1 : start + 1 + ROUND_BLOCKS]
        before = graph.clusters(labels, n_clusters)
        was = labels[firsts[0] : lasts[-1]].copy()

        def moved(block: tuple[int, int], before: Clusters = before) -> tuple[int, int, IntVector]:
            first, last = block
            found = labels[first:last].copy()
            n_block = move_block(
                graph.links,
                graph.degrees,
                labels,
                Clusters(before.totals.copy(), before.counts.copy()),
                due,
                next_due,
                first,
                found,
                price,
                1,
            )
            return n_block, first, found

        for n_block, first, found in graph.workers.map(
            moved, list(zip(firsts.tolist(), lasts.tolist(), strict=False))
        ):
            n_moved += n_block
            labels[first : first + found.size] = found
        _give_back(labels, int(firsts[0]), was, before)
    return n_moved, next_due


def _give_back(labels: IntVector, first: int, was: IntVector, before: Clusters) -> None:
    """Put a sample back into each cluster that blocks emptied together, unaware of each other.

    It may have been the only one where it went, which is then empty in its turn; every sample put
    back stays, so there is an end.
    """
    now = np.bincount(labels, minlength=before.counts.size)
    empty = np.flatnonzero((now == 0) & (before.counts > 0)).tolist()
    while empty:
        cluster = empty.pop()
        sample = first + int(np.flatnonzero(was == cluster)[0])
        left = int(labels[sample])
        labels[sample] = cluster
        now[cluster] += 1
        now[left] -= 1
        if now[left] == 0:
            empty.append(left)
