"""The estimator of spherical k-means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from graphpac._constraints import one_of
from graphpac._costs import Cost
from graphpac._threads import Workers, resolve_n_jobs
from graphpac._typing import AnyArray, IntVector, RandomState
from graphpac.baselines._fit import Baseline
from graphpac.fitting.attributes import iteration_attributes, label_attributes
from graphpac.fitting.costs import row_fit_costs
from graphpac.fitting.parameters import constraints_of
from graphpac.fitting.run import FitRun
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import prepare_rows
from graphpac.solvers.seeding import plus_plus_seeds, random_seeds, seeding_cost
from graphpac.solvers.spherical_kmeans import (
    SphericalResult,
    assign,
    solve_spherical_kmeans,
    spherical_kmeans_memory,
)


class SphericalKMeans(Baseline):
    """Spherical k-means: clusters of rows that point in the same direction.

    Rows are divided by their length; every cluster has a unit prototype, and the sum of the cosines
    between rows and prototypes is made as large as alternating steps can. A cluster that loses all
    rows takes the row that fits its own worst. Rows of zeros have no direction: they fall to the
    first cluster and influence none.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at most the number of samples.
    init : {"k-means++", "random"}
        Prototypes to start from: rows drawn far apart, or any rows.
    n_init : int
        Number of starts, of which the best is kept.
    max_iter : int
        Largest number of iterations of a start.
    tol : float
        A start ends when an iteration gains less than this share of the objective.
    n_jobs : int, optional
        Number of threads; None means all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed; the same seed gives the same result to the last bit.
    verbose : int
        1 shows a progress bar and logs the stages, 2 logs the iterations as well.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample.
    cluster_centers_ : float64 array of shape (n_clusters, n_features)
        The unit prototypes.
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of samples of each label.
    objective_ : float
        Sum of the cosines between rows and their prototypes.
    history_ : tuple of float
        The objective after each iteration; it never falls.
    n_iter_, converged_
        Number of iterations made, and whether they ended before max_iter.
    timings_ : dict
        Seconds spent on "start" and "optimize".

    References
    ----------
    I. Dhillon, D. Modha (2001), Concept decompositions for large sparse text data using clustering.

    Examples
    --------
    >>> from graphpac import SphericalKMeans
    >>> from graphpac.datasets import load
    >>> model = SphericalKMeans(n_clusters=10, random_state=0).fit(load("digits").X)
    >>> model.cluster_centers_.shape
    (10, 64)
    """

    _parameters = constraints_of(init=one_of("k-means++", "random"))

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Literal["k-means++", "random"] = "k-means++",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        draw = plus_plus_seeds if self.init == "k-means++" else random_seeds
        with run.log.stage("start"):
            rows = run.rows("cosine")
            starts = [
                draw(rows, self.n_clusters, run.streams.start, run.n_jobs)
                for _ in range(self.n_init)
            ]
        with run.log.stage("optimize") as progress:
            results = [
                solve_spherical_kmeans(
                    rows,
                    start,
                    max_iter=self.max_iter,
                    tol=self.tol,
                    n_jobs=run.n_jobs,
                    watch=lambda iteration, _: progress(iteration, self.max_iter),
                )
                for start in starts
            ]
        best: SphericalResult = max(results, key=lambda result: result.history[-1])
        return {
            **label_attributes(best.labels, self.n_clusters),
            "cluster_centers_": best.prototypes,
            **iteration_attributes(best.history, converged=best.converged),
            "_predictor": NearestPrototype(best.prototypes, self.n_jobs),
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        start = seeding_cost(size, self.n_clusters, n_jobs).memory
        sizes = size.n_samples, size.n_features, self.n_clusters
        optimize = spherical_kmeans_memory(*sizes, n_jobs)
        return row_fit_costs(size, start=start, optimize=optimize)


@dataclass(frozen=True)
class NearestPrototype:
    """Gives a row the cluster whose prototype points most nearly in its direction."""

    prototypes: AnyArray
    n_jobs: int | None

    def labels(self, X: Any) -> IntVector:
        """Return a cluster for each row."""
        n_jobs = resolve_n_jobs(self.n_jobs)
        with Workers(n_jobs) as workers:
            return assign(prepare_rows(X, "cosine", n_jobs=n_jobs), self.prototypes, workers)[0]
