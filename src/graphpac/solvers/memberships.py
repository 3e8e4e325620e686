"""Memberships as sparse rows that sum to one: made, summed, averaged and read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, FloatMatrix, FloatVector, IntMatrix, IntVector
from graphpac.kernels.powers import NEGLIGIBLE
from graphpac.solvers.row_blocks import block_slices

_BLOCK_ROWS = 1 << 17


def power_memberships(scores: AnyArray, fuzziness: float) -> AnyArray:
    """Memberships p_il ~ s_il^(-1/(m-1)), which make sum_l p_l^m s_l least on the simplex.

    Parameters
    ----------
    scores : float64 array of shape (n_rows, n_clusters)
        Not negative. Where some scores of a row are zero, these clusters share the row equally.
    fuzziness : float
        The exponent m, above 1.

    Returns
    -------
    memberships : float64 array of shape (n_rows, n_clusters)
        Rows sum to one.
    """
    exponent = 1.0 / (fuzziness - 1.0)
    with np.errstate(divide="ignore"):
        logs = -exponent * np.log(scores)  # inf where a score is zero
    logs -= np.minimum(logs.max(axis=1, keepdims=True), np.finfo(np.float64).max)
    # What is still infinite stands for a score of zero: beside it all others vanish.
    certain = np.isinf(logs) & (logs > 0.0)
    exact = certain.any(axis=1)
    logs[exact] = np.where(certain[exact], 0.0, -np.inf)
    shares: AnyArray = np.exp(logs)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def sparse_memberships(dense: AnyArray) -> sp.csr_matrix:
    """Keep what is not negligible of each row, as float32; rows sum to one again."""
    blocks = [_sparse_block(dense[block]) for block in block_slices(*dense.shape)]
    return blocks[0] if len(blocks) == 1 else sp.vstack(blocks, format="csr")


def _sparse_block(dense: AnyArray) -> sp.csr_matrix:
    rows, columns = np.nonzero(dense >= NEGLIGIBLE)
    indptr = np.zeros(dense.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=dense.shape[0]), out=indptr[1:])
    kept = dense[rows, columns].astype(np.float64)
    return normalized(sp.csr_matrix((kept, columns.astype(np.int32), indptr), dense.shape))


def normalized(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """Scale rows to sum to one in float32, in place; summed in float64, in the order of entries."""
    sums = np.add.reduceat(matrix.data, matrix.indptr[:-1], dtype=np.float64)
    matrix.data = (matrix.data / np.repeat(sums, np.diff(matrix.indptr))).astype(np.float32)
    return matrix


def certain_memberships(labels: AnyArray, n_clusters: int) -> sp.csr_matrix:
    """Give every sample the membership one in the cluster of its label."""
    n_samples = labels.size
    ones = np.ones(n_samples, dtype=np.float32)
    columns = labels.astype(np.int32)
    return sp.csr_matrix((ones, columns, np.arange(n_samples + 1)), (n_samples, n_clusters))


def members_of(labels: AnyArray, n_clusters: int) -> sp.csr_matrix:
    """Make a matrix whose product with rows sums those of each label: (n_clusters, n_samples)."""
    shape = (n_clusters, labels.size)
    return sp.csr_matrix((np.ones(labels.size), (labels, np.arange(labels.size))), shape)


def largest_membership(memberships: sp.csr_matrix) -> tuple[IntVector, FloatVector]:
    """Return the cluster of the largest membership of each row, the first of equals, and its size.

    Every row must hold at least one entry, and clusters must ascend in a row.
    """
    starts = memberships.indptr[:-1]
    peaks: FloatVector = np.maximum.reduceat(memberships.data, starts)
    at_peak = np.flatnonzero(memberships.data == np.repeat(peaks, np.diff(memberships.indptr)))
    firsts = at_peak[np.searchsorted(at_peak, starts)]
    return memberships.indices[firsts].astype(np.int32), peaks


def largest_entries(memberships: sp.csr_matrix, n_entries: int) -> tuple[IntMatrix, FloatMatrix]:
    """Return the largest entries of each row, clusters and values, scaled to sum to one.

    Memberships are float32. The largest come first, of equals the lower cluster; zeros fill
    shorter rows.
    """
    memberships = memberships.sorted_indices()
    counts = np.diff(memberships.indptr)
    rows = np.repeat(np.arange(counts.size), counts)
    # Bits of positive floats rise with them: one stable sort by row and falling value.
    falling = np.uint32(0xFFFFFFFF) - memberships.data.view(np.uint32)
    order = np.argsort((rows.astype(np.uint64) << np.uint64(32)) | falling, kind="stable")
    ranks = np.arange(rows.size) - np.repeat(memberships.indptr[:-1], counts)
    kept = ranks < n_entries
    entries = rows[kept], ranks[kept]
    clusters = np.zeros((counts.size, n_entries), dtype=np.int32)
    values = np.zeros((counts.size, n_entries), dtype=np.float32)
    clusters[entries] = memberships.indices[order[kept]]
    values[entries] = memberships.data[order[kept]]
    for count in np.unique(np.minimum(counts, n_entries)):  # rows of one length are summed alike
        alike = np.flatnonzero(np.minimum(counts, n_entries) == count)
        shares = values[alike, :count]
        values[alike, :count] = shares / shares.sum(axis=1, keepdims=True)
    return clusters, values


def csr_of_entries(clusters: IntMatrix, values: FloatMatrix, n_clusters: int) -> sp.csr_matrix:
    """Make a matrix of lists of entries, zeros where unused; rows sum to one, clusters ascend."""
    used = values > 0.0
    indptr = np.zeros(values.shape[0] + 1, dtype=np.int64)
    np.cumsum(used.sum(axis=1), out=indptr[1:])
    shape = (values.shape[0], n_clusters)
    matrix = sp.csr_matrix((values[used], clusters[used], indptr), shape=shape)
    matrix.sort_indices()
    return normalized(matrix)


def average_memberships(
    indices: IntMatrix, weights: FloatMatrix, memberships: sp.csr_matrix
) -> sp.csr_matrix:
    """Average the memberships of each row's neighbors; a row without neighbors is uniform.

    Parameters
    ----------
    indices : int32 array of shape (n_queries, n_neighbors)
        Fitted samples, -1 for none.
    weights : float32 array of shape (n_queries, n_neighbors)
        Row-normalized weights, ignored where there is no neighbor.
    memberships : CSR matrix of shape (n_samples, n_clusters)

    Returns
    -------
    memberships : float32 CSR matrix of shape (n_queries, n_clusters)
        Rows sum to one.
    """
    n_queries = indices.shape[0]
    n_samples, n_clusters = memberships.shape
    found = (indices >= 0) & (weights > 0.0)
    indptr = np.concatenate(([0], np.cumsum(found.sum(axis=1))))
    shape = (n_queries, n_samples)
    shares = sp.csr_matrix((weights[found].astype(np.float64), indices[found], indptr), shape)
    averages = sp.csr_matrix(shares @ memberships)
    averages.sort_indices()
    alone = ~found.any(axis=1)
    if alone.any():
        uniform = sp.csr_matrix(np.outer(alone, np.full(n_clusters, 1.0 / n_clusters)))
        averages = sp.csr_matrix(averages + uniform)
    sums = np.asarray(averages.sum(axis=1)).ravel()
    averages.data /= np.repeat(sums, np.diff(averages.indptr))
    return averages.astype(np.float32)


class TopMemberships(NamedTuple):
    """The largest memberships of each row in descending order, and the clusters they are in.

    A row with fewer entries than columns ends in memberships of zero, whose clusters mean nothing.
    """

    clusters: AnyArray
    values: AnyArray

    @property
    def lead(self) -> AnyArray:
        """How far the best cluster of each row is ahead of the second best."""
        first: AnyArray = self.values[:, 0]
        return first - self.values[:, 1] if self.values.shape[1] > 1 else first.copy()


def top_memberships(
    memberships: sp.csr_matrix, n_top: int, *, block_rows: int = _BLOCK_ROWS
) -> TopMemberships:
    """Find the largest memberships of each row; of equals the first cluster comes first.

    Parameters
    ----------
    memberships : CSR matrix of shape (n_rows, n_clusters)
        Every row holds at least one entry, clusters ascend in a row.
    n_top : int
        How many of each row, at most n_clusters.
    block_rows : int
        How many rows are copied at a time.
    """
    n_rows = memberships.shape[0]
    clusters = np.empty((n_rows, n_top), dtype=np.int32)
    values = np.empty((n_rows, n_top), dtype=np.float32)
    for rows in _blocks(n_rows, block_rows):
        block = memberships[rows]
        left = block.data.copy()
        starts, counts = block.indptr[:-1], np.diff(block.indptr)
        for rank in range(n_top):
            peaks = np.maximum.reduceat(left, starts)
            at_peak = np.flatnonzero(left == np.repeat(peaks, counts))
            firsts = at_peak[np.searchsorted(at_peak, starts)]
            clusters[rows, rank] = block.indices[firsts]
            values[rows, rank] = np.maximum(peaks, 0.0)
            left[firsts] = -1.0
    return TopMemberships(clusters, values)


def shared_membership(memberships: sp.csr_matrix) -> sp.csr_array:
    """Divide the membership of an average member of each cluster among all clusters.

    Entry (a, b) is sum_i p_ia p_ib / sum_i p_ia, so that every row sums to one: the diagonal is
    what a cluster has for itself, the rest what it shares. A cluster without members has an empty
    row.

    Parameters
    ----------
    memberships : CSR matrix of shape (n_rows, n_clusters)
        Rows sum to one.
    """
    n_clusters = memberships.shape[1]
    together = sp.csr_array((n_clusters, n_clusters), dtype=np.float64)
    masses = np.zeros(n_clusters)
    for rows in _blocks(memberships.shape[0]):
        block = sp.csr_array(memberships[rows], dtype=np.float64)
        together = together + block.T @ block
        masses += block.sum(axis=0)
    scales = np.divide(1.0, masses, out=np.zeros(n_clusters), where=masses > 0.0)
    return sp.csr_array(sp.diags_array(scales) @ together)


def _blocks(n_rows: int, block_rows: int = _BLOCK_ROWS) -> Iterator[slice]:
    return (slice(first, first + block_rows) for first in range(0, n_rows, block_rows))
