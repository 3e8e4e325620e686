"""Turning the parameter ``init`` into what a solver can start from."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, IntVector
from graphpac._wording import short_repr
from graphpac.exceptions import ParameterError

STARTS = ("smoothed", "k-means++", "random", "zeros")

Init: TypeAlias = str | IntVector | sp.csr_matrix


def resolve_init(
    init: Any, n_samples: int, n_clusters: int | None, X: Any, names: tuple[str, ...] = STARTS
) -> Init:
    """Return a name, int32 labels or CSR memberships, all checked against the fit at hand.

    An estimator that was fitted on other rows predicts for X, the rows of the fit; None if there
    are none. ``names`` are the starts the method knows; without a number of clusters, which is then
    to be found, there are no others.
    """
    if isinstance(init, str):
        if init not in names:
            listed = ", ".join(repr(name) for name in names)
            msg = f"init={init!r} must be one of {listed}, labels, memberships or a fitted model."
            raise ValueError(msg)
        return init
    if n_clusters is None:
        listed = ", ".join(repr(name) for name in names)
        msg = (
            'n_clusters="auto" leaves open how many clusters init may have: set n_clusters to the '
            f"number of its clusters, or init to one of {listed}."
        )
        raise ParameterError(msg)
    if hasattr(init, "predict_memberships"):
        return _checked_memberships(_memberships_of(init, n_samples, X), n_samples, n_clusters)
    if sp.issparse(init):
        return _checked_memberships(init, n_samples, n_clusters)
    given = np.asarray(init)
    if given.ndim == 2:
        return _checked_memberships(given, n_samples, n_clusters)
    return _checked_labels(given, init, n_samples, n_clusters)


def _memberships_of(model: Any, n_samples: int, X: Any) -> Any:
    if not hasattr(model, "memberships_"):
        msg = (
            f"init is a {type(model).__name__} that is not fitted: fit it first, and where models "
            "are cloned, as in a grid search, pass its memberships_ instead."
        )
        raise ValueError(msg)
    if model.memberships_.shape[0] == n_samples:
        return model.memberships_
    if X is None:
        msg = (
            f"init was fitted on {model.memberships_.shape[0]} samples, but the graph has "
            f"{n_samples}: pass labels or memberships of the samples of the graph."
        )
        raise ValueError(msg)
    return model.predict_memberships(X)


def _checked_memberships(given: Any, n_samples: int, n_clusters: int) -> sp.csr_matrix:
    if given.shape != (n_samples, n_clusters):
        msg = (
            f"init holds memberships of shape {given.shape}, but n_samples={n_samples} and "
            f"n_clusters={n_clusters} ask for {(n_samples, n_clusters)}."
        )
        raise ValueError(msg)
    if given.dtype.kind not in "buif":
        msg = f"init holds memberships of dtype {given.dtype}: pass numbers."
        raise ValueError(msg)
    memberships = sp.csr_matrix(given, dtype=np.float64, copy=True)
    memberships.sum_duplicates()
    memberships.eliminate_zeros()
    totals = np.asarray(memberships.sum(axis=1)).ravel()
    if not np.isfinite(totals).all() or (memberships.data < 0).any() or (totals <= 0).any():
        msg = (
            "init holds memberships that are negative, not finite, or all zero for a sample: "
            "each row must be shares of the clusters."
        )
        raise ValueError(msg)
    memberships.data /= np.repeat(totals, np.diff(memberships.indptr))
    return memberships.astype(np.float32)


def _checked_labels(labels: AnyArray, init: Any, n_samples: int, n_clusters: int) -> IntVector:
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        msg = (
            f"init={short_repr(init)} must be a name, whole-number labels of shape (n_samples,), "
            "memberships of shape (n_samples, n_clusters) or a fitted model."
        )
        raise ValueError(msg)
    if labels.size != n_samples:
        msg = f"init holds {labels.size} labels for {n_samples} samples: pass one for each."
        raise ValueError(msg)
    if labels.min() < 0 or labels.max() >= n_clusters:
        msg = (
            f"init holds labels from {labels.min()} to {labels.max()}, but n_clusters={n_clusters} "
            f"allows 0 to {n_clusters - 1}: renumber them or change n_clusters."
        )
        raise ValueError(msg)
    return labels.astype(np.int32)
