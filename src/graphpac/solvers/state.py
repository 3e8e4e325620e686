"""Memberships and hard labels of all samples during a run, in one of two forms.

Up to `DENSE_CLUSTERS` a row is kept whole, beyond only its largest entries. Both forms hold what is
read and what is being written apart, so that batches may run side by side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, FloatMatrix, IntMatrix, IntVector
from graphpac.kernels.batches import LocalGraph, Pool, Rule
from graphpac.kernels.dense_sweep import LANES, sweep_dense_batch
from graphpac.kernels.powers import NEGLIGIBLE
from graphpac.kernels.rows import copy_rows, find_largest
from graphpac.kernels.sparse_sweep import sweep_sparse_batch
from graphpac.solvers.options import DENSE_CLUSTERS, Problem, SolverOptions
from graphpac.solvers.start import Start

MOST_ENTRIES = 256  # a row never grows beyond; what is dropped then is told and no more
MOST_DROPPED = 1e-2  # mean share of a row that may be dropped before more entries are kept


class State(ABC):
    """What both forms share."""

    changing: ClassVar[tuple[str, ...]]  # arrays that have a twin, next_..., to be written

    def __init__(self, labels: IntVector, n_clusters: int) -> None:
        self.n_clusters = n_clusters
        self.labels = labels.astype(np.int32)
        self.next_labels = self.labels.copy()

    @property
    @abstractmethod
    def width(self) -> int:
        """Length of a row of totals."""

    @abstractmethod
    def sweep(
        self,
        pool: Pool,
        seats: IntVector,
        batch: IntVector,
        local: LocalGraph,
        rule: Rule,
        outside: AnyArray,
    ) -> tuple[float, float]:
        """Update one batch; return the summed change and the summed dropped mass of its rows."""

    @abstractmethod
    def soft_totals(self, samples: AnyArray) -> AnyArray:
        """Sum of the memberships of some samples, shape (width,)."""

    @abstractmethod
    def largest(self) -> IntVector:
        """Cluster of the largest membership of every sample."""

    @abstractmethod
    def to_csr(self) -> sp.csr_matrix:
        """Memberships as a matrix, rows summing to one."""

    @abstractmethod
    def publish(self, samples: IntVector) -> None:
        """Let what was written for some samples be read from now on."""

    @abstractmethod
    def make_room(self, dropped_mass: float) -> None:
        """Keep more of each row when too much of it was dropped."""

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes in a run, as it is between two iterations; not copied."""
        return {name: getattr(self, name) for name in self.changing}

    def restore(self, arrays: dict[str, AnyArray]) -> None:
        """Go back to what `arrays` returned, and take the arrays over."""
        for name in self.changing:
            setattr(self, name, arrays[name])
            setattr(self, f"next_{name}", arrays[name].copy())

    def totals(self, samples: AnyArray) -> AnyArray:
        """Soft and hard totals of some samples, shape (2, width)."""
        labels = self.labels[samples]
        hard = np.bincount(labels[labels >= 0], minlength=self.width)
        return np.stack((self.soft_totals(samples), hard))


class DenseState(State):
    """Whole rows, padded to a number of clusters that suits vector instructions."""

    changing = ("labels", "rows")

    def __init__(self, start: Start, n_clusters: int) -> None:
        super().__init__(start.hard_labels, n_clusters)
        shape = (start.hard_labels.size, dense_width(n_clusters))
        self.rows: FloatMatrix = np.zeros(shape, dtype=np.float32)
        if start.memberships is None:
            self.rows[:, :n_clusters] = 1.0 / n_clusters
        else:
            self.rows[:, :n_clusters] = start.memberships.toarray()
        self.next_rows = self.rows.copy()

    @property
    def width(self) -> int:
        """Length of a row of totals."""
        return int(self.rows.shape[1])

    def sweep(
        self,
        pool: Pool,
        seats: IntVector,
        batch: IntVector,
        local: LocalGraph,
        rule: Rule,
        outside: AnyArray,
    ) -> tuple[float, float]:
        """Update one batch; see `State.sweep`."""
        change = sweep_dense_batch(
            pool,
            seats,
            batch,
            local,
            rule,
            outside,
            (0,) * self.width,
            self.rows,
            self.labels,
            self.next_rows,
            self.next_labels,
        )
        return change, 0.0

    def soft_totals(self, samples: AnyArray) -> AnyArray:
        """Sum the memberships of some samples."""
        totals: AnyArray = self.rows[samples].sum(axis=0, dtype=np.float64)
        return totals

    def largest(self) -> IntVector:
        """Cluster of the largest membership of every sample."""
        best: IntVector = np.empty(self.labels.size, dtype=np.int32)
        find_largest(self.rows, best)
        return best

    def to_csr(self) -> sp.csr_matrix:
        """Memberships as a matrix."""
        rows = self.rows[:, : self.n_clusters]
        return _normalized(sp.csr_matrix(np.where(rows >= NEGLIGIBLE, rows, np.float32(0.0))))

    def make_room(self, dropped_mass: float) -> None:
        """Do nothing: whole rows drop nothing."""

    def publish(self, samples: IntVector) -> None:
        """Let what was written be read."""
        copy_rows(self.next_rows, samples, self.rows)
        self.labels[samples] = self.next_labels[samples]


class SparseState(State):
    """The largest entries of each row: cluster numbers and memberships, largest first."""

    changing = ("labels", "clusters", "values")

    def __init__(self, start: Start, n_clusters: int, *, n_entries: int, grow: bool) -> None:
        super().__init__(start.hard_labels, n_clusters)
        self.grow = grow
        shape = (start.hard_labels.size, min(n_entries, n_clusters))
        self.clusters: IntMatrix = np.zeros(shape, dtype=np.int32)
        self.values: FloatMatrix = np.zeros(shape, dtype=np.float32)
        if start.memberships is not None:
            self._take(start.memberships)
        self.next_clusters = self.clusters.copy()
        self.next_values = self.values.copy()

    def _take(self, memberships: sp.csr_matrix) -> None:
        """Copy the largest entries of given memberships."""
        for i in range(memberships.shape[0]):
            row = slice(memberships.indptr[i], memberships.indptr[i + 1])
            values, clusters = memberships.data[row], memberships.indices[row]
            best = np.lexsort((clusters, -values))[: self.values.shape[1]]
            self.clusters[i, : best.size] = clusters[best]
            self.values[i, : best.size] = values[best] / values[best].sum()

    @property
    def width(self) -> int:
        """Length of a row of totals."""
        return self.n_clusters

    def sweep(
        self,
        pool: Pool,
        seats: IntVector,
        batch: IntVector,
        local: LocalGraph,
        rule: Rule,
        outside: AnyArray,
    ) -> tuple[float, float]:
        """Update one batch; see `State.sweep`."""
        return sweep_sparse_batch(
            pool,
            seats,
            batch,
            local,
            rule,
            outside,
            self.clusters,
            self.values,
            self.labels,
            self.next_clusters,
            self.next_values,
            self.next_labels,
        )

    def soft_totals(self, samples: AnyArray) -> AnyArray:
        """Sum the memberships of some samples."""
        clusters, values = self.clusters[samples].ravel(), self.values[samples].ravel()
        totals: AnyArray = np.bincount(clusters, weights=values, minlength=self.n_clusters)
        n_uniform = np.count_nonzero(self.values[samples, 0] == 0.0)
        return totals + n_uniform / self.n_clusters

    def largest(self) -> IntVector:
        """Cluster of the largest membership of every sample."""
        return self.clusters[:, 0].copy()

    def to_csr(self) -> sp.csr_matrix:
        """Memberships as a matrix."""
        n_samples = self.values.shape[0]
        used = self.values > 0.0
        indptr = np.zeros(n_samples + 1, dtype=np.int64)
        np.cumsum(used.sum(axis=1), out=indptr[1:])
        shape = (n_samples, self.n_clusters)
        matrix = sp.csr_matrix((self.values[used], self.clusters[used], indptr), shape=shape)
        matrix.sort_indices()
        return _normalized(matrix)

    def publish(self, samples: IntVector) -> None:
        """Let what was written be read."""
        copy_rows(self.next_clusters, samples, self.clusters)
        copy_rows(self.next_values, samples, self.values)
        self.labels[samples] = self.next_labels[samples]

    def make_room(self, dropped_mass: float) -> None:
        """Double the entries a row when too much was dropped."""
        n_entries = self.values.shape[1]
        more = min(n_entries, min(self.n_clusters, MOST_ENTRIES) - n_entries)
        if not self.grow or dropped_mass <= MOST_DROPPED or more <= 0:
            return
        self.clusters = np.pad(self.clusters, ((0, 0), (0, more)))
        self.values = np.pad(self.values, ((0, 0), (0, more)))
        self.next_clusters = self.clusters.copy()
        self.next_values = self.values.copy()


def make_state(start: Start, problem: Problem, options: SolverOptions) -> State:
    """Choose the form by the number of clusters and fill it with the start."""
    if not options.auxiliary and start.memberships is None and start.hard_labels.min() >= 0:
        # Uniform memberships are a fixed point that only V leads away from: P takes its place.
        start = Start(start.hard_labels, _one_hot(start.hard_labels, problem.n_clusters))
    if problem.n_clusters <= DENSE_CLUSTERS:
        return DenseState(start, problem.n_clusters)
    n_entries = entries_per_row(problem, options)
    return SparseState(
        start, problem.n_clusters, n_entries=n_entries, grow=options.max_entries is None
    )


def dense_width(n_clusters: int) -> int:
    """Count the entries of a whole row: a multiple of what vector instructions take at once."""
    return -(-n_clusters // LANES) * LANES


def entries_per_row(problem: Problem, options: SolverOptions) -> int:
    """Count the memberships a sparse row keeps at first.

    Memberships fall off as s^(-1/(m-1)): the larger m, the more of them matter.
    """
    n_entries = options.max_entries or (16 if problem.fuzziness <= 1.1 else 64)
    return min(n_entries, problem.n_clusters)


def _one_hot(labels: IntVector, n_clusters: int) -> sp.csr_matrix:
    n_samples = labels.size
    ones = np.ones(n_samples, dtype=np.float32)
    return sp.csr_matrix((ones, labels, np.arange(n_samples + 1)), (n_samples, n_clusters))


def _normalized(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """Scale rows to sum to one in float32; summed in float64, in the order of the entries."""
    counts = np.diff(matrix.indptr)
    sums = np.add.reduceat(matrix.data, matrix.indptr[:-1], dtype=np.float64)
    matrix.data = (matrix.data / np.repeat(sums, counts)).astype(np.float32)
    return matrix
