"""The estimator of balanced fuzzy cuts of a graph of samples or of anchors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from graphpac._constraints import none, one_of, real_number, whole_number
from graphpac._costs import Cost
from graphpac._typing import AnyArray, RandomState
from graphpac.baselines._cut_graphs import AnchorGraph, SampleGraph, mix_anchors
from graphpac.baselines._fit import GraphBaseline
from graphpac.estimators._base import MembershipClusterer
from graphpac.fitting.attributes import iteration_attributes, membership_attributes
from graphpac.fitting.costs import graph_fit_costs, row_fit_costs
from graphpac.fitting.init import Init
from graphpac.fitting.parameters import constraints_of, weight
from graphpac.fitting.run import FitRun
from graphpac.graph.affinity import heat_affinity
from graphpac.graph.costs import degree_of
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import row_scale
from graphpac.solvers.balanced import balanced_cut, balanced_memory, solve_balanced
from graphpac.solvers.memberships import sparse_memberships
from graphpac.solvers.pac import smoothed_labels
from graphpac.solvers.seeding import k_means_seeds, nearest_seeds


class BalancedFuzzyGraph(GraphBaseline, MembershipClusterer):
    """Balanced fuzzy cuts of a neighbor graph (GBFC) or an anchor graph (FFCAG), as we read them.

    Memberships of linked samples are drawn together and clusters to the same size. Without anchors,
    what is made small is Tr(F^T L F) + lam |F^T 1|^2, with L the Laplacian of the graph and rows of
    F on the simplex. With anchors, every sample is a mixture B of its nearest anchors, F = B G, and
    what is made large is Tr(G^T B^T B G) - lam |G^T B^T 1|^2. One row after the other takes its
    best memberships beside all others, a projection on the simplex.

    Both articles are known to us by their abstracts: the formulas are our reading, not theirs.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at most the number of samples.
    balance : float
        How much clusters are drawn to the same size: lam in units of mean degree / n_samples, with
        anchors of 1 / n_samples. From 1 to 10 the labels have about the same modularity on
        digits, pendigits and USPS, at 30 less.
    certainty : float, optional
        From 0 to 1: how much of the term sum_i d_i |f_i|^2 of the Laplacian, with d the degrees, is
        left out. What is left draws rows to uniform memberships. None: 0 without anchors and 1 with
        them, the formulas above. See the notes.
    n_anchors : int, optional
        Number of anchors, the centers of a short k-means, at least n_clusters; None: no anchors.
        More than there are samples are as many as samples.
    n_neighbors : int
        Neighbors of each sample in the graph, or anchors a sample is a mixture of.
    metric : {"euclidean", "cosine"}
        What near means.
    searcher : str or NeighborSearcher
        "auto", "exact", "lists", "faiss", "nndescent" or an object with the method ``index``.
    init : "k-means", array, sparse matrix or fitted model
        Where to start: labels of a short k-means, labels of shape (n_samples,), memberships of
        shape (n_samples, n_clusters), or a fitted model. Labels get nine tenths of a row.
    n_init : int
        Number of starts from "k-means", of which the one of the lowest objective is kept.
    max_iter : int
        Largest number of sweeps of a start.
    tol : float
        A start ends when a sweep lowers the objective by at most this share of the sum of all
        similarities.
    n_jobs : int, optional
        Number of threads; None means all usable cores. A sweep, one row after the other, uses one.
        The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed; the same seed gives the same result to the last bit.
    verbose : int
        1 shows a progress bar and logs the stages, 2 logs the iterations as well.

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
        What was made small; with anchors, minus what was made large.
    history_ : tuple of float
        The objective after each sweep; it never rises.
    n_iter_, converged_
        Number of sweeps made, and whether they ended before max_iter.
    timings_ : dict
        Seconds spent on "graph", "start" and "optimize".

    Notes
    -----
    Similarities of neighbors are exp(-d^2 / (2 s)), s the mean of d^2 over the graph, in either
    direction; under "cosine", d is the distance of unit rows.

    With ``certainty=0`` the objective is convex, and uniform memberships are the best of all: the
    clusters are what is left of the start on the way there. So ``max_iter`` and ``tol`` are part of
    the method, memberships are far from certain, clusters may be lost, and a lower objective need
    not mean better clusters. Even clusters that cut a share s of the similarities are better than
    uniform memberships once certainty is above s c / (c - 1), c their number: 0.2 is enough for
    groups that are at all distinct.

    New rows get the average memberships of their nearest training rows, or, with anchors, the
    mixture of those of their anchors.

    References
    ----------
    C. Liu, F. Nie, R. Wang, X. Li (2023), Graph-based soft-balanced fuzzy clustering.
    F. Nie, C. Liu, R. Wang, Z. Wang, X. Li (2022), Fast fuzzy clustering based on anchor graph.

    Examples
    --------
    >>> from graphpac import BalancedFuzzyGraph
    >>> from graphpac.datasets import load
    >>> model = BalancedFuzzyGraph(n_clusters=10, random_state=0).fit(load("digits").X)
    >>> model.labels_.shape, model.memberships_.shape
    ((1797,), (1797, 10))
    """

    _parameters = constraints_of(
        balance=weight(),
        certainty=none() | real_number(at_least=0.0, at_most=1.0),
        n_anchors=none() | whole_number(at_least=2),
        metric=one_of("euclidean", "cosine"),
    )
    _starts = ("k-means",)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        balance: float = 3.0,
        certainty: float | None = None,
        n_anchors: int | None = None,
        n_neighbors: int = 10,
        metric: Literal["euclidean", "cosine"] = "euclidean",
        searcher: Any = "auto",
        init: Any = "k-means",
        n_init: int = 5,
        max_iter: int = 50,
        tol: float = 1e-4,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.balance = balance
        self.certainty = certainty
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.searcher = searcher
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        self._check_n_anchors()
        graph = (
            self._sample_graph(run)
            if self.n_anchors is None
            else self._anchor_graph(min(self.n_anchors, run.n_samples), run)
        )
        with run.log.stage("start"):
            starts = self._first_rows(run)
        with run.log.stage("optimize") as progress:
            best = min(
                (
                    solve_balanced(
                        graph.cut,
                        graph.start(_dense_start(start, self.n_clusters)),
                        max_iter=self.max_iter,
                        tol=self.tol,
                        watch=lambda sweep, _: progress(sweep, self.max_iter),
                    )
                    for start in starts
                ),
                key=lambda result: result.history[-1],
            )
        memberships, predictor = graph.finish(sparse_memberships(best.memberships))
        return {
            **membership_attributes(memberships, cure="or raise balance or certainty"),
            **iteration_attributes(best.history, converged=best.converged),
            "_predictor": predictor,
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        n, k = size.n_samples, degree_of(size, self.n_neighbors)
        if self.n_anchors is None:
            cut = balanced_memory(n, self.n_clusters, n * k)
            return graph_fit_costs(self, size, n_jobs, k, optimize=cut)
        mixtures = {"mixtures": 12.0 * n * (k + 1)}
        cut = balanced_memory(min(n, self.n_anchors), self.n_clusters, 0.0)
        start = {"memberships": 8.0 * n * self.n_clusters}
        return row_fit_costs(size, graph=mixtures, optimize={**cut, **mixtures, **start})

    def _check_n_anchors(self) -> None:
        if self.n_anchors is not None and self.n_anchors < self.n_clusters:
            msg = (
                f"n_anchors={self.n_anchors} must be at least n_clusters={self.n_clusters}: "
                "raise it, several times as many are usual, or pass None for no anchors."
            )
            raise ValueError(msg)

    def _first_rows(self, run: FitRun) -> list[Init]:
        if not isinstance(run.init, str):
            return [run.init]
        rows = run.rows(self.metric)
        seeds = (
            k_means_seeds(rows, self.n_clusters, run.streams.start, run.n_jobs)
            for _ in range(self.n_init)
        )
        return [nearest_seeds(rows, drawn, run.n_jobs) for drawn in seeds]

    def _sample_graph(self, run: FitRun) -> SampleGraph:
        connected = run.connect(self.n_neighbors)
        cut = balanced_cut(
            heat_affinity(connected.graph),
            np.ones(connected.graph.n_samples),
            balance=self.balance,
            certainty=0.0 if self.certainty is None else self.certainty,
        )
        return SampleGraph(cut, connected)

    def _anchor_graph(self, n_anchors: int, run: FitRun) -> AnchorGraph:
        scale = row_scale(run.X, self.metric)
        with run.log.stage("graph"):
            rows = run.rows(self.metric)
            centers = k_means_seeds(rows, n_anchors, run.streams.start, run.n_jobs)
            anchors = scale * centers.astype(np.float64)  # in the units of X
            training = run.remember(
                sp.csr_matrix(anchors) if sp.issparse(rows) else anchors,
                min(self.n_neighbors + 1, n_anchors),
                scale=scale,
                merge_copies=False,  # a row is a mixture of so many anchors, equal ones or not
            )
            mixtures = mix_anchors(training, run.X, self.metric, n_anchors)
            cut = balanced_cut(
                sp.csr_array(mixtures.T @ mixtures),
                np.asarray(mixtures.sum(axis=0)).ravel(),
                balance=self.balance,
                certainty=1.0 if self.certainty is None else self.certainty,
            )
        return AnchorGraph(cut, training, self.metric, mixtures)


def _dense_start(init: Any, n_clusters: int) -> AnyArray:
    """Turn labels or memberships into dense memberships."""
    if sp.issparse(init):
        dense: AnyArray = init.toarray()
        return dense
    return smoothed_labels(init, n_clusters)
