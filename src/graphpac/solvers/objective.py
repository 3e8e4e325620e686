"""What GPAC minimizes, measured on a sample of pairs for monitoring."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from graphpac._typing import IntVector
from graphpac.graph.hops import HopGraph
from graphpac.graph.locality import Numbering

SAMPLED_ROWS = 2000


def sampled_objective(
    memberships: sp.csr_matrix,
    hard_labels: IntVector,
    hops: HopGraph,
    numbering: Numbering,
    *,
    fuzziness: float,
    alpha: float,
) -> float:
    """Eq. 11 per pair of samples, over all pairs of up to 2,000 evenly spaced samples.

    Tr(V^T H V + P^T H P^m - alpha V^T W^ P^m), H all ones but a zero diagonal. The updates follow
    from it with terms left out (see the notes on the method), so it need not fall at every step.
    """
    n_samples, n_clusters = memberships.shape
    rows = np.linspace(0, n_samples - 1, min(n_samples, SAMPLED_ROWS), dtype=np.int32)
    P = sp.csr_matrix(memberships[rows], dtype=np.float64)
    powered = P.power(fuzziness)
    labels = hard_labels[rows]
    named = labels >= 0
    V = sp.csr_matrix(
        (np.ones(named.sum()), (np.flatnonzero(named), labels[named])), (rows.size, n_clusters)
    )
    indptr, indices = hops.neighbors_within(numbering.numbers[rows])
    adjacency = sp.csr_matrix(
        (np.ones(indices.size), indices.astype(np.int32), indptr), (rows.size, rows.size)
    )

    hard = np.square(V.sum(axis=0)).sum() - V.sum()
    soft = np.multiply(P.sum(axis=0), powered.sum(axis=0)).sum() - P.multiply(powered).sum()
    together = V.multiply(adjacency @ powered).sum()
    n_pairs = max(1, rows.size * (rows.size - 1))
    return float((hard + soft - alpha * together) / n_pairs)
