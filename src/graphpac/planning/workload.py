"""What is asked of a fit, and the sizes that follow from it or, where data decide, are typical."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray
from graphpac.graph import NeighborGraph
from graphpac.graph.hops import STORED_BYTES, HopGraph, count_hops
from graphpac.graph.rows import is_hardly_sparse
from graphpac.graph.searchers import (
    ExactSearcher,
    FaissSearcher,
    NeighborSearcher,
    resolve_searcher,
)
from graphpac.graph.searchers.exact import BLOCK_ROWS
from graphpac.solvers import Problem, SolverOptions
from graphpac.solvers.pools import DealPlan, plan_deal

# Pairs of entries in the same column, beside as many entries in all columns alike: 22 in a matrix
# of 50,000 texts by 30,000 words that follow Zipf's law.
_TYPICAL_SKEW = 20


@dataclass(frozen=True, kw_only=True)
class Data:
    """What is clustered, as far as its size goes.

    ``n_entries`` counts the numbers that are worked with, of a graph its edges; ``n_bytes`` is what
    was given, in memory or as the pages of a memory map. Of sparse rows ``n_products`` counts the
    pairs of entries in the same column, and ``copied_bytes`` is the array that is made of them if
    they are sparse in form only.
    """

    n_samples: int
    n_features: int
    n_entries: int
    n_bytes: int
    form: Literal["dense", "sparse", "distances", "graph"]
    memory_map: bool = False
    n_products: float = 0.0
    copied_bytes: int = 0

    @classmethod
    def of(cls, X: Any, *, precomputed: bool = False) -> Data:
        """Take the size of an array, a data frame, a sparse matrix or a graph."""
        if isinstance(X, NeighborGraph):
            n_bytes = X.indptr.nbytes + X.indices.nbytes + X.values.nbytes
            n = X.n_samples
            return cls(
                n_samples=n, n_features=n, n_entries=X.n_edges, n_bytes=n_bytes, form="graph"
            )
        n_samples, n_features = map(int, X.shape)
        value_size = np.dtype(getattr(X, "dtype", np.float64)).itemsize  # a frame has no one dtype
        dense = cls(
            n_samples=n_samples,
            n_features=n_features,
            n_entries=n_samples * n_features,
            n_bytes=n_samples * n_features * value_size,
            form="distances" if precomputed else "dense",
            memory_map=_is_memory_map(X),
        )
        if not sp.issparse(X):
            return dense
        if precomputed:
            stored = dense.with_stored(int(X.nnz), value_size)
            return replace(stored, form="distances", n_entries=int(X.nnz), copied_bytes=0)
        counts = np.bincount(sp.csr_matrix(X).indices).astype(np.float64)
        return dense.with_stored(int(X.nnz), value_size, float(counts @ counts))

    def with_stored(self, n_stored: int, value_size: int, n_products: float | None = None) -> Data:
        """Return the size of the same rows as a sparse matrix that stores so many numbers.

        Where it is not known which features they are of, a few are taken to be in most rows, as in
        texts.
        """
        n_bytes = n_stored * (value_size + 4) + 4 * self.n_samples
        if is_hardly_sparse(self.n_samples, self.n_features, n_stored):
            return replace(self, n_bytes=n_bytes, copied_bytes=self.n_bytes)
        if n_products is None:
            even = n_stored**2 / max(1, self.n_features)
            n_products = min(_TYPICAL_SKEW * even, float(n_stored) * self.n_samples)
        return replace(
            self, n_entries=n_stored, n_bytes=n_bytes, form="sparse", n_products=n_products
        )

    def resized(self, n_samples: int) -> Data:
        """Return the size that as many samples of the same kind would have."""
        factor = n_samples / self.n_samples
        square = self.n_features == self.n_samples and self.form in {"distances", "graph"}
        if square and self.n_entries == self.n_samples**2:
            factor *= factor  # a dense matrix of distances
        return replace(
            self,
            n_samples=n_samples,
            n_features=n_samples if square else self.n_features,
            n_entries=round(factor * self.n_entries),
            n_bytes=round(factor * self.n_bytes),
            n_products=factor**2 * self.n_products,
            copied_bytes=round(factor * self.copied_bytes),
        )


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A fit: its data and all parameters that decide how much work it is."""

    data: Data
    problem: Problem
    options: SolverOptions = field(default_factory=SolverOptions)
    n_neighbors: int = 10
    searcher: str | NeighborSearcher = "auto"
    init: str = "smoothed"
    n_jobs: int = 1
    map_method: Literal["graph", "umap"] | None = None  # of the report that follows, None without

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.data.n_samples

    @property
    def degree(self) -> int:
        """Neighbors of each sample in the graph."""
        if self.data.form == "graph":
            return max(1, round(self.data.n_entries / self.n_samples))
        return max(1, min(self.n_neighbors, self.n_samples - 1))

    @cached_property
    def chosen_searcher(self) -> NeighborSearcher:
        """The searcher a fit of rows will use."""
        shape = (self.n_samples, self.data.n_features)
        # Both have the shape of the rows and take no memory.
        rows: Any = np.broadcast_to(np.float32(0.0), shape)
        if self.data.form == "sparse":
            rows = sp.coo_matrix(shape, dtype=np.float32)
        chosen = resolve_searcher(self.searcher, rows)
        if isinstance(chosen, FaissSearcher) and chosen.compares_all(self.n_samples, self.degree):
            return ExactSearcher()
        return chosen

    @cached_property
    def n_hops(self) -> int:
        """Steps in the graph within which samples count as similar."""
        return self.options.n_hops or count_hops(
            self.n_samples, self.problem.n_clusters, self.degree
        )

    @property
    def near_hops(self) -> int:
        """Steps of the shorter half-walk."""
        return self.n_hops // 2

    @property
    def far_hops(self) -> int:
        """Steps of the longer half-walk."""
        return self.n_hops - self.near_hops

    def reach(self, n_hops: int) -> float:
        """Count the samples within some hops of a typical one, itself included.

        This depends on the data. Measured with 5, 10 and 20 neighbors on eight sets of images,
        texts and mixtures: one hop reaches 1.6 k samples (1.4 to 1.8), the second multiplies that
        by 2.7 sqrt(k) (from half to 1.3 times as much), each further one by 1.5 sqrt(k), until all
        samples are reached.
        """
        root = math.sqrt(self.degree)
        reached = 1.6 * self.degree
        if n_hops > 1:
            reached *= 2.7 * root * (1.5 * root) ** (n_hops - 2)
        return -self.n_samples * math.expm1(-reached / self.n_samples)

    def stored_hops(self, n_hops: int) -> int:
        """Count the hops for which lists are stored; more are walked when they are needed."""
        stored = 1
        while stored < n_hops and 4 * self.n_samples * self.reach(stored + 1) <= STORED_BYTES:
            stored += 1
        return stored

    @cached_property
    def plan(self) -> DealPlan:
        """Pools and batches, as the solver plans them."""
        batch_size = self.problem.samples_per_batch(self.n_samples)
        hops = _TypicalHops(self.n_samples, self.reach(self.n_hops))
        return plan_deal(cast("HopGraph", hops), batch_size, self.options)

    @property
    def pool_size(self) -> float:
        """Samples in a pool."""
        return self.n_samples / self.plan.n_pools

    @property
    def n_deals(self) -> int:
        """How often pools are dealt."""
        return -(-self.problem.max_iter // self.plan.n_epochs)

    @property
    def n_search_jobs(self) -> int:
        """Threads a search can use: each takes a block of rows."""
        return min(self.n_jobs, -(-self.n_samples // BLOCK_ROWS))

    @property
    def n_solver_jobs(self) -> int:
        """Threads the solver can use."""
        return min(self.n_jobs, self.plan.n_round_batches)

    def resized(self, n_samples: int) -> Workload:
        """Return the same fit of more or fewer samples."""
        return replace(self, data=self.data.resized(n_samples))


@dataclass(frozen=True)
class _TypicalHops:
    """Stands in for a hop graph where the solver asks how many samples are within reach."""

    n_samples: int
    reach: float

    def neighbors_within(self, members: AnyArray) -> tuple[None, AnyArray]:
        """Return an array of the right size that takes no memory."""
        n_found = self.reach * members.size / self.n_samples
        return None, np.broadcast_to(np.uint32(0), (round(n_found * members.size),))


def _is_memory_map(X: Any) -> bool:
    """Tell whether an array, or what it is a view of, is a memory map."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return True
        X = X.base
    return False
