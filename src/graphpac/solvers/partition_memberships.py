"""Memberships of a partition that is given: what the neighbors of a sample, and theirs, say."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from graphpac._threads import Workers
from graphpac._typing import FloatMatrix, IntMatrix, IntVector
from graphpac.kernels.batches import LocalGraph
from graphpac.kernels.row_averages import average_rows
from graphpac.solvers.memberships import csr_of_entries

STEPS = 3  # of the local average: the best calibrated of one to three (docs/decisions.md)
USUAL_EXCESS = 0.05  # m - 1 at which memberships are the averages themselves
MOST_ENTRIES = 16  # memberships kept of a row
MARGIN = 1e-3  # by which the membership in a sample's own cluster is the largest, at least
_BLOCK_ROWS = 1 << 12


def partition_memberships(
    local: LocalGraph, labels: IntVector, n_clusters: int, *, fuzziness: float, workers: Workers
) -> sp.csr_matrix:
    """Spread labels over the graph: q = W^3 Y, and p ~ q^(0.05 / (m - 1)).

    Y has the labels, W the weights of the local average. The cluster of a sample's label has its
    largest membership: where the average says otherwise it is mixed with the label until it does
    not.
    """
    clusters: IntMatrix = np.ascontiguousarray(labels[:, None])
    values: FloatMatrix = np.ones((labels.size, 1), dtype=np.float32)
    for _ in range(STEPS):
        clusters, values = _averaged(local, clusters, values, n_clusters, workers)
    used = values > 0.0
    values[used] **= np.float32(USUAL_EXCESS / (fuzziness - 1.0))
    values /= values.sum(axis=1, keepdims=True)
    _favor_labels(clusters, values, labels)
    return csr_of_entries(clusters, values, n_clusters)


def _averaged(
    local: LocalGraph,
    clusters: IntMatrix,
    values: FloatMatrix,
    n_clusters: int,
    workers: Workers,
) -> tuple[IntMatrix, FloatMatrix]:
    shape = (values.shape[0], min(MOST_ENTRIES, n_clusters))
    found_clusters: IntMatrix = np.zeros(shape, dtype=np.int32)
    found_values: FloatMatrix = np.zeros(shape, dtype=np.float32)

    def average(first: int) -> None:
        block = slice(first, first + _BLOCK_ROWS)
        average_rows(
            local, clusters, values, n_clusters, first, found_clusters[block], found_values[block]
        )

    workers.map(average, range(0, values.shape[0], _BLOCK_ROWS))
    return found_clusters, found_values


def _favor_labels(clusters: IntMatrix, values: FloatMatrix, labels: IntVector) -> None:
    """Mix rows with their label, p = (1 - a) p + a e, as little as makes it the largest."""
    is_own = (clusters == labels[:, None]) & (values > 0.0)
    own, others = (np.where(each, values, 0.0).max(axis=1) for each in (is_own, ~is_own))
    rows = np.flatnonzero(own < others * (1.0 + MARGIN))
    every = np.arange(rows.size)
    listed = is_own[rows].any(axis=1)
    # A row that does not list its label gives it the last entry, the smallest.
    place = np.where(listed, is_own[rows].argmax(axis=1), values.shape[1] - 1)
    mixed = values[rows].astype(np.float64)
    own = np.where(listed, mixed[every, place], 0.0)
    mixed[every, place] = 0.0
    mixed *= ((1.0 - own) / mixed.sum(axis=1))[:, None]
    wanted = mixed.max(axis=1, initial=0.0) * (1.0 + MARGIN)
    share = (wanted - own) / (1.0 + wanted - own)
    mixed *= (1.0 - share)[:, None]
    mixed[every, place] = (1.0 - share) * own + share
    values[rows] = mixed
    clusters[rows, place] = labels[rows]
