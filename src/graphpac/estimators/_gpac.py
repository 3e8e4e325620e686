"""The estimator of Graph Probability Aggregation Clustering."""

from __future__ import annotations

from typing import Any, Literal, Self, get_args

from graphpac._constraints import instance_of, none, one_of, whole_number
from graphpac._costs import Cost
from graphpac._typing import Metric, RandomState
from graphpac.estimators._base import MembershipClusterer
from graphpac.estimators._tree import HasTree
from graphpac.fitting.attributes import gpac_attributes
from graphpac.fitting.init import STARTS
from graphpac.fitting.number import count_if_asked
from graphpac.fitting.parameters import constraints_of, shared_constraint, weight
from graphpac.fitting.problem import (
    asked_clusters,
    count_neighbors,
    options_of,
    planned_clusters,
    problem_of,
    searcher_of,
)
from graphpac.fitting.resume import Folder
from graphpac.fitting.run import begin_fit
from graphpac.fitting.stages import Variant, find_clusters, last_start, make_starts
from graphpac.fitting.telling import look_at_input
from graphpac.graph import NeighborGraph
from graphpac.graph.data_size import DataSize
from graphpac.graph.searchers import NeighborSearcher
from graphpac.planning import gpac_costs
from graphpac.prediction.average import NeighborAverage
from graphpac.solvers import Callback, ClusterSizes, SolverOptions

_PARAMETERS = constraints_of(
    n_clusters=one_of("auto") | whole_number(at_least=1),
    metric=one_of("cosine", "euclidean", "inner_product", "precomputed"),
    n_neighbors=one_of("auto") | whole_number(at_least=1),
    max_iter=one_of("auto") | shared_constraint("max_iter"),
    alpha=weight(),
    batch_size=one_of("auto") | whole_number(at_least=1),
    sizes=one_of(*get_args(ClusterSizes)),
    variant=one_of(*get_args(Variant)),
    solver=none() | instance_of(SolverOptions),
)


class GPAC(HasTree, MembershipClusterer):
    """Graph Probability Aggregation Clustering: fuzzy clusters on a nearest-neighbor graph.

    Every sample gets memberships in all clusters that sum to one. They are found by sweeping over
    batches of samples, each time giving a sample the memberships its neighbors in the graph
    have (the local term) and those that keep samples a few steps away in the graph together and
    all others apart (the global term).

    Parameters
    ----------
    n_clusters : int or "auto"
        Number of clusters, at most the number of samples. "auto" counts them on the graph: random
        halves of it agree best on so many communities, up to 500. That number is often not the one
        you have in mind: see docs/choosing-c.md. Where they agree on none, it is 1.
    n_neighbors : int or "auto"
        Neighbors of each sample in the graph; where there are fewer samples, all of them. Of a
        precomputed graph the nearest ones are used. "auto" is 10, and where there are fewer than
        36 samples per cluster ``1 + n_samples // (4 * n_clusters)``; equal samples count once. With
        n_clusters="auto" it is 10.
    metric : {"cosine", "euclidean", "inner_product", "precomputed"}
        What near means. "precomputed": X holds distances between samples, dense or, as
        scikit-learn's KNeighborsTransformer makes them, sparse.
    searcher : str or NeighborSearcher
        How neighbors are found: "auto" by size and dimension, or "exact", "lists", "faiss",
        "nndescent", or an object such as ``ListsSearcher(n_looked_at=10_000)``. "published" is what
        "auto" means to the published method: "exact" or, where rows are many, "faiss".
    fuzziness : float
        The paper's m, above 1 and at most 10: the larger, the softer the memberships.
    alpha : float
        Weight of a sample's neighbors against the balance of cluster sizes, at most 1e6. 1 suits
        clusters whose sizes differ little; where they differ tenfold, try 8. If clusters then lose
        all samples, which a warning tells, it is too large.
    local_weight : "ramp" or float
        Weight of the local term, the paper's beta / (1 + beta), in [0, 1). "ramp" raises it from 0
        to almost 1 during the iterations, which is what makes the method good.
    batch_size : int or "auto"
        Samples updated together. "auto" chooses by the numbers of samples and of clusters.
    sizes : {"even", "uneven"}
        Whether clusters are expected to be of similar size, up to a few times as large as others.
        "uneven" merges communities by rules that let sizes differ a hundredfold. Only the variant
        "best" reads it.
    variant : {"best", "ramp", "published"}
        What follows the ramp. "best": its partition is improved by local moves that raise the
        likelihood of the graph, and so are communities merged to as many clusters; the best of them
        gets memberships by averages over neighbors. "ramp": the same without communities.
        "published": nothing, and the ramp is that of the paper, see `as_published`; the others
        hold the local weight at 0 for longer, and leave out samples in the midst of their clusters.
    init : {"smoothed", "k-means++", "random", "zeros"}, array, sparse matrix or fitted GPAC
        Where to start. "k-means++": the nearest of the seeds k-means++ draws, as published.
        "smoothed": the same after rows were averaged over the graph. Or labels of shape
        (n_samples,), memberships of shape (n_samples, n_clusters), or a fitted model, whose
        memberships are taken if it has as many samples, else its predictions for X. Cluster
        numbers mostly survive. The ramp begins without the local term and so loosens what it is
        given; to refine a fit, set local_weight=0.999 and max_iter=10.
    n_init : int
        Number of starts. The partition under which the graph is likeliest is kept, of the published
        variant the one with the lowest objective.
    max_iter : int or "auto"
        Largest number of iterations from a start; under the ramp also its length. "auto" is 40,
        and 50 for the published variant.
    tol : float
        The fit ends when an iteration changes memberships by less than this on average.
        Under the ramp that is rarely reached, and no cause for concern.
    solver : SolverOptions, optional
        Rare options, among them the ablations of the paper.
    n_jobs : int, optional
        Number of threads; None means all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed; the same seed gives the same result to the last bit.
    verbose : int
        1 shows a progress bar on a terminal or in a notebook, and logs the stages to the logger
        "graphpac" at level INFO; 2 logs the iterations as well.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters.
    labels_ : int32 array of shape (n_samples,)
        The cluster of each sample's largest membership, the first of equals.
    memberships_ : CSR float32 matrix of shape (n_samples, n_clusters)
        Rows sum to one.
    probabilities_ : float32 array of shape (n_samples,)
        Each sample's largest membership.
    hard_labels_ : int32 array of shape (n_samples,)
        The labels again; of the published variant the hard partition it keeps beside the
        memberships, the paper's V.
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of samples of each label.
    n_iter_ : int
        Number of iterations made.
    converged_ : bool
        Whether the last change was below tol.
    history_ : tuple of IterationRecord
        Change, seconds, cluster sizes and more of each iteration.
    objective_ : float
        The objective of the ramp's result on a fixed sample of pairs; comparable between fits of
        the same graph.
    candidates_ : tuple of Candidate
        The partitions that were considered: origin, likelihood, sizes, seconds, which was chosen.
        Empty for the published variant.
    graph_ : NeighborGraph
        The graph.
    n_neighbors_ : int
        Neighbors of each sample. Only after `fit`.
    tree_ : ClusterTree
        What merges with what, grown when first asked for; SciPy's ``dendrogram`` draws it, and
        `cut` reads it.
    timings_ : dict
        Seconds spent on "graph", "start", "optimize" and, unless published, "choose"; on "count"
        too if clusters were counted.
    n_hops_ : int
        Steps in the graph within which samples count as similar.
    batch_size_ : int
        Samples updated together.
    findings_ : tuple of Finding
        What was odd about the rows or the result, and what helps; each was a warning, a
        DataWarning or, for clusters without samples, a ConvergenceWarning.
    n_features_in_, feature_names_in_
        Number and, for data frames, names of the features. Only after `fit`.

    Notes
    -----
    The model keeps a reference to X, or to what had to be made of it to be an array of numbers,
    because `predict` compares with the training rows: X must not be changed afterwards. Pickling
    the model stores X.

    Examples
    --------
    >>> from graphpac import GPAC
    >>> from graphpac.datasets import load
    >>> X = load("digits").X
    >>> model = GPAC(n_clusters=10, random_state=0).fit(X)
    >>> model.labels_.shape, model.memberships_.shape
    ((1797,), (1797, 10))
    >>> bool((model.predict(X[:5]) == model.labels_[:5]).all())
    True
    """

    def __init__(
        self,
        n_clusters: int | Literal["auto"] = 8,
        *,
        n_neighbors: int | Literal["auto"] = "auto",
        metric: Metric | Literal["precomputed"] = "cosine",
        searcher: str | NeighborSearcher = "auto",
        fuzziness: float = 1.05,
        alpha: float = 1.0,
        local_weight: float | Literal["ramp"] = "ramp",
        batch_size: int | Literal["auto"] = "auto",
        sizes: ClusterSizes = "even",
        variant: Variant = "best",
        init: Any = "smoothed",
        n_init: int = 1,
        max_iter: int | Literal["auto"] = "auto",
        tol: float = 1e-3,
        solver: SolverOptions | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.searcher = searcher
        self.fuzziness = fuzziness
        self.alpha = alpha
        self.local_weight = local_weight
        self.batch_size = batch_size
        self.sizes = sizes
        self.variant = variant
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def as_published(cls, n_clusters: int | Literal["auto"] = 8, **parameters: Any) -> Self:
        """Return an estimator of the published method: its ramp of 50 iterations, and no more.

        Neighbors are searched as they always were for it: exactly, or by faiss where rows are many.

        Parameters
        ----------
        n_clusters : int or "auto"
            Number of clusters; counting them is not part of the published method.
        **parameters
            Further parameters of the class. The published start is ``init="k-means++"``.
        """
        return cls(n_clusters, **{"variant": "published", **parameters})

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        *,
        callback: Callback | None = None,
        checkpoint: Folder | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Real, finite numbers of any dtype, memory maps included. Under ``metric="precomputed"``
            a square matrix of distances.
        y : ignored
            Present by convention.
        callback : callable, optional
            Called with the IterationRecord of each iteration; returning True ends the fit there.
        checkpoint : path, optional
            Folder that keeps what the fit has reached, every few iterations. If the fit does not
            come to its end, the same call goes on from there, and ends with the same bits. A folder
            of other data or parameters is refused.

        Returns
        -------
        self
            Fitted. If the fit does not come to its end, the estimator is as it was before.
        """
        with begin_fit(self, _PARAMETERS, X, starts=STARTS, checkpoint=checkpoint) as begun:
            of_rows = look_at_input(begun)
            graph, originals, training = begun.connect(
                self._count_neighbors, rows_for=last_start(self.n_init)
            )
            run = count_if_asked(begun, graph)
            starts = make_starts(run, graph, originals)
            del originals  # the working copy of X: nothing below needs it
            outcome = find_clusters(run, graph, starts, callback)
        fitted = gpac_attributes(self, graph, outcome, run.log.timings, of_rows)
        kernel = options_of(self).kernel
        predictor = NeighborAverage.of(training, outcome.result.memberships, graph, kernel)
        chosen = {"n_neighbors_": training.n_neighbors, "_predictor": predictor, "_tree": None}
        self._store({**fitted, **run.attributes, **chosen})
        return self

    def fit_graph(
        self,
        graph: Any,
        y: Any = None,  # noqa: ARG002
        *,
        callback: Callback | None = None,
        checkpoint: Folder | None = None,
    ) -> Self:
        """Cluster the samples of a graph.

        Without rows, "smoothed" and "k-means++" start from distances counted in steps of the graph,
        and `predict` is not possible. The parameters n_neighbors, metric and searcher are not used.

        Parameters
        ----------
        graph : NeighborGraph, pair of arrays, networkx graph, igraph graph or AnnData
            A pair is ``(indices, distances)``. A sparse matrix must say what its entries are: pass
            ``NeighborGraph.from_distances(matrix)`` or ``NeighborGraph.from_similarities(matrix)``.
        y : ignored
            Present by convention.
        callback : callable, optional
            As in `fit`.
        checkpoint : path, optional
            As in `fit`.

        Returns
        -------
        self
            Fitted. If the fit does not come to its end, the estimator is as it was before.
        """
        given = begin_fit(
            self, _PARAMETERS, graph, is_graph=True, starts=STARTS, checkpoint=checkpoint
        )
        with given as begun:
            run = count_if_asked(begun, begun.X)
            starts = make_starts(run, run.X, None)
            outcome = find_clusters(run, run.X, starts, callback)
        fitted = gpac_attributes(self, run.X, outcome, {"graph": 0.0, **run.log.timings})
        self._store({**fitted, "_predictor": None, "_tree": None})
        return self

    def _count_neighbors(self, n_originals: int) -> int:
        return count_neighbors(self.n_neighbors, n_originals, asked_clusters(self))

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        return gpac_costs(
            size,
            n_jobs,
            problem=problem_of(self, planned_clusters(self, size.n_samples)),
            options=options_of(self),
            counts_clusters=asked_clusters(self) is None,
            has_choice=self.variant != "published",
            n_init=self.n_init,
            n_neighbors=self._count_neighbors(size.n_samples),
            searcher=searcher_of(self),
            init=self.init if isinstance(self.init, str) else "given",
        )


def connect_rows(model: GPAC, X: Any) -> NeighborGraph:
    """Check rows, warn of what is odd about them, and find their neighbors, as a fit does."""
    with begin_fit(model, _PARAMETERS, X) as run:
        look_at_input(run)
        return run.connect(model._count_neighbors).graph
