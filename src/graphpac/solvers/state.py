"""Memberships and hard labels of all samples during a run, in one of two forms.

Up to `DENSE_CLUSTERS` a row is kept whole, beyond only its largest entries. A state changes only by
the updates that are applied to it: batches may be swept side by side, anywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, IntVector
from graphpac.kernels.batches import Assignment, BatchUpdate, DenseAssignment, SparseAssignment
from graphpac.kernels.dense_sweep import LANES
from graphpac.kernels.powers import NEGLIGIBLE
from graphpac.kernels.rows import find_largest
from graphpac.solvers.memberships import (
    certain_memberships,
    csr_of_entries,
    largest_entries,
    normalized,
)
from graphpac.solvers.options import DENSE_CLUSTERS, Problem, SolverOptions
from graphpac.solvers.start import Start

MOST_ENTRIES = 256  # a row never grows beyond; what is dropped then is told and no more
CACHED_ROWS = 1 << 14  # sparse rows of so many samples are found in a cache of 2 MB
MOST_DROPPED = 1e-2  # mean share of a row that may be dropped before more entries are kept


class State(ABC, Generic[Assignment]):
    """What both forms share."""

    def __init__(self, assignment: Assignment, n_clusters: int) -> None:
        self.assignment: Assignment = assignment
        self.n_clusters = n_clusters

    @property
    @abstractmethod
    def width(self) -> int:
        """Length of a row of totals."""

    @abstractmethod
    def soft_totals(self, samples: AnyArray | slice) -> AnyArray:
        """Sum of the memberships of some samples, shape (width,)."""

    @abstractmethod
    def largest(self) -> IntVector:
        """Cluster of the largest membership of every sample."""

    @abstractmethod
    def to_csr(self) -> sp.csr_matrix:
        """Memberships as a matrix, rows summing to one."""

    @abstractmethod
    def make_room(self, dropped_mass: float) -> None:
        """Keep more of each row when too much of it was dropped."""

    def apply(self, update: BatchUpdate[Assignment]) -> None:
        """Take over what a sweep found for the samples of a batch."""
        for found, kept in zip(update.assignment, self.assignment, strict=True):
            kept[update.samples] = found

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes in a run, as it is between two iterations; not copied."""
        return dict(zip(self.assignment._fields, self.assignment, strict=True))

    def restore(self, arrays: dict[str, AnyArray]) -> None:
        """Go back to what `arrays` returned, and take the arrays over."""
        self.assignment = type(self.assignment)(**arrays)

    def totals(self, samples: AnyArray | slice) -> AnyArray:
        """Soft and hard totals of some samples, shape (2, width)."""
        labels = self.assignment.labels[samples]
        hard = np.bincount(labels[labels >= 0], minlength=self.width)
        return np.stack((self.soft_totals(samples), hard))


class DenseState(State[DenseAssignment]):
    """Whole rows, padded to a number of clusters that suits vector instructions."""

    def __init__(self, start: Start, n_clusters: int) -> None:
        shape = (start.hard_labels.size, dense_width(n_clusters))
        rows = np.zeros(shape, dtype=np.float32)
        if start.memberships is None:
            rows[:, :n_clusters] = 1.0 / n_clusters
        else:
            rows[:, :n_clusters] = start.memberships.toarray()
        super().__init__(DenseAssignment(start.hard_labels.astype(np.int32), rows), n_clusters)

    @property
    def width(self) -> int:
        """Length of a row of totals."""
        return int(self.assignment.rows.shape[1])

    def soft_totals(self, samples: AnyArray | slice) -> AnyArray:
        """Sum the memberships of some samples."""
        totals: AnyArray = self.assignment.rows[samples].sum(axis=0, dtype=np.float64)
        return totals

    def largest(self) -> IntVector:
        """Cluster of the largest membership of every sample."""
        best: IntVector = np.empty(self.assignment.labels.size, dtype=np.int32)
        find_largest(self.assignment.rows, best)
        return best

    def to_csr(self) -> sp.csr_matrix:
        """Memberships as a matrix."""
        rows = self.assignment.rows[:, : self.n_clusters]
        return normalized(sp.csr_matrix(np.where(rows >= NEGLIGIBLE, rows, np.float32(0.0))))

    def make_room(self, dropped_mass: float) -> None:
        """Do nothing: whole rows drop nothing."""


class SparseState(State[SparseAssignment]):
    """The largest entries of each row: cluster numbers and memberships, largest first.

    ``most_dropped`` is the mean share of a row above which its entries are doubled.
    """

    def __init__(
        self, start: Start, n_clusters: int, *, n_entries: int, most_dropped: float
    ) -> None:
        self.most_dropped = most_dropped
        shape = (start.hard_labels.size, min(n_entries, n_clusters))
        if start.memberships is None:
            clusters, values = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.float32)
        else:
            clusters, values = largest_entries(start.memberships, shape[1])
        labels = start.hard_labels.astype(np.int32)
        super().__init__(SparseAssignment(labels, clusters, values), n_clusters)

    @property
    def width(self) -> int:
        """Length of a row of totals."""
        return self.n_clusters

    def soft_totals(self, samples: AnyArray | slice) -> AnyArray:
        """Sum the memberships of some samples."""
        clusters = self.assignment.clusters[samples].ravel()
        values = self.assignment.values[samples]
        totals: AnyArray = np.bincount(clusters, weights=values.ravel(), minlength=self.n_clusters)
        return totals + np.count_nonzero(values[:, 0] == 0.0) / self.n_clusters

    def largest(self) -> IntVector:
        """Cluster of the largest membership of every sample."""
        best: IntVector = self.assignment.clusters[:, 0].copy()
        return best

    def to_csr(self) -> sp.csr_matrix:
        """Memberships as a matrix."""
        return csr_of_entries(self.assignment.clusters, self.assignment.values, self.n_clusters)

    def make_room(self, dropped_mass: float) -> None:
        """Double the entries a row when too much was dropped."""
        labels, clusters, values = self.assignment
        n_entries = values.shape[1]
        more = min(n_entries, min(self.n_clusters, MOST_ENTRIES) - n_entries)
        if dropped_mass > self.most_dropped and more > 0:
            wider = ((0, 0), (0, more))
            self.assignment = SparseAssignment(
                labels, np.pad(clusters, wider), np.pad(values, wider)
            )


def make_state(
    start: Start,
    problem: Problem,
    options: SolverOptions,
    *,
    dense_clusters: int = DENSE_CLUSTERS,
    most_dropped: float = MOST_DROPPED,
) -> DenseState | SparseState:
    """Choose the form by the number of clusters and fill it with the start."""
    if not options.auxiliary and start.memberships is None and start.hard_labels.min() >= 0:
        # Uniform memberships are a fixed point that only V leads away from: P takes its place.
        start = Start(start.hard_labels, certain_memberships(start.hard_labels, problem.n_clusters))
    if problem.n_clusters <= dense_clusters:
        return DenseState(start, problem.n_clusters)
    return SparseState(
        start,
        problem.n_clusters,
        n_entries=entries_per_row(problem, options),
        most_dropped=most_dropped if options.max_entries is None else np.inf,
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


def kept_memberships(problem: Problem, options: SolverOptions) -> int:
    """Count the memberships kept of a sample, in the form `make_state` chooses."""
    is_dense = problem.n_clusters <= DENSE_CLUSTERS
    return problem.n_clusters if is_dense else entries_per_row(problem, options)


def row_bytes(problem: Problem, options: SolverOptions) -> float:
    """Bytes of a sample's row and label, in the form `make_state` chooses."""
    if problem.n_clusters <= DENSE_CLUSTERS:
        return 4.0 * dense_width(problem.n_clusters) + 4
    return 8.0 * entries_per_row(problem, options) + 4  # a number beside each membership


def update_nanoseconds(
    n_clusters: int, batch_size: int, *, n_listed: float, n_in_batch: float, n_neighbors: float
) -> float:
    """Nanoseconds to update a sample once.

    Parameters
    ----------
    n_clusters, batch_size : int
        They decide the form, and whether the rows of a batch stay in the cache.
    n_listed, n_in_batch : float
        How many a sample reaches in its pool, which are looked through, and in its batch.
    n_neighbors : float
        How many its local average is of.
    """
    if n_clusters <= DENSE_CLUSTERS:
        n_vectors = dense_width(n_clusters) // LANES
        return 300 + n_listed + n_vectors * (100 + 8 * n_in_batch + 5 * n_neighbors)
    look, average = (20, 150) if batch_size <= CACHED_ROWS else (45, 250)
    return 2500 + n_listed + look * n_in_batch + average * n_neighbors + 3.5 * n_clusters
