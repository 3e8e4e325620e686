"""The estimator of probability aggregation clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import scipy.sparse as sp

from graphpac._constraints import one_of
from graphpac._costs import Cost
from graphpac._threads import Workers, resolve_n_jobs
from graphpac._typing import AnyArray, FloatVector, RandomState
from graphpac.baselines._fit import Baseline
from graphpac.estimators._base import MembershipClusterer
from graphpac.fitting.attributes import iteration_attributes, membership_attributes
from graphpac.fitting.costs import row_fit_costs
from graphpac.fitting.init import Init
from graphpac.fitting.parameters import constraints_of
from graphpac.fitting.run import FitRun
from graphpac.fitting.telling import warn_caller
from graphpac.graph.centered import RowFrame
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import Rows
from graphpac.solvers.memberships import sparse_memberships
from graphpac.solvers.pac import (
    ClusterSums,
    memberships_among,
    near_uniform,
    pac_memory,
    smoothed_labels,
    solve_pac,
)
from graphpac.solvers.seeding import seed_labels

_STARTS = ("near-uniform", "k-means++")
_UNIFORM = 1.05  # no membership above so many times 1/n_clusters: clusters mean nothing


class PAC(Baseline, MembershipClusterer):
    """Probability aggregation clustering: fuzzy clusters without centers.

    Rows that are far apart shall not share clusters: the sum over all pairs of rows of their
    distance times the memberships they share, to the power m, is made small, for one row after the
    other. This favors clusters of equal size. All pairs enter through a few sums over rows, so that
    time grows in proportion to the number of rows.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at most the number of samples.
    fuzziness : float
        The exponent m, above 1 and at most 10. From 1.01 to 1.05 it makes little difference. From
        about 1.15 up all memberships may end close to 1/n_clusters, of which a warning tells; a
        little above, ``init="k-means++"`` still helps.
    metric : {"cosine", "euclidean"}
        Distance of two rows: 1 - cosine, or half the squared Euclidean distance.
    init : {"near-uniform", "k-means++"}, array, sparse matrix or fitted model
        Where to start. "near-uniform": all memberships almost the same, as published. "k-means++":
        the nearest of the seeds of k-means++. Or labels of shape (n_samples,), memberships of shape
        (n_samples, n_clusters), or a fitted model. Labels, given or drawn, leave every cluster a
        small share of every row.
    max_iter : int
        Largest number of sweeps.
    tol : float
        The fit ends when a sweep changes the memberships of a row by less than this in sum, on
        average, and by no more than the sweep before; but not within the first ten sweeps.
    n_jobs : int, optional
        Number of threads; None means all usable cores. They share only what is not a sweep, which
        is one row after the other. The result is the same for any number.
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
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of samples of each label.
    objective_ : float
        What was made small: 1/2 sum_ij d_ij sum_l p_il^m p_jl^m. For values beyond 1e130 or
        all below 1e-120, whose squares float64 cannot hold, in units of a power of two.
    history_ : tuple of float
        The objective after each sweep; it never rises.
    n_iter_, converged_
        Number of sweeps made, and whether they ended before max_iter.
    timings_ : dict
        Seconds spent on "start" and "optimize".

    Notes
    -----
    New rows get the memberships that are best for them given those of the training rows. For
    training rows these are the ones of the fit as far as it converged.

    The authors' code cuts the exponent 1/(m-1) off to a whole number; here it is exact, without
    which the objective could rise.

    References
    ----------
    Y. Yan, N. Lu, R. Yan (2024), Deep online probability aggregation clustering.

    Examples
    --------
    >>> from graphpac import PAC
    >>> from graphpac.datasets import load
    >>> model = PAC(n_clusters=10, random_state=0).fit(load("digits").X)
    >>> model.labels_.shape, model.memberships_.shape
    ((1797,), (1797, 10))
    """

    _takes_sparse = False

    _parameters = constraints_of(metric=one_of("cosine", "euclidean"))
    _starts = _STARTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float = 1.03,
        metric: Literal["cosine", "euclidean"] = "cosine",
        init: Any = "near-uniform",
        max_iter: int = 100,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.metric = metric
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        with run.log.stage("start"):
            frame = RowFrame.of(run.X, self.metric)
            rows = frame.rows(run.X, run.n_jobs)
            start = self._first_memberships(rows, run)
        with run.log.stage("optimize") as progress:
            result = solve_pac(
                rows,
                start,
                metric=self.metric,
                fuzziness=self.fuzziness,
                max_iter=self.max_iter,
                tol=self.tol,
                n_jobs=run.n_jobs,
                watch=lambda sweep, _: progress(sweep, self.max_iter),
            )
        found = membership_attributes(
            sparse_memberships(result.memberships), cure="or lower fuzziness"
        )
        self._warn_if_uniform(found["probabilities_"])
        history = tuple(value * frame.squared_unit for value in result.history)
        return {
            **found,
            **iteration_attributes(history, converged=result.converged),
            "_predictor": AmongTrainingRows(frame, result.sums, self.fuzziness, self.n_jobs),
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        start = {"memberships": 16.0 * size.n_samples * self.n_clusters}
        sizes = size.n_samples, size.n_features, self.n_clusters
        return row_fit_costs(size, start=start, optimize=pac_memory(*sizes, n_jobs))

    def _first_memberships(self, rows: Rows, run: FitRun) -> AnyArray:
        init: Init = run.init
        if isinstance(init, sp.csr_matrix):
            dense: AnyArray = init.toarray()
            return dense
        if isinstance(init, str):
            if init == "near-uniform":
                return near_uniform(rows.shape[0], self.n_clusters, run.streams.start)
            init = seed_labels(rows, self.n_clusters, run.streams.start, run.n_jobs)
        return smoothed_labels(init, self.n_clusters)

    def _warn_if_uniform(self, probabilities: FloatVector) -> None:
        if self.n_clusters > 1 and probabilities.max() < _UNIFORM / self.n_clusters:
            warn_caller(
                "all memberships are close to 1/n_clusters, so labels mean nothing: lower "
                f"fuzziness={self.fuzziness}, values from 1.01 to 1.1 suit most data.",
            )


@dataclass(frozen=True)
class AmongTrainingRows:
    """Gives rows the memberships that are best for them among those of the training rows."""

    frame: RowFrame
    sums: ClusterSums
    fuzziness: float
    n_jobs: int | None

    def predict(self, X: Any) -> sp.csr_matrix:
        """Return the memberships of rows that were checked."""
        n_jobs = resolve_n_jobs(self.n_jobs)
        metric, rows = self.frame.metric, self.frame.rows(X, n_jobs)
        with Workers(n_jobs) as workers:
            return memberships_among(rows, self.sums, metric, self.fuzziness, workers)
