"""The estimator of self-constrained spectral clustering."""

from __future__ import annotations

from typing import Any, Literal

from graphpac._constraints import one_of
from graphpac._costs import Cost
from graphpac._typing import RandomState
from graphpac.baselines._fit import GraphBaseline
from graphpac.baselines._spectral import cluster_directions, embed, spectral_memory
from graphpac.fitting.attributes import iteration_attributes, label_attributes
from graphpac.fitting.costs import graph_fit_costs
from graphpac.fitting.parameters import constraints_of, weight
from graphpac.fitting.run import FitRun
from graphpac.graph.costs import degree_of, link_count
from graphpac.graph.data_size import DataSize
from graphpac.graph.searchers import NeighborSearcher
from graphpac.prediction.vote import NeighborVote
from graphpac.solvers.self_csc import self_csc_memory, solve_self_csc

_STARTS = 10


class SelfCSC(GraphBaseline):
    """Self-constrained spectral clustering: a reconstruction, experimental.

    No code of the authors is public, and this was not written from the article's full text: its
    abstract and a third party's script of a derived method are what the updates rest on. Do not
    take results for those of the authors.

    Spectral clustering whose embedding H is pulled, beside the graph, by what it says itself:
    which neighbors belong together, Z = [H H^T]+, and to which cluster samples belong, V = [H]+.
    Graph, embedding, pairs and labels are improved in turn. Z has entries between neighbors only;
    the dense matrix of the script would take 39 GB for 70,000 samples.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at most the number of samples.
    n_neighbors : int
        Neighbors of each sample in the graph. Neighbors in either direction count, with the
        similarity exp(-d^2 / (2 s)), s the mean of d^2 over all edges.
    metric : {"euclidean", "cosine"}
        What near means. Under "cosine" d^2 = 2 (1 - cos).
    searcher : str or NeighborSearcher
        How neighbors are found: "auto" picks by size and dimension.
    pairwise_weight : float
        Weight of the pairs Z beside the graph, the script's alpha.
    label_weight : float
        Weight of the labels V beside the graph, the script's beta.
    max_iter : int
        Largest number of iterations: one step for Z and V, five for H.
    tol : float
        Iterations end when one changes the objective by no more than this share of itself.
    n_jobs : int, optional
        Number of threads; None means all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed; the same seed gives the same result to the last bit.
    verbose : int
        1 shows a progress bar and logs the stages.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, by k-means on the rows of H divided by their length.
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of samples of each label.
    embedding_ : float64 array of shape (n_samples, n_clusters)
        H, with orthonormal columns.
    objective_ : float
        1/2 Tr(H^T (I - A) H) - alpha <Z, H H^T> + beta/2 |H - V|^2, with A the normalized graph.
    history_ : tuple of float
        The objective after each iteration. It mostly falls, but need not.
    n_iter_, converged_
        Number of iterations made, and whether they ended before max_iter.
    timings_ : dict
        Seconds spent on "graph", "start" (spectral clustering) and "optimize".

    Notes
    -----
    `predict` does not embed new rows: it lets the nearest training rows vote with their labels.

    References
    ----------
    L. Bai, J. Liang, Y. Zhao (2023), Self-constrained spectral clustering.

    Examples
    --------
    >>> from graphpac import SelfCSC
    >>> from graphpac.datasets import load
    >>> model = SelfCSC(n_clusters=10, random_state=0).fit(load("digits").X)
    >>> model.embedding_.shape
    (1797, 10)
    """

    _parameters = constraints_of(
        metric=one_of("cosine", "euclidean"),
        pairwise_weight=weight(),
        label_weight=weight(),
    )

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        metric: Literal["cosine", "euclidean"] = "euclidean",
        searcher: str | NeighborSearcher = "auto",
        pairwise_weight: float = 0.1,
        label_weight: float = 0.01,
        max_iter: int = 20,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.searcher = searcher
        self.pairwise_weight = pairwise_weight
        self.label_weight = label_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        connected = run.connect(self.n_neighbors)
        with run.log.stage("start"):
            affinity, spectrum = embed(run, connected.graph, self.n_clusters, "heat")
            start, _ = cluster_directions(
                spectrum.vectors, self.n_clusters, _STARTS, run.streams.start
            )
        with run.log.stage("optimize") as progress:
            result = solve_self_csc(
                affinity,
                spectrum.vectors,
                start,
                pairwise_weight=self.pairwise_weight,
                label_weight=self.label_weight,
                max_iter=self.max_iter,
                tol=self.tol,
                n_jobs=run.n_jobs,
                watch=lambda iteration, _: progress(iteration, self.max_iter),
            )
            labels, _ = cluster_directions(
                result.embedding, self.n_clusters, _STARTS, run.streams.optimize
            )
        return {
            **label_attributes(labels, self.n_clusters),
            "embedding_": result.embedding,
            **iteration_attributes(result.history, converged=result.converged),
            "_predictor": NeighborVote.of(connected.training, labels, connected.graph),
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        n_links = link_count(size.n_samples, degree_of(size, self.n_neighbors))
        start, _ = spectral_memory(self, size)
        optimize = self_csc_memory(size.n_samples, self.n_clusters, n_links)
        return graph_fit_costs(self, size, n_jobs, self.n_neighbors, start=start, optimize=optimize)
