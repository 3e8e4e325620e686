"""What the memberships of all rows come down to, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray

_BLOCK_ROWS = 1 << 17


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


def top_memberships(memberships: sp.csr_matrix, n_top: int) -> TopMemberships:
    """Find the largest memberships of each row; of equals the first cluster comes first.

    Parameters
    ----------
    memberships : CSR matrix of shape (n_rows, n_clusters)
        Every row holds at least one entry, clusters ascend in a row.
    n_top : int
        How many of each row, at most n_clusters.
    """
    n_rows = memberships.shape[0]
    clusters = np.empty((n_rows, n_top), dtype=np.int32)
    values = np.empty((n_rows, n_top), dtype=np.float32)
    for rows in _blocks(n_rows):
        block = memberships[rows]
        left = block.data.copy()
        starts, counts = block.indptr[:-1], np.diff(block.indptr)
        for place in range(n_top):
            peaks = np.maximum.reduceat(left, starts)
            at_peak = np.flatnonzero(left == np.repeat(peaks, counts))
            firsts = at_peak[np.searchsorted(at_peak, starts)]
            clusters[rows, place] = block.indices[firsts]
            values[rows, place] = np.maximum(peaks, 0.0)
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


def _blocks(n_rows: int) -> Iterator[slice]:
    return (slice(first, first + _BLOCK_ROWS) for first in range(0, n_rows, _BLOCK_ROWS))
