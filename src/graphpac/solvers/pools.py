"""How the samples are dealt: into pools for several iterations, into batches and rounds for one.

Finding who is within reach of whom inside a batch costs more than the update itself, and batches
are dealt anew in every iteration. So a pool of several batches is searched once and serves several
iterations, which deal its members into batches: a sample still meets others all the time. Where
neighbors are few, one pool holds everybody, and batches are dealt from all samples as published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from graphpac._costs import NANOSECOND, Cost
from graphpac._threads import Workers
from graphpac._typing import AnyArray, IntVector, OffsetVector
from graphpac.graph.hop_sizes import HopSizes
from graphpac.graph.hops import MOST_IN_TWO_BYTES, HopGraph, position_bytes
from graphpac.kernels.batches import Pool
from graphpac.solvers.options import Problem, SolverOptions

FEW_NEIGHBORS = 1500  # up to here a list of all of them is read faster than shorter ones are found
POOL_NEIGHBORS = 200  # beyond, pools are made so large that a member reaches about so many others
FEW_POOLS = 4  # are searched one by one, each by all threads
# ... and kept for so many iterations for each batch of the pool, of which 50 or 40 are made.
PUBLISHED_PER_BATCH, ITERATIONS_PER_BATCH = 3.4, 4.0
POOL_BYTES = 256 << 20  # the lists of all pools together may take so much,
POOL_BYTES_PER_SAMPLE = 1024  # or so much for each sample if that is more: pools shrink above


class Batch(NamedTuple):
    """Some members of the pool of a number, by their positions in it, in the order of updates."""

    pool: int
    order: IntVector


Round: TypeAlias = list[Batch]


@dataclass(frozen=True, slots=True)
class Deal:
    """The members of pools that hold every sample once, and where each sample has its seat.

    Seats are counted through all pools, laid end to end: ``seats`` has that of each sample,
    ``starts`` the first of each pool. Who is within reach of whom is kept in ``lists``; where a
    pool is needed only once, it is found then, and ``lists`` is None.
    """

    hops: HopGraph
    members: tuple[IntVector, ...]
    starts: tuple[int, ...]
    seats: IntVector
    lists: tuple[tuple[OffsetVector, AnyArray], ...] | None

    def pool(self, number: int) -> Pool:
        """Return a pool with its lists."""
        members = self.members[number]
        lists = self.hops.neighbors_within(members) if self.lists is None else self.lists[number]
        return Pool(members, self.starts[number], *lists)

    def samples(self, batch: Batch) -> IntVector:
        """Sample numbers of a batch."""
        return self.members[batch.pool][batch.order]


@dataclass(frozen=True, slots=True)
class DealPlan:
    """Sizes of batches, rounds and pools, and for how many iterations a deal lasts."""

    batch_size: int
    n_round_batches: int
    n_pools: int
    n_iterations: int
    is_searched_once: bool  # a pool is one batch of one iteration: nothing of its lists is kept


def count_neighbors_within(hops: HopGraph, batch_size: int) -> float:
    """Count how many neighbors a sample has within a batch, probed on one batch."""
    probe = np.linspace(0, hops.n_samples - 1, batch_size, dtype=np.int32)
    return hops.neighbors_within(probe)[1].size / batch_size


def plan_deal(
    n_samples: int,
    batch_size: int,
    n_found: float,
    options: SolverOptions,
    *,
    room: int | None = None,
) -> DealPlan:
    """Choose pools by how many neighbors a sample has within a batch, and the bytes for lists."""
    n_found = max(1.0, n_found)
    n_batches = n_samples / batch_size
    if room is None:
        room = max(POOL_BYTES, POOL_BYTES_PER_SAMPLE * n_samples)

    n_pool_batches: float
    if options.n_pool_batches is not None:
        n_pool_batches = options.n_pool_batches
    elif n_found * n_batches <= FEW_NEIGHBORS:
        n_pool_batches = n_batches
    else:
        n_pool_batches = max(2, round(POOL_NEIGHBORS / n_found))
    if options.resting:
        # Positions of two bytes are half of the memory. The published method deals as it did.
        n_pool_batches = min(n_pool_batches, max(1, MOST_IN_TWO_BYTES / batch_size))
    bytes_per_batch = position_bytes(n_pool_batches * batch_size) * n_found * n_samples
    n_pool_batches = min(n_pool_batches, n_batches, room / bytes_per_batch)

    if n_pool_batches >= n_batches:
        n_iterations = np.iinfo(np.int64).max
    elif n_pool_batches < 2:
        # A batch that stays together for five iterations cost .013 NMI on MNIST, for two it cost
        # nothing on 100 and 150 classes of embeddings.
        n_iterations = 2 if n_pool_batches >= 1.0 else 1
        n_pool_batches = 1.0
    else:
        per_batch = ITERATIONS_PER_BATCH if options.resting else PUBLISHED_PER_BATCH
        n_iterations = round(per_batch * n_pool_batches)
    n_iterations = options.n_pool_epochs or n_iterations
    # Side by side, batches would all fill the cluster that was the smallest of all before a round.
    one_by_one = options.sequential or options.totals == "all"
    return DealPlan(
        batch_size=batch_size,
        n_round_batches=1 if one_by_one else options.n_round_batches,
        n_pools=max(1, round(n_batches / n_pool_batches)),
        n_iterations=n_iterations,
        is_searched_once=n_iterations == 1 and n_pool_batches == 1,
    )


def deal_pools(hops: HopGraph, plan: DealPlan, rng: np.random.Generator, workers: Workers) -> Deal:
    """Deal all samples into pools of nearly equal size; find who reaches whom if it is kept."""
    n_samples = hops.n_samples
    order = rng.permutation(n_samples).astype(np.int32)
    # In rising order: near samples have near numbers. It has no other meaning.
    members = [np.sort(part) for part in np.array_split(order, plan.n_pools)]
    seats: IntVector = np.empty(n_samples, dtype=np.int32)
    seats[np.concatenate(members)] = np.arange(n_samples, dtype=np.int32)
    starts = np.cumsum([0, *(part.size for part in members[:-1])]).tolist()
    if plan.is_searched_once:
        return Deal(hops, tuple(members), tuple(starts), seats, lists=None)
    if plan.n_pools < FEW_POOLS:
        lists = tuple(hops.neighbors_within(part, workers.map) for part in members)
    else:
        lists = tuple(workers.map(hops.neighbors_within, members))
    return Deal(hops, tuple(members), tuple(starts), seats, lists)


def deal_batches(deal: Deal, plan: DealPlan, rng: np.random.Generator) -> list[Round]:
    """Deal every pool into batches of nearly equal size, and the batches into rounds."""
    batches: list[Batch] = []
    for pool, members in enumerate(deal.members):
        order = rng.permutation(members.size).astype(np.int32)
        n_batches = max(1, round(order.size / plan.batch_size))
        batches.extend(Batch(pool, part) for part in np.array_split(order, n_batches))
    size = plan.n_round_batches
    return [batches[first : first + size] for first in range(0, len(batches), size)]


class Dealer:
    """Deals the samples of a run, iteration after iteration, from one generator.

    ``dealt_from`` is the state of the generator before the present pools were dealt.
    """

    def __init__(
        self,
        hops: HopGraph,
        problem: Problem,
        options: SolverOptions,
        rng: np.random.Generator,
        workers: Workers,
    ) -> None:
        size = problem.samples_per_batch(hops.n_samples)
        found = count_neighbors_within(hops, size)
        self._plan = plan_deal(hops.n_samples, size, found, options)
        early_size = problem.samples_per_batch(hops.n_samples, early=options.larger_early_batches)
        self._early_plan = replace(self._plan, batch_size=early_size)
        self._hops = hops
        self._workers = workers
        self.rng = rng
        self.dealt_from: Mapping[str, Any] = rng.bit_generator.state
        self._pools: Deal | None = None

    def deal(self, n_done: int, *, is_early: bool) -> tuple[Deal, list[Round]]:
        """Deal the batches of the next iteration, and pools before if theirs are used up."""
        if self._pools is None or n_done % self._plan.n_iterations == 0:
            self._pools = None  # its lists go before new ones come
            self.dealt_from = self.rng.bit_generator.state
            self._pools = deal_pools(self._hops, self._plan, self.rng, self._workers)
        plan = self._early_plan if is_early else self._plan
        return self._pools, deal_batches(self._pools, plan, self.rng)

    def go_back(self, dealt_from: Mapping[str, Any], generator: Mapping[str, Any]) -> None:
        """Deal the pools dealt from one state of the generator, and go on from another."""
        self.rng.bit_generator.state = self.dealt_from = dealt_from
        self._pools = deal_pools(self._hops, self._plan, self.rng, self._workers)
        self.rng.bit_generator.state = generator


def deal_cost(hops: HopSizes, plan: DealPlan, max_iter: int, n_jobs: int) -> Cost:
    """Tell what dealing pools takes, for all iterations and as often as the plan says."""
    n, pool_size = hops.n_samples, hops.n_samples / plan.n_pools
    n_deals = -(-max_iter // plan.n_iterations)
    lists = position_bytes(pool_size) * hops.reach(hops.n_hops) * pool_size  # of all pools
    running = min(1.0, n_jobs / plan.n_pools)  # share of the pools that are searched at a time
    searched = hops.search_bytes(pool_size, running) + n_jobs * 8.0 * n
    kept = lists + 8.0 * n
    if plan.is_searched_once:
        searched, kept = searched + running * lists, 0.0
    seconds = n_deals * n * hops.search_nanoseconds(pool_size) / n_jobs * NANOSECOND
    return Cost({"pools": kept, "search in pools": searched}, seconds)
