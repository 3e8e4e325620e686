"""Steps at the beginning and the end of every fit."""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from graphpac._typing import AnyArray, FloatVector, IntVector, RandomState
from graphpac._wording import short_repr
from graphpac.estimators._progress import logger
from graphpac.exceptions import ParameterError
from graphpac.graph import NeighborGraph
from graphpac.graph.searchers.base import as_generator
from graphpac.solvers import Problem, SolverOptions, SolverResult

_MOST_NEIGHBORS = 10  # of n_neighbors="auto"


@dataclass(frozen=True)
class Streams:
    """Randomness of each stage of a fit, so that a change to one does not shift the others."""

    graph: int
    start: np.random.Generator
    optimize: np.random.Generator

    @classmethod
    def from_seeds(cls, seeds: list[int]) -> Streams:
        """Begin each stream at the seed that `draw_seeds` drew for it."""
        graph, start, optimize = seeds
        return cls(graph, np.random.default_rng(start), np.random.default_rng(optimize))


def draw_seeds(random_state: RandomState) -> list[int]:
    """Draw the seeds of a fit from what scikit-learn calls a random state."""
    seeds: list[int] = as_generator(random_state).integers(np.iinfo(np.int64).max, size=3).tolist()
    return seeds


def problem_of(estimator: Any) -> Problem:
    """Collect what the solver is to find from an estimator with checked parameters."""
    return Problem(
        n_clusters=int(estimator.n_clusters),
        fuzziness=float(estimator.fuzziness),
        alpha=float(estimator.alpha),
        local_weight=estimator.local_weight,
        batch_size=estimator.batch_size,
        max_iter=int(estimator.max_iter),
        tol=float(estimator.tol),
    )


def options_of(estimator: Any) -> SolverOptions:
    """Return the rare options of an estimator, the defaults where it has none."""
    return SolverOptions() if estimator.solver is None else estimator.solver


def count_neighbors(n_neighbors: int | Literal["auto"], n_samples: int, n_clusters: int) -> int:
    """Count the neighbors of a sample: as many as asked for, but no more than there are others.

    "auto" is 10, and about a quarter of an average cluster where clusters are smaller than that
    allows: neighbors beyond a sample's own group connect it with others.
    """
    if n_neighbors == "auto":
        n_neighbors = min(_MOST_NEIGHBORS, 1 + n_samples // (4 * n_clusters))
    return min(int(n_neighbors), n_samples - 1)


def check_sizes(n_samples: int, n_clusters: int) -> None:
    """Raise an error unless there are two samples at least, and one for each cluster."""
    if n_samples < 2:
        msg = f"n_samples = {n_samples} leaves nothing to compare: pass at least 2 samples."
        raise ValueError(msg)
    if n_clusters > n_samples:
        msg = (
            f"n_clusters={short_repr(n_clusters)} must be at most {n_samples}, the number of "
            "samples: lower n_clusters or pass more samples."
        )
        raise ParameterError(msg)


def fitted_attributes(
    graph: NeighborGraph, result: SolverResult, timings: dict[str, float]
) -> dict[str, Any]:
    """Return what every fit leaves in the estimator, after telling what is odd about it."""
    found = membership_attributes(
        result.memberships, cure="or n_neighbors if groups are as small as that", stacklevel=5
    )
    _log_findings(graph, result)
    return {
        **found,
        "hard_labels_": result.hard_labels,
        "n_iter_": len(result.history),
        "converged_": result.converged,
        "history_": result.history,
        "objective_": result.objective,
        "graph_": graph,
        "timings_": timings,
        "n_hops_": result.n_hops,
        "batch_size_": result.batch_size,
    }


def membership_attributes(
    memberships: sp.csr_matrix, *, cure: str = "", stacklevel: int = 4
) -> dict[str, Any]:
    """Return the memberships and what follows from them, after a warning of empty clusters.

    Parameters
    ----------
    memberships : CSR matrix of shape (n_samples, n_clusters)
        Rows sum to one.
    cure : str
        What may help against empty clusters beside fewer of them, the end of a sentence.
    stacklevel : int
        Whose line a warning names; by default that of who called the fit that calls this.
    """
    labels, probabilities = largest_membership(memberships)
    return {
        **label_attributes(labels, memberships.shape[1], cure=cure, stacklevel=stacklevel),
        "memberships_": memberships,
        "probabilities_": probabilities,
    }


def label_attributes(
    labels: AnyArray, n_clusters: int, *, cure: str = "", stacklevel: int = 3
) -> dict[str, Any]:
    """Return the labels and what follows from them, after a warning of empty clusters."""
    sizes = np.bincount(labels, minlength=n_clusters)
    n_used = int(np.count_nonzero(sizes))
    if n_used < n_clusters:
        advice = "lower n_clusters if the data hold fewer groups"
        warnings.warn(
            f"only {n_used} of n_clusters={n_clusters} clusters have samples: "
            f"{', '.join(filter(None, (advice, cure)))}.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
    return {"labels_": labels.astype(np.int32, copy=False), "cluster_sizes_": sizes}


def largest_membership(memberships: sp.csr_matrix) -> tuple[IntVector, FloatVector]:
    """Return the cluster of the largest membership of each row, the first of equals, and its size.

    Every row must hold at least one entry, and clusters must ascend in a row.
    """
    starts = memberships.indptr[:-1]
    peaks: FloatVector = np.maximum.reduceat(memberships.data, starts)
    at_peak = np.flatnonzero(memberships.data == np.repeat(peaks, np.diff(memberships.indptr)))
    firsts = at_peak[np.searchsorted(at_peak, starts)]
    return memberships.indices[firsts].astype(np.int32), peaks


def _log_findings(graph: NeighborGraph, result: SolverResult) -> None:
    if not logger.isEnabledFor(logging.INFO):
        return  # counting components takes time
    if not result.converged:
        logger.info("tol was not reached, the last change is %.4f", result.history[-1].change)
    n_clusters = result.memberships.shape[1]
    if (n_components := graph.n_components) > n_clusters:
        logger.info(
            "the graph has %d parts with no edge between them, more than n_clusters=%d",
            n_components,
            n_clusters,
        )
