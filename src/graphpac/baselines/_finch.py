"""The estimator of FINCH."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphpac._constraints import instance_of, none, one_of, whole_number
from graphpac._costs import Cost
from graphpac._typing import IntMatrix, IntVector, RandomState
from graphpac.baselines._fit import GraphBaseline
from graphpac.fitting.attributes import label_attributes
from graphpac.fitting.costs import graph_fit_costs
from graphpac.fitting.parameters import constraints_of
from graphpac.fitting.progress import logger
from graphpac.fitting.run import FitRun
from graphpac.fitting.telling import warn_caller
from graphpac.graph.build import graph_of_rows
from graphpac.graph.data_size import DataSize
from graphpac.graph.rows import prepare_rows, row_scale
from graphpac.graph.searchers import NeighborSearcher, is_exact
from graphpac.prediction.vote import NeighborVote
from graphpac.solvers.finch import Clusters, FirstNeighbors, Hierarchy, finch_memory, find_hierarchy
from graphpac.solvers.finch_merging import merge_nearest


class FINCH(GraphBaseline):
    """FINCH: a short hierarchy of clusters, from nothing but the nearest neighbor of each sample.

    Samples are linked to their first neighbors, and what is connected is a cluster. The means of
    the clusters are linked to their first neighbors in turn, and so on until one cluster would be
    left. Each level has at most half the clusters of the one before, so there are few.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. The coarsest level with at least as many is taken, and its two nearest
        clusters are merged, one pair at a time, until the number is reached; more clusters than the
        finest level has are not to be had, and a warning says so. None takes the level that stands
        out: the median distance from its clusters to their first neighbors has grown most, compared
        with the level before.
    merge : bool
        False takes the level whose number of clusters is nearest to n_clusters instead, the finer
        of two as near, and merges nothing.
    metric : {"cosine", "euclidean"}
        What near means. Under "cosine" rows of zeros are as far from everything and go with the
        first row.
    searcher : str or NeighborSearcher
        How neighbors are found, see `build_neighbor_graph`. "exact" takes time in proportion to the
        square of the number of samples and is always right.
    early_exit : bool
        Whether to ignore, at every level but the finest, links longer than the longest among
        samples, so that the hierarchy may end before clusters far apart are joined. Links are
        measured as by the authors' first release: two that are the first neighbor of each other
        count twice their distance, and two with the same first neighbor are linked as well. Needs
        an exact search and is passed over without.
    n_jobs : int, optional
        Number of threads; None means all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed of approximate searchers; nothing else is random.
    verbose : int
        1 shows a progress bar and logs the stages, 2 logs the iterations as well.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample; clusters are numbered by their first samples.
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of samples of each label.
    partitions_ : int32 array of shape (n_samples, n_levels)
        Cluster of each sample at every level, the finest first.
    n_clusters_per_level_ : tuple of int
        Number of clusters of each level.
    timings_ : dict
        Seconds spent on "graph", "levels" and "merge".

    References
    ----------
    M. S. Sarfraz, V. Sharma, R. Stiefelhagen (2019), Efficient parameter-free clustering using
    first neighbor relations.

    Examples
    --------
    >>> from graphpac import FINCH
    >>> from graphpac.datasets import load
    >>> model = FINCH().fit(load("digits").X)
    >>> model.n_clusters_per_level_
    (372, 84, 21, 8, 2)
    >>> model.cluster_sizes_.size
    8
    """

    partitions_: IntMatrix
    n_clusters_per_level_: tuple[int, ...]

    _parameters = constraints_of(
        n_clusters=none() | whole_number(at_least=1),
        metric=one_of("cosine", "euclidean"),
        merge=instance_of(bool),
        early_exit=instance_of(bool),
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        merge: bool = True,
        metric: Literal["cosine", "euclidean"] = "cosine",
        searcher: str | NeighborSearcher = "auto",
        early_exit: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.merge = merge
        self.metric = metric
        self.searcher = searcher
        self.early_exit = early_exit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        graph, _, training = run.connect(1)
        # Needed under "cosine" as well: rows get their length after they are summed up.
        unit = row_scale(run.X, "euclidean")
        with run.log.stage("levels"):
            rows = run.rows(self.metric)
            early_exit = self.early_exit and is_exact(self.searcher, rows)
            if early_exit != self.early_exit:
                logger.info("early_exit is passed over, because the search is approximate")
            hierarchy = find_hierarchy(
                run.X,
                FirstNeighbors.of(rows, graph),
                lambda means: self._connect(run, means),
                early_exit=early_exit,
                unit=unit,
            )
        with run.log.stage("merge"):
            labels = self._labels(run.X, hierarchy, unit)
        return {
            **label_attributes(labels, int(labels.max()) + 1),
            "partitions_": hierarchy.partitions,
            "n_clusters_per_level_": hierarchy.sizes,
            "_predictor": NeighborVote.of(training, labels, graph),
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        levels = finch_memory(size.n_samples, size.n_entries // size.n_samples)
        return graph_fit_costs(self, size, n_jobs, 1, keep_rows=True, levels=levels)

    def labels_nearest(self, n_clusters: int) -> IntVector:
        """Return the labels of the level whose number of clusters is nearest to one.

        Parameters
        ----------
        n_clusters : int
            The number; of two levels as near the finer is taken.

        Returns
        -------
        labels : int32 array of shape (n_samples,)
            A column of ``partitions_``.
        """
        check_is_fitted(self, "partitions_")
        labels: IntVector = self.partitions_[:, _nearest(self.n_clusters_per_level_, n_clusters)]
        return labels

    def _connect(self, run: FitRun, means: Any) -> FirstNeighbors:
        """Find the first neighbors of means, which are in the unit of the rows of samples."""
        rows = prepare_rows(means, self.metric, scale=1.0, n_jobs=run.n_jobs)
        graph = graph_of_rows(
            rows,
            1,
            metric=self.metric,
            searcher=self.searcher,
            n_jobs=run.n_jobs,
            random_state=run.streams.graph,
        )
        return FirstNeighbors.of(rows, graph)

    def _labels(self, X: Any, hierarchy: Hierarchy, unit: float) -> IntVector:
        """Take the level that stands out, or merge clusters of one until so many are left."""
        if self.n_clusters is None:
            return hierarchy.partitions[:, hierarchy.outstanding_level()]
        if not self.merge:
            return hierarchy.partitions[:, _nearest(hierarchy.sizes, self.n_clusters)]
        level = hierarchy.coarsest_level(self.n_clusters)
        labels, n_found = hierarchy.partitions[:, level], hierarchy.sizes[level]
        if n_found < self.n_clusters:
            warn_caller(
                f"n_clusters={self.n_clusters} is more than the {n_found} clusters of the finest "
                "level, which are returned: lower n_clusters.",
            )
        if n_found <= self.n_clusters:
            return labels
        nearest = hierarchy.graphs[level + 1].indices
        clusters = Clusters.of(X, labels, unit)
        return merge_nearest(clusters, nearest, self.n_clusters, self.metric)[labels]


def _nearest(sizes: tuple[int, ...], n_clusters: int) -> int:
    """Find the level of the nearest size; sizes fall, so the first of equals is the finer one."""
    return int(np.argmin(np.abs(np.array(sizes) - n_clusters)))
