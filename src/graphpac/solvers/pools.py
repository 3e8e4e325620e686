"""How the samples are dealt: into pools for several epochs, into batches and rounds for one.

Finding who is within reach of whom inside a batch costs more than the update itself, and a new
partition every epoch needs it every epoch. A pool of several batches is searched once; epochs deal
its members into batches anew, so that a sample still meets others all the time. Where neighbors are
few, one pool holds everybody, and batches are dealt from all samples as published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from graphpac._threads import Workers
from graphpac._typing import IntVector
from graphpac.graph.hops import HopGraph
from graphpac.kernels.batches import Pool
from graphpac.solvers.options import SolverOptions

FEW_NEIGHBORS = 1500  # up to here a list of all of them is read faster than shorter ones are found
POOL_NEIGHBORS = 200  # beyond, pools are made so large that a member reaches about so many others
EPOCHS_PER_BATCH = 4.25  # ... and kept for so many epochs for each batch of the pool
POOL_BYTES = 256 << 20  # the lists of all pools together; pools shrink to a single batch above


class Batch(NamedTuple):
    """Some members of a pool, by their positions in it, in the order of their updates."""

    pool: Pool
    order: IntVector

    @property
    def samples(self) -> IntVector:
        """Sample numbers."""
        return self.pool.members[self.order]


Round: TypeAlias = list[Batch]


@dataclass(frozen=True, slots=True)
class Deal:
    """Pools that hold every sample once, and each sample's seat when they are laid in a row."""

    pools: tuple[Pool, ...]
    seats: IntVector


@dataclass(frozen=True, slots=True)
class DealPlan:
    """Sizes of batches, rounds and pools, and for how many epochs a deal lasts."""

    batch_size: int
    n_round_batches: int
    n_pools: int
    n_epochs: int


def plan_deal(hops: HopGraph, batch_size: int, options: SolverOptions) -> DealPlan:
    """Choose pools by how many neighbors a sample has within a batch, probed on one batch."""
    n_samples = hops.n_samples
    probe = np.linspace(0, n_samples - 1, batch_size, dtype=np.int32)
    n_found = max(1.0, hops.neighbors_within(probe)[1].size / batch_size)
    n_batches = n_samples / batch_size
    bytes_per_batch = 2 * n_found * n_samples

    n_pool_batches: float
    if options.n_pool_batches is not None:
        n_pool_batches = options.n_pool_batches
    elif n_found * n_batches <= FEW_NEIGHBORS:
        n_pool_batches = n_batches
    else:
        n_pool_batches = max(2, round(POOL_NEIGHBORS / n_found))
    n_pool_batches = max(1.0, min(n_pool_batches, n_batches, POOL_BYTES / bytes_per_batch))

    if n_pool_batches >= n_batches:
        n_epochs = np.iinfo(np.int64).max
    elif n_pool_batches < 2:
        n_epochs = 1  # a batch that stays together for five epochs cost .013 NMI on MNIST
    else:
        n_epochs = round(EPOCHS_PER_BATCH * n_pool_batches)
    return DealPlan(
        batch_size=batch_size,
        n_round_batches=1 if options.sequential else options.n_round_batches,
        n_pools=max(1, round(n_batches / n_pool_batches)),
        n_epochs=options.n_pool_epochs or n_epochs,
    )


def deal_pools(hops: HopGraph, plan: DealPlan, rng: np.random.Generator, workers: Workers) -> Deal:
    """Deal all samples into pools of nearly equal size and find who is within reach of whom."""
    n_samples = hops.n_samples
    order = rng.permutation(n_samples).astype(np.int32)
    # Neighbors side by side are found in the cache; the order in a pool has no other meaning.
    members = [
        part[np.argsort(hops.locality[part])] for part in np.array_split(order, plan.n_pools)
    ]
    seats: IntVector = np.empty(n_samples, dtype=np.int32)
    seats[np.concatenate(members)] = np.arange(n_samples, dtype=np.int32)
    pools = []
    start = 0
    for part, lists in zip(members, workers.map(hops.neighbors_within, members), strict=True):
        pools.append(Pool(part, start, *lists))
        start += part.size
    return Deal(tuple(pools), seats)


def deal_batches(deal: Deal, plan: DealPlan, rng: np.random.Generator) -> list[Round]:
    """Deal every pool into batches of nearly equal size, and the batches into rounds."""
    batches: list[Batch] = []
    for pool in deal.pools:
        order = rng.permutation(pool.members.size).astype(np.int32)
        n_batches = max(1, round(order.size / plan.batch_size))
        batches.extend(Batch(pool, part) for part in np.array_split(order, n_batches))
    size = plan.n_round_batches
    return [batches[first : first + size] for first in range(0, len(batches), size)]
