"""The arguments every sweep shares, grouped by what they describe."""

from __future__ import annotations

from typing import NamedTuple

from graphpac._typing import AnyArray, FloatVector, IntVector, OffsetVector
from graphpac.kernels._jit import kernel
from graphpac.kernels._prefetch import prefetch

LINE_ENTRIES = 32  # 16-bit entries of a list in one line of the cache


class Pool(NamedTuple):
    """Samples that share several epochs, and who reaches whom among them.

    ``members`` are sample numbers. ``reach_indices[reach_indptr[a]:reach_indptr[a + 1]]`` are the
    positions, in the pool, of the members within reach of member a. ``start`` is the seat of the
    first member when all pools are laid end to end.
    """

    members: IntVector
    start: int
    reach_indptr: OffsetVector
    reach_indices: AnyArray


class LocalGraph(NamedTuple):
    """Neighbors for the local average; the weights of a row sum to one."""

    indptr: OffsetVector
    indices: IntVector
    weights: FloatVector


@kernel
def fetch_lists(pool: Pool, position: int, local: LocalGraph) -> None:
    """Begin to load what a sweep will read of a member that it comes to shortly."""
    for edge in range(pool.reach_indptr[position], pool.reach_indptr[position + 1], LINE_ENTRIES):
        prefetch(pool.reach_indices, edge)
    i = pool.members[position]
    prefetch(local.indices, local.indptr[i])
    prefetch(local.weights, local.indptr[i])


class Rule(NamedTuple):
    """The numbers of one epoch's update.

    ``exponent`` is 1/(m-1), ``excess`` m-1 where the auxiliary V is used and 0 where P stands in
    for it, ``local_weight`` lam = beta/(1+beta).
    """

    n_clusters: int
    alpha: float
    exponent: float
    excess: float
    local_weight: float
    auxiliary: bool
