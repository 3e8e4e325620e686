"""What a fit leaves in its estimator, and what is told about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray
from graphpac.findings import Finding, ResultFacts, empty_clusters, findings_of_result
from graphpac.fitting.problem import MOST_NEIGHBORS, asked_clusters, count_neighbors
from graphpac.fitting.progress import logger
from graphpac.fitting.stages import Outcome
from graphpac.fitting.telling import warn_of
from graphpac.graph import NeighborGraph
from graphpac.solvers.memberships import largest_membership


def gpac_attributes(
    estimator: Any,
    graph: NeighborGraph,
    outcome: Outcome,
    timings: dict[str, float],
    of_rows: tuple[Finding, ...] | None = None,
) -> dict[str, Any]:
    """Return what a fit of GPAC leaves in it, after telling what is odd about it.

    ``of_rows`` was told about the rows already; None if there are none, but a graph.
    """
    result = outcome.result
    labels, probabilities = largest_membership(result.memberships)
    n_clusters = result.memberships.shape[1]
    n_samples = graph.n_originals
    n_neighbors = graph.n_edges / graph.n_samples
    if of_rows is not None:
        asked = asked_clusters(estimator)
        n_neighbors = count_neighbors(estimator.n_neighbors, n_samples, asked)
    sizes = np.bincount(labels, minlength=n_clusters)
    facts = ResultFacts(
        n_samples=n_samples,
        n_clusters=n_clusters,
        n_occupied=int(np.count_nonzero(sizes)),
        certainty=float(probabilities.mean(dtype=np.float64)),
        n_components=graph.n_components,
        n_neighbors=n_neighbors,
        usual_neighbors=count_neighbors("auto", n_samples, n_clusters),
        most_neighbors=MOST_NEIGHBORS,
        dropped=float(result.history[-1].dropped_mass) if result.history else 0.0,
        fuzziness=float(estimator.fuzziness),
        alpha=float(estimator.alpha),
        metric=None if of_rows is None else estimator.metric,
    )
    of_result = findings_of_result(facts, of_rows or ())
    warn_of(of_result)
    if not result.converged:
        logger.info("tol was not reached, the last change is %.4f", result.history[-1].change)
    return {
        "labels_": labels,
        "n_clusters_": n_clusters,
        "cluster_sizes_": sizes,
        "memberships_": result.memberships,
        "probabilities_": probabilities,
        "findings_": (*(of_rows or ()), *of_result),
        "hard_labels_": result.hard_labels,
        "n_iter_": len(result.history),
        "converged_": result.converged,
        "history_": result.history,
        "objective_": result.objective,
        "candidates_": outcome.candidates,
        "graph_": graph,
        "timings_": timings,
        "n_hops_": result.n_hops,
        "batch_size_": result.batch_size,
    }


def membership_attributes(memberships: sp.csr_matrix, *, cure: str = "") -> dict[str, Any]:
    """Return the memberships and what follows from them, after a warning of empty clusters.

    ``cure``, the end of a sentence, may help against those beside fewer clusters.
    """
    labels, probabilities = largest_membership(memberships)
    return {
        **label_attributes(labels, memberships.shape[1], cure=cure),
        "memberships_": memberships,
        "probabilities_": probabilities,
    }


def label_attributes(labels: AnyArray, n_clusters: int, *, cure: str = "") -> dict[str, Any]:
    """Return the labels and what follows from them, after a warning of empty clusters."""
    sizes = np.bincount(labels, minlength=n_clusters)
    advice = "lower n_clusters if the data hold fewer groups"
    cures = ", ".join(filter(None, (advice, cure)))
    warn_of(empty_clusters(int(np.count_nonzero(sizes)), n_clusters, cures))
    return {"labels_": labels.astype(np.int32, copy=False), "cluster_sizes_": sizes}


def iteration_attributes(history: tuple[float, ...], *, converged: bool) -> dict[str, Any]:
    """Return what follows from the objective after each iteration, and why they ended."""
    return {
        "objective_": history[-1],
        "history_": history,
        "n_iter_": len(history),
        "converged_": converged,
    }
