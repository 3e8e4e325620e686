"""The estimator of K-sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from graphpac._constraints import one_of, whole_number
from graphpac._costs import Cost
from graphpac._typing import GraphKind, IntVector, OffsetVector, RandomState
from graphpac.baselines._fit import GraphBaseline
from graphpac.fitting.attributes import iteration_attributes, label_attributes
from graphpac.fitting.costs import graph_fit_costs
from graphpac.fitting.init import Init
from graphpac.fitting.parameters import constraints_of
from graphpac.fitting.run import FitRun
from graphpac.graph import NeighborGraph
from graphpac.graph.costs import degree_of
from graphpac.graph.data_size import DataSize
from graphpac.graph.searchers import Neighbors, NeighborSearcher
from graphpac.prediction.average import same_rows
from graphpac.prediction.training import TrainingData, search_blocks
from graphpac.solvers.ksums import (
    PairSavings,
    cheapest_clusters,
    graph_start,
    ksums_memory,
    pair_savings,
    random_start,
    solve_ksums,
    squared_distances,
)
from graphpac.solvers.memberships import largest_membership

_MOST_NEIGHBORS = 200
_STARTS = ("graph", "random")


class KSums(GraphBaseline):
    """K-sums: clusters without centers, of nearly equal size, on a neighbor graph.

    The sum of squared distances between all samples of a cluster, over all clusters, is made as
    small as moving one sample at a time can. Only neighbors have their distance measured; any other
    pair counts as the largest distance between neighbors. A cluster thus pays for each sample it
    has, and sizes come out nearly equal: choose another method where the groups are not.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at most the number of samples.
    n_neighbors : int or "auto"
        Neighbors of each sample whose distance is measured, the sample itself not counted (the
        authors count it). "auto" is 1.2 n_samples / n_clusters, rounded down, but at most 200.
        More give better clusters, and take memory and time in proportion.
    metric : {"euclidean", "cosine"}
        Squared Euclidean distances, of rows as they are or divided by their length. A row of zeros
        is then as far from all others as perpendicular rows are.
    searcher : str or NeighborSearcher
        "auto" picks by size and dimension; "exact", "lists", "faiss", "nndescent", or an object.
    init : {"graph", "random"} or int array of shape (n_samples,)
        Where to start. "graph": samples gather their neighbors into groups, the largest become the
        clusters, and the others go each to a random one. "random": any cluster for each sample.
        Labels are taken as they are; of memberships or a fitted model, the labels are taken.
    max_iter : int
        Largest number of sweeps over the samples.
    n_jobs : int, optional
        Number of threads of the neighbor search; None means all usable cores. The result is the
        same for any number.
    random_state : int, RandomState or Generator, optional
        Seed; the same seed gives the same result to the last bit.
    verbose : int
        1 shows a progress bar and logs the stages, 2 logs the iterations as well.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample.
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of samples of each label.
    objective_ : float
        Sum of the squared distances inside clusters, each pair counted in both directions.
    history_ : tuple of float
        The objective after each sweep; it never rises.
    n_iter_, converged_
        Number of sweeps made, and whether the last one moved no sample.
    n_neighbors_ : int
        Number of neighbors used.
    timings_ : dict
        Seconds spent on "graph", "start" and "optimize".

    Notes
    -----
    `predict` applies the rule of the fit: a row goes to the cluster of least h_l = (sum of squared
    distances to the neighbors found in cluster l) + (n_l - their number) dbar, with dbar the
    largest distance between neighbors, those of the row included. A row that equals a training row
    gets the label of that row, and one that is equally far from all the smallest cluster.

    References
    ----------
    S. Pei, F. Nie, R. Wang, X. Li (2020), Efficient clustering based on a unified view of K-means
    and ratio-cut. S. Pei, H. Chen, F. Nie, R. Wang, X. Li (2022), Centerless clustering.

    Examples
    --------
    >>> from graphpac import KSums
    >>> from graphpac.datasets import load
    >>> model = KSums(n_clusters=10, random_state=0).fit(load("digits").X)
    >>> bool(model.cluster_sizes_.min() > 160)
    True
    """

    _parameters = constraints_of(
        n_neighbors=one_of("auto") | whole_number(at_least=1),
        metric=one_of("euclidean", "cosine"),
    )
    _starts = _STARTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int | Literal["auto"] = "auto",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        searcher: str | NeighborSearcher = "auto",
        init: Any = "graph",
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.searcher = searcher
        self.init = init
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        n_neighbors = min(self._neighbors_asked(run.n_samples), run.n_samples - 1)
        graph, _, training = run.connect(n_neighbors)
        with run.log.stage("start"):
            pairs = PairSavings.of(graph)
            labels = _start(run.init, graph, self.n_clusters, run.streams.start)
        with run.log.stage("optimize") as progress:
            result = solve_ksums(
                pairs,
                labels,
                self.n_clusters,
                max_iter=self.max_iter,
                watch=lambda iteration, _: progress(iteration, self.max_iter),
            )
        return {
            **label_attributes(result.labels, self.n_clusters),
            **iteration_attributes(result.history, converged=result.converged),
            "n_neighbors_": n_neighbors,
            "_predictor": CheapestCluster(
                training, result.labels, result.sizes, graph.kind, pairs.longest
            ),
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        n_neighbors = degree_of(size, self._neighbors_asked(size.n_samples))
        pairs = ksums_memory(size.n_samples * n_neighbors)
        return graph_fit_costs(self, size, n_jobs, n_neighbors, start=pairs)

    def _neighbors_asked(self, n_samples: int) -> int:
        if self.n_neighbors == "auto":
            return min(6 * n_samples // (5 * self.n_clusters), _MOST_NEIGHBORS)
        return self.n_neighbors


def _start(
    init: Init, graph: NeighborGraph, n_clusters: int, rng: np.random.Generator
) -> IntVector:
    if sp.issparse(init):
        return largest_membership(init)[0]
    if not isinstance(init, str):
        return init
    if init == "random":
        return random_start(graph.n_samples, n_clusters, rng)
    return graph_start(graph, n_clusters, rng)


@dataclass(frozen=True)
class CheapestCluster:
    """Gives a row the cluster where it adds least to the sum of distances.

    A row that is a training row keeps that row's label.
    """

    training: TrainingData
    training_labels: IntVector
    sizes: OffsetVector
    kind: GraphKind
    longest: float

    def labels(self, X: Any) -> IntVector:
        """Return a cluster for each row."""
        return np.concatenate([self._place(rows) for rows in search_blocks(X)])

    def _place(self, rows: Any) -> IntVector:
        known = self.training.known(rows)
        labels = self._labels(self.training.neighbors(rows))
        return np.where(known >= 0, self.training_labels[known], labels)

    def _labels(self, found: Neighbors) -> IntVector:
        squares = squared_distances(found.values, self.kind)
        missing = found.indices < 0
        squares[missing] = 0.0
        # The new row extends the graph, and with it the largest distance in it.
        longest = np.maximum(squares.max(axis=1, keepdims=True), self.longest)
        savings = pair_savings(squares, longest)
        savings[same_rows(found.values, self.kind)] = self.training_labels.size  # above any size
        savings[missing] = 0.0
        return cheapest_clusters(self.training_labels[found.indices], savings, self.sizes)
