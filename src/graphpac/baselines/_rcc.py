"""The estimator of robust continuous clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from graphpac._constraints import one_of
from graphpac._costs import Cost
from graphpac._threads import resolve_n_jobs
from graphpac._typing import IntVector, RandomState
from graphpac.baselines._fit import GraphBaseline
from graphpac.baselines._scaling import SCALINGS, FeatureScaling, Scaling
from graphpac.fitting.attributes import iteration_attributes, label_attributes
from graphpac.fitting.costs import graph_fit_costs
from graphpac.fitting.parameters import constraints_of
from graphpac.fitting.run import FitRun
from graphpac.graph.costs import degree_of, neighbor_graph
from graphpac.graph.data_size import DataSize
from graphpac.graph.searchers import NeighborSearcher
from graphpac.prediction.training import TrainingData, search_blocks
from graphpac.solvers.rcc import rcc_memory, solve_rcc
from graphpac.solvers.rcc_edges import find_edges


class RCC(GraphBaseline):
    """Robust continuous clustering: finds the number of clusters itself.

    Every sample has a representative, which starts at the sample and is pulled towards the
    representatives of its neighbors while a penalty lets go of edges that turn out too long. In the
    end groups have collapsed, and those representatives that meet along edges are a cluster.

    Classes that touch may share a cluster, others may be split, and a few samples stay alone: on
    MNIST it finds some 18 clusters, of which nine hold 99.7 % of the samples, one of them both the
    fours and the nines. The pull grows with the number of samples: groups of a few dozen break up.

    Parameters
    ----------
    n_neighbors : int
        Neighbors of each sample. Edges join samples that are neighbors of each other, and those
        that a minimum spanning forest needs to reach the others. More give fewer clusters.
    metric : {"cosine", "euclidean"}
        How neighbors are compared, after scaling. The representatives are compared by their
        Euclidean distance in any case.
    searcher : str or NeighborSearcher
        "auto" picks by size and dimension; "exact", "lists", "faiss", "nndescent", or an object.
    scaling : {"min-max", "standardize", "unit", "none"}
        Features from 0 to 1, features of mean 0 and standard deviation 1, rows of length
        sqrt(n_features), or all as it is. The method has absolute constants that were chosen for
        features from 0 to 1, and other scales give other numbers of clusters. Values beyond 1e7
        or all below 1e-9 are divided by a power of two even so, which keeps squares finite.
    max_iter : int
        Largest number of iterations.
    n_jobs : int, optional
        Number of threads; None means all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed of the searches for neighbors and for spectral norms. The method itself draws nothing,
        so results of different seeds hardly differ: on MNIST in 18 or 19 clusters.
    verbose : int
        1 shows a progress bar and logs the stages, 2 logs the iterations as well.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample.
    n_clusters_ : int
        Number of clusters found.
    cluster_sizes_ : int64 array of shape (n_clusters_,)
        Number of samples of each label.
    representatives_ : float32 array of shape (n_samples, n_features)
        Where the samples went, in scaled features.
    objective_ : float
        The objective at the beginning of the last iteration.
    history_ : tuple of float
        The objective at the beginning of each iteration. It does not rise while the width of the
        penalty stays, for four iterations at most; of different widths it cannot be compared.
    n_iter_, converged_
        Number of iterations made, and whether they ended before max_iter.
    timings_ : dict
        Seconds spent on "start" (scaling), "graph" and "optimize".

    Notes
    -----
    `predict` gives a row the cluster of the nearest training row.

    References
    ----------
    S. A. Shah, V. Koltun (2017), Robust continuous clustering.

    Examples
    --------
    >>> from graphpac import RCC
    >>> from graphpac.datasets import load
    >>> model = RCC(random_state=0).fit(load("digits").X)
    >>> 20 <= model.n_clusters_ <= 30
    True
    """

    _takes_sparse = False

    _parameters = constraints_of(
        metric=one_of("cosine", "euclidean"),
        scaling=one_of(*SCALINGS),
    )

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        metric: Literal["cosine", "euclidean"] = "cosine",
        searcher: str | NeighborSearcher = "auto",
        scaling: Scaling = "min-max",
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.searcher = searcher
        self.scaling = scaling
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        with run.log.stage("start"):
            scaling = FeatureScaling.learned(run.X, self.scaling)
            rows = scaling.apply(run.X, run.n_jobs)
        graph, _, training = run.connect(self.n_neighbors, X=rows)
        with run.log.stage("optimize") as progress:
            result = solve_rcc(
                rows,
                find_edges(graph),
                max_iter=self.max_iter,
                rng=run.streams.optimize,
                n_jobs=run.n_jobs,
                watch=lambda iteration, _: progress(iteration, self.max_iter),
            )
        return {
            **label_attributes(result.labels, result.n_clusters),
            "n_clusters_": result.n_clusters,
            "representatives_": result.representatives,
            **iteration_attributes(result.history, converged=result.converged),
            "_predictor": NearestRow(scaling, training, result.labels, self.n_jobs),
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        n, d, k = size.n_samples, size.n_features, degree_of(size, self.n_neighbors)
        scaled = {"scaled rows": 4.0 * n * d}
        connecting = graph_fit_costs(self, size, n_jobs, k)["graph"]
        optimize = rcc_memory(n, d, n * k)
        return {
            "graph": connecting.beside(scaled),
            "optimize": Cost(optimize).beside({**scaled, **neighbor_graph(size, k)}),
        }


@dataclass(frozen=True)
class NearestRow:
    """Gives a row the cluster of the nearest training row, of itself if it is one."""

    scaling: FeatureScaling
    training: TrainingData
    training_labels: IntVector
    n_jobs: int | None

    def labels(self, X: Any) -> IntVector:
        """Return a cluster for each row."""
        rows = self.scaling.apply(X, resolve_n_jobs(self.n_jobs))
        nearest = np.concatenate([self._find(block) for block in search_blocks(rows)])
        labels: IntVector = self.training_labels[nearest]
        return labels

    def _find(self, rows: Any) -> IntVector:
        known = self.training.known(rows)
        return np.where(known >= 0, known, self.training.neighbors(rows).indices[:, 0])
