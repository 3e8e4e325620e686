"""What the solver is to find, read from an estimator whose parameters are checked."""

from __future__ import annotations

from typing import Any, Literal

from graphpac._wording import short_repr
from graphpac.exceptions import ParameterError
from graphpac.graph.searchers import NeighborSearcher
from graphpac.solvers import Problem, SolverOptions

MOST_NEIGHBORS = 10  # of n_neighbors="auto"
PUBLISHED_ITERATIONS, ITERATIONS = 50, 40  # of max_iter="auto"
PLANNED_CLUSTERS = 100  # what n_clusters="auto" is taken for before the graph is known


def asked_clusters(estimator: Any) -> int | None:
    """Return the number of clusters asked for, 1 of methods without; None if it is to be found."""
    asked = getattr(estimator, "n_clusters", None)
    return None if isinstance(asked, str) else int(asked or 1)


def planned_clusters(estimator: Any, n_samples: int) -> int:
    """Return the number of clusters that memory and time are estimated for."""
    return asked_clusters(estimator) or min(PLANNED_CLUSTERS, n_samples)


def problem_of(estimator: Any, n_clusters: int) -> Problem:
    """Collect what the solver is to find from an estimator with checked parameters."""
    return Problem(
        n_clusters=n_clusters,
        fuzziness=float(estimator.fuzziness),
        alpha=float(estimator.alpha),
        local_weight=estimator.local_weight,
        batch_size=estimator.batch_size,
        max_iter=iterations_of(estimator),
        tol=float(estimator.tol),
    )


def iterations_of(estimator: Any) -> int:
    """Return the largest number of iterations; "auto" goes by the variant."""
    if estimator.max_iter == "auto":
        return PUBLISHED_ITERATIONS if estimator.variant == "published" else ITERATIONS
    return int(estimator.max_iter)


def options_of(estimator: Any) -> SolverOptions:
    """Return the rare options of an estimator, with what they leave to its variant."""
    options = SolverOptions() if estimator.solver is None else estimator.solver
    return options.of_variant(published=estimator.variant == "published")


def searcher_of(estimator: Any) -> str | NeighborSearcher:
    """Return how neighbors are found; for the published method as always, unless it is told how."""
    is_published = getattr(estimator, "variant", None) == "published"
    chosen: str | NeighborSearcher = estimator.searcher
    return "published" if is_published and chosen == "auto" else chosen


def count_neighbors(
    n_neighbors: int | Literal["auto"], n_samples: int, n_clusters: int | None
) -> int:
    """Count the neighbors of a sample: as many as asked for, but no more than there are others.

    Copies of a sample do not count as others. "auto" is 10, and about a quarter of an average
    cluster where clusters are smaller than that allows: neighbors beyond a sample's own group
    connect it with others. It is 10 where the clusters are to be counted on the graph.
    """
    if n_neighbors == "auto":
        n_neighbors = MOST_NEIGHBORS
        if n_clusters is not None:
            n_neighbors = min(n_neighbors, 1 + n_samples // (4 * n_clusters))
    return max(1, min(int(n_neighbors), n_samples - 1))


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
