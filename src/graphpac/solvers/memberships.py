"""Memberships between their forms: powers of scores, dense rows, sparse rows, labels."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray
from graphpac.kernels.powers import NEGLIGIBLE


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
    rows, columns = np.nonzero(dense >= NEGLIGIBLE)
    indptr = np.zeros(dense.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=dense.shape[0]), out=indptr[1:])
    kept = dense[rows, columns].astype(np.float64)
    totals = np.add.reduceat(kept, indptr[:-1])
    kept /= np.repeat(totals, np.diff(indptr))
    return sp.csr_matrix((kept.astype(np.float32), columns.astype(np.int32), indptr), dense.shape)


def certain_memberships(labels: AnyArray, n_clusters: int) -> sp.csr_matrix:
    """Give every sample the membership one in the cluster of its label."""
    n_samples = labels.size
    ones = np.ones(n_samples, dtype=np.float32)
    columns = labels.astype(np.int32)
    return sp.csr_matrix((ones, columns, np.arange(n_samples + 1)), (n_samples, n_clusters))
