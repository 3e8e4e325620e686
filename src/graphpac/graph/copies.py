"""Rows that repeat: found in one pass, searched once, and one sample to the solver.

A graph of the nearest rows says little where rows repeat: the copies of a row are its nearest, so
groups of copies lose touch with all others, and rows at the same distance all point at the same
few. Neighbors are therefore searched among *originals*, the first row of each kind, and copies
share what was found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from graphpac._threads import map_in_threads
from graphpac._typing import AnyArray, BoolVector, FloatVector, IntVector, OffsetVector
from graphpac.graph.graph_checks import LARGER_IS_NEARER
from graphpac.graph.lists import Lists, lists_of
from graphpac.graph.neighbor_graph import NeighborGraph
from graphpac.graph.rows import Rows, csr_arrays
from graphpac.kernels.copied_lists import CopyGroups, ValuedLists, spread_lists
from graphpac.kernels.row_hashes import (
    hash_rows,
    hash_sparse_rows,
    rows_equal,
    sparse_rows_equal,
)

_BLOCK_ROWS = 8192
_SEED = 0  # of the factors of hashes: they decide which comparisons are made, not their outcome


@dataclass(frozen=True, slots=True)
class Copies:
    """Which samples are equal: sample i equals sample ``originals[numbers[i]]``, the first such."""

    originals: IntVector
    numbers: IntVector

    @classmethod
    def of(cls, copy_of: IntVector) -> Copies:
        """Make it of the first sample that equals each."""
        is_original = copy_of == np.arange(copy_of.size)
        numbers = (np.cumsum(is_original) - 1)[copy_of]
        return cls(np.flatnonzero(is_original).astype(np.int32), numbers.astype(np.int32))

    @property
    def copy_of(self) -> IntVector:
        """The first sample that equals each."""
        return self.originals[self.numbers]

    @property
    def counts(self) -> AnyArray:
        """Number of samples that equal each original, itself counted."""
        return np.bincount(self.numbers, minlength=self.originals.size)


class KnownRows:
    """Rows that can be asked which of them equals a given one."""

    def __init__(self, rows: Rows, n_jobs: int) -> None:
        self._rows = rows
        self._n_jobs = n_jobs
        hashes = _hash(rows, n_jobs)
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]

    def copies(self) -> Copies | None:
        """Find the rows that repeat; None where none does."""
        begins = np.concatenate(([True], self._hashes[1:] != self._hashes[:-1]))
        if begins.all():
            return None
        firsts = self._order[begins][np.cumsum(begins) - 1]
        later, first = self._order[~begins], firsts[~begins]
        # A row that only shares the hash of another passes for an original: no harm is done.
        same = _are_equal(self._rows, later, self._rows, first)
        copy_of: IntVector = np.arange(self._order.size, dtype=np.int32)
        copy_of[later[same]] = first[same]
        return Copies.of(copy_of)

    def find(self, queries: Rows) -> IntVector:
        """Return the row that equals each query, the first of equals, -1 where none does."""
        hashes = _hash(queries, self._n_jobs)
        places = np.minimum(np.searchsorted(self._hashes, hashes), self._hashes.size - 1)
        found = self._order[places]
        candidates = np.flatnonzero(self._hashes[places] == hashes)
        same = _are_equal(queries, candidates, self._rows, found[candidates])
        numbers: IntVector = np.full(hashes.size, -1, dtype=np.int32)
        numbers[candidates[same]] = found[candidates[same]]
        return numbers


def find_copies(rows: Rows, n_jobs: int = 1) -> Copies | None:
    """Find the rows that repeat; None where none does."""
    return KnownRows(rows, n_jobs).copies()


def keep_originals(rows: Rows, copies: Copies | None) -> Rows:
    """Return the originals among rows, moved up inside the array that is given: it is used up."""
    if copies is None:
        return rows
    originals = copies.originals
    if sp.issparse(rows):
        return rows[originals]
    for start in range(0, originals.size, _BLOCK_ROWS):
        # No original comes before its number, so what is still to be moved is never overwritten.
        block = originals[start : start + _BLOCK_ROWS]
        rows[start : start + block.size] = rows[block]
    return rows[: originals.size]


def spread_over_copies(
    graph: NeighborGraph, copies: Copies, own_values: FloatVector, n_links: int, n_neighbors: int
) -> NeighborGraph:
    """Give every sample the neighbors of its original, and links to its own copies.

    ``own_values`` are what originals are to their copies, in terms of the graph. A sample has
    ``n_links`` to its copies, as far as there are so many, and more where its original has fewer
    than ``n_neighbors``.
    """
    counts = copies.counts
    begins: OffsetVector = np.concatenate(([0], np.cumsum(counts)))
    samples = np.argsort(copies.numbers, kind="stable").astype(np.int32)
    ranks: IntVector = np.empty_like(samples)
    ranks[samples] = np.arange(samples.size) - np.repeat(begins[:-1], counts)
    n_own = np.minimum(counts - 1, np.maximum(n_links, n_neighbors - graph.degrees))
    indptr: OffsetVector = np.zeros(samples.size + 1, dtype=np.int64)
    np.cumsum((graph.degrees + n_own)[copies.numbers], out=indptr[1:])
    indices: IntVector = np.empty(indptr[-1], dtype=np.int32)
    values: FloatVector = np.empty(indptr[-1], dtype=np.float32)
    spread_lists(
        CopyGroups(copies.numbers, ranks, begins, samples),
        ValuedLists(graph.indptr, graph.indices, graph.values),
        own_values,
        graph.kind in LARGER_IS_NEARER,
        ValuedLists(indptr, indices, values),
    )
    return NeighborGraph(indptr, indices, values, graph.kind, copies.copy_of)


def merge_copies(graph: NeighborGraph) -> tuple[NeighborGraph, Copies]:
    """Return the graph of the originals, and which samples each of them stands for.

    A copy has the neighbors of its original, so the list of one tells all.
    """
    if graph.copy_of is None:
        everyone = np.arange(graph.n_samples, dtype=np.int32)
        return graph, Copies(everyone, everyone)
    copies = Copies.of(graph.copy_of)
    lists, places = lists_of(Lists(graph.indptr, graph.indices), copies.originals)
    n_originals = copies.originals.size
    sources = np.repeat(np.arange(n_originals), np.diff(lists.indptr))
    targets = copies.numbers[lists.indices]
    others = targets != sources
    indptr: OffsetVector = np.zeros(n_originals + 1, dtype=np.int64)
    np.cumsum(np.bincount(sources[others], minlength=n_originals), out=indptr[1:])
    merged = NeighborGraph(indptr, targets[others], graph.values[places[others]], graph.kind)
    return merged, copies


def _hash(rows: Rows, n_jobs: int) -> AnyArray:
    drawn = np.random.default_rng(_SEED).integers(1 << 63, size=rows.shape[1], dtype=np.uint64)
    factors: AnyArray = np.bitwise_or(drawn << np.uint64(1), np.uint64(1))  # odd: no bit is lost
    hashes = np.empty(rows.shape[0], dtype=np.uint64)

    def fill(start: int) -> None:
        some = slice(start, start + _BLOCK_ROWS)
        if sp.issparse(rows):
            indptr, indices, data = csr_arrays(rows[some])
            hash_sparse_rows(indptr, indices, data.view(np.uint32), factors, hashes[some])
        else:
            hash_rows(rows[some].view(np.uint32), factors, hashes[some])

    map_in_threads(fill, range(0, rows.shape[0], _BLOCK_ROWS), n_jobs)
    return hashes


def _are_equal(a: Rows, a_numbers: AnyArray, b: Rows, b_numbers: AnyArray) -> BoolVector:
    same = np.empty(a_numbers.size, dtype=np.bool_)
    if sp.issparse(a):
        sparse_rows_equal(*csr_arrays(a), a_numbers, *csr_arrays(b), b_numbers, same)
    else:
        rows_equal(a, a_numbers, b, b_numbers, same)
    return same
