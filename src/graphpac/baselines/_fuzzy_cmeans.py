"""The estimator of fuzzy c-means, with or without the local constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import scipy.sparse as sp

from graphpac._constraints import one_of
from graphpac._costs import Cost
from graphpac._threads import Workers, resolve_n_jobs
from graphpac._typing import AnyArray, RandomState
from graphpac.baselines._fit import GraphBaseline
from graphpac.estimators._base import MembershipClusterer
from graphpac.fitting.attributes import iteration_attributes, membership_attributes
from graphpac.fitting.costs import graph_fit_costs, row_fit_costs
from graphpac.fitting.init import Init
from graphpac.fitting.parameters import constraints_of, shared_constraint
from graphpac.fitting.run import FitRun
from graphpac.graph import NeighborGraph
from graphpac.graph.centered import RowFrame
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import Rows
from graphpac.graph.searchers import NeighborSearcher
from graphpac.graph.weights import local_weights
from graphpac.prediction.average import NeighborAverage
from graphpac.solvers.fuzzy_cmeans import (
    LocalConstraint,
    fuzzy_cmeans_memory,
    memberships_at,
    solve_fuzzy_cmeans,
    weighted_centers,
)
from graphpac.solvers.memberships import certain_memberships, sparse_memberships
from graphpac.solvers.seeding import plus_plus_seeds, random_seeds, seeding_cost

_STARTS = {"k-means++": plus_plus_seeds, "random": random_seeds}
_RAMP_LENGTH = 50  # as in the comparison of the GPAC paper
_MAX_ITER = 300


class FuzzyCMeans(GraphBaseline, MembershipClusterer):
    """Fuzzy c-means: centers, and memberships that fall with the distance to them.

    Memberships are in proportion to the squared distance to the power -1/(m-1), centers are means
    weighted by memberships to the power m; the two are computed in turn. The larger m, the softer
    the memberships; in many dimensions values near 2, common elsewhere, draw all centers together.

    With ``local_weight`` above 0 memberships also follow those of the nearest neighbors, the local
    constraint of GPAC put into fuzzy c-means, which finds clusters that are not round.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at most the number of samples.
    fuzziness : float
        The exponent m, above 1 and at most 10.
    local_weight : "ramp" or float
        Share of the neighbors' average in the memberships, in [0, 1). 0 is plain fuzzy c-means,
        which needs no graph. "ramp" raises the share from 0 to almost 1 during the iterations.
    n_neighbors : int
        Neighbors of each sample in the graph of the local constraint.
    metric : {"euclidean", "cosine"}
        Distance to centers and between neighbors; "cosine" divides every row by its length first.
    searcher : str or NeighborSearcher
        How neighbors are found: "auto" by size and dimension, or "exact", "lists", "faiss",
        "nndescent", or an object such as ``ListsSearcher(n_looked_at=10_000)``.
    init : {"k-means++", "random"}, array, sparse matrix or fitted model
        Centers to start from: rows drawn far apart, any rows, or the means of labels of shape
        (n_samples,), of memberships of shape (n_samples, n_clusters) or of a fitted model's.
    max_iter : int or "auto"
        Largest number of iterations; under the ramp their exact number, as it is the length of the
        ramp. "auto" is 50 under the ramp and 300 otherwise.
    tol : float
        The fit ends when no membership changes by more than this; not before the end of a ramp.
    n_jobs : int, optional
        Number of threads; None means all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed; the same seed gives the same result to the last bit.
    verbose : int
        1 shows a progress bar and logs the stages.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        The cluster of each sample's largest membership, the first of equals.
    memberships_ : CSR float32 matrix of shape (n_samples, n_clusters)
        Rows sum to one.
    probabilities_ : float32 array of shape (n_samples,)
        Each sample's largest membership.
    cluster_centers_ : float64 array of shape (n_clusters, n_features)
        The centers; under "cosine" those of rows of length one.
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of samples of each label.
    objective_ : float
        Sum of the squared distances to centers, weighted by memberships to the power m. For
        values beyond 1e130 or all below 1e-120, whose squares float64 cannot hold, in units of a
        power of two.
    history_ : tuple of float
        The objective after each iteration; without the local constraint it never rises.
    n_iter_, converged_
        Number of iterations made, and whether the last changed memberships by at most tol.
    timings_ : dict
        Seconds spent on "start" and "optimize", with the local constraint also on "graph".

    Notes
    -----
    New rows get memberships by their distances to the centers. With the local constraint, which
    centers know nothing of, they get the average of their nearest training rows instead, as in
    GPAC; the model then keeps a reference to X.

    The memberships are kept as a dense array during the fit, and a fit for whose array there is no
    memory is refused.

    References
    ----------
    J. Bezdek (1981), Pattern recognition with fuzzy objective function algorithms.

    Examples
    --------
    >>> from graphpac import FuzzyCMeans
    >>> from graphpac.datasets import load
    >>> X = load("digits").X
    >>> model = FuzzyCMeans(n_clusters=10, random_state=0).fit(X)
    >>> model.cluster_centers_.shape, model.memberships_.shape
    ((10, 64), (1797, 10))
    >>> followed = FuzzyCMeans(n_clusters=10, local_weight="ramp", random_state=0).fit(X)
    >>> followed.n_iter_
    50
    """

    _parameters = constraints_of(
        metric=one_of("euclidean", "cosine"),
        max_iter=one_of("auto") | shared_constraint("max_iter"),
    )
    _starts = tuple(_STARTS)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float = 1.05,
        local_weight: float | Literal["ramp"] = 0.0,
        n_neighbors: int = 10,
        metric: Literal["euclidean", "cosine"] = "euclidean",
        searcher: str | NeighborSearcher = "auto",
        init: Any = "k-means++",
        max_iter: int | Literal["auto"] = "auto",
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.local_weight = local_weight
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.searcher = searcher
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        connected = None if self.local_weight == 0.0 else run.connect(self.n_neighbors)
        with run.log.stage("start"):
            frame = RowFrame.of(run.X, self.metric)
            rows = frame.rows(run.X, run.n_jobs)
            start = self._first_centers(rows, run)
        max_iter = self._iterations()
        with run.log.stage("optimize") as progress:
            result = solve_fuzzy_cmeans(
                rows,
                start,
                fuzziness=self.fuzziness,
                max_iter=max_iter,
                tol=self.tol,
                n_jobs=run.n_jobs,
                local=None if connected is None else self._constraint(connected.graph),
                watch=lambda iteration, _: progress(iteration, max_iter),
            )
        memberships = sparse_memberships(result.memberships)
        history = tuple(value * frame.squared_unit for value in result.history)
        return {
            **membership_attributes(memberships, cure="or lower fuzziness"),
            "cluster_centers_": frame.points(result.centers),
            **iteration_attributes(history, converged=result.converged),
            "_predictor": CenterMemberships(frame, result.centers, self.fuzziness, self.n_jobs)
            if connected is None
            else NeighborAverage.of(connected.training, memberships, connected.graph),
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        start = seeding_cost(size, self.n_clusters, n_jobs).memory
        sizes = size.n_samples, size.n_features, self.n_clusters
        optimize = fuzzy_cmeans_memory(*sizes, n_jobs)
        if self.local_weight == 0.0:
            return row_fit_costs(size, start=start, optimize=optimize)
        k = self.n_neighbors
        return graph_fit_costs(
            self, size, n_jobs, k, keep_rows=True, start=start, optimize=optimize
        )

    def _iterations(self) -> int:
        if self.max_iter == "auto":
            return _RAMP_LENGTH if self.local_weight == "ramp" else _MAX_ITER
        return self.max_iter

    def _constraint(self, graph: NeighborGraph) -> LocalConstraint:
        weights = (local_weights(graph), graph.indices, graph.indptr)
        square = sp.csr_matrix(weights, shape=(graph.n_samples, graph.n_samples))
        return LocalConstraint(square, self.local_weight)

    def _first_centers(self, rows: Rows, run: FitRun) -> AnyArray:
        init: Init = run.init
        if isinstance(init, str):
            return _STARTS[init](rows, self.n_clusters, run.streams.start, run.n_jobs)
        memberships = init if sp.issparse(init) else certain_memberships(init, self.n_clusters)
        return weighted_centers(rows, memberships, self.fuzziness, run.n_jobs)


@dataclass(frozen=True)
class CenterMemberships:
    """Gives rows memberships by their distances to the centers."""

    frame: RowFrame
    centers: AnyArray
    fuzziness: float
    n_jobs: int | None

    def predict(self, X: Any) -> sp.csr_matrix:
        """Return the memberships of rows that were checked."""
        n_jobs = resolve_n_jobs(self.n_jobs)
        with Workers(n_jobs) as workers:
            rows = self.frame.rows(X, n_jobs)
            return memberships_at(rows, self.centers, self.fuzziness, workers)
