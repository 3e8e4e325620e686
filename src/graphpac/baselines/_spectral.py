"""The estimator of spectral clustering, and what others need of it."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from graphpac._constraints import one_of
from graphpac._costs import Cost, Parts
from graphpac._typing import AnyArray, IntVector, RandomState
from graphpac.baselines._fit import GraphBaseline
from graphpac.fitting.attributes import label_attributes
from graphpac.fitting.costs import graph_fit_costs
from graphpac.fitting.parameters import constraints_of
from graphpac.fitting.progress import logger
from graphpac.fitting.run import FitRun
from graphpac.graph import NeighborGraph
from graphpac.graph.costs import degree_of, link_count
from graphpac.graph.data_size import DataSize
from graphpac.graph.searchers import NeighborSearcher
from graphpac.prediction.vote import NeighborVote
from graphpac.solvers.spectral import (
    Affinity,
    Spectrum,
    leading_eigenvectors,
    normalized_affinity,
    spectrum_memory,
    unit_rows,
)


class NeighborSpectralClustering(GraphBaseline):
    """Spectral clustering on the graph of nearest neighbors: clusters that few edges connect.

    The graph's similarities W, divided by the roots of their sums D, make A = D^-1/2 W D^-1/2. Its
    eigenvectors of the largest eigenvalues give each sample a row of n_clusters numbers; rows are
    divided by their length and clustered by scikit-learn's k-means. Where the graph falls into
    more parts than n_clusters, all of these eigenvalues are 1 and which parts are joined is
    arbitrary: raise n_neighbors.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at most the number of samples.
    n_neighbors : int
        Neighbors of each sample in the graph. Neighbors in either direction count.
    metric : {"euclidean", "cosine"}
        What near means.
    searcher : str or NeighborSearcher
        How neighbors are found: "auto" picks by size and dimension.
    affinity : {"heat", "binary"}
        Similarity of neighbors: exp(-d^2 / (2 s)), with s the mean of d^2 over all edges and
        d^2 = 2 (1 - cos) under the cosine metric; or 1.
    n_init : int
        Number of starts of k-means, of which the best is kept.
    n_jobs : int, optional
        Number of threads; None means all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed; the same seed gives the same result to the last bit.
    verbose : int
        1 shows a progress bar and logs the stages.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample.
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of samples of each label.
    embedding_ : float64 array of shape (n_samples, n_clusters)
        The eigenvectors, one in each column, before rows are divided by their length.
    eigenvalues_ : float64 array of shape (n_clusters,)
        Their eigenvalues, largest first; as many are 1 as the graph has parts.
    objective_ : float
        Sum of squared distances between rows of length one and their means.
    n_iter_, converged_
        Rounds made for the eigenvectors, and whether these are as exact as wanted.
    timings_ : dict
        Seconds spent on "graph", "start" (the eigenvectors) and "optimize" (k-means).

    Notes
    -----
    `predict` does not embed new rows: it lets the nearest training rows vote with their labels.

    References
    ----------
    A. Ng, M. Jordan, Y. Weiss (2001), On spectral clustering: analysis and an algorithm.

    Examples
    --------
    >>> from graphpac import NeighborSpectralClustering
    >>> from graphpac.datasets import load
    >>> model = NeighborSpectralClustering(10, random_state=0).fit(load("digits").X)
    >>> model.embedding_.shape
    (1797, 10)
    """

    _parameters = constraints_of(
        metric=one_of("cosine", "euclidean"),
        affinity=one_of("heat", "binary"),
    )

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        metric: Literal["cosine", "euclidean"] = "euclidean",
        searcher: str | NeighborSearcher = "auto",
        affinity: Affinity = "heat",
        n_init: int = 10,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.searcher = searcher
        self.affinity = affinity
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        connected = run.connect(self.n_neighbors)
        with run.log.stage("start"):
            _, spectrum = embed(run, connected.graph, self.n_clusters, self.affinity)
        with run.log.stage("optimize"):
            labels, inertia = cluster_directions(
                spectrum.vectors, self.n_clusters, self.n_init, run.streams.optimize
            )
        return {
            **label_attributes(labels, self.n_clusters),
            "embedding_": spectrum.vectors,
            "eigenvalues_": spectrum.values,
            "objective_": inertia,
            "n_iter_": spectrum.n_rounds,
            "converged_": spectrum.converged,
            "_predictor": NeighborVote.of(connected.training, labels, connected.graph),
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        start, optimize = spectral_memory(self, size)
        return graph_fit_costs(self, size, n_jobs, self.n_neighbors, start=start, optimize=optimize)


def embed(
    run: FitRun, graph: NeighborGraph, n_clusters: int, affinity: Affinity
) -> tuple[sp.csr_array, Spectrum]:
    """Return the normalized affinity and as many leading eigenvectors as clusters; log oddities."""
    normalized = normalized_affinity(graph, affinity)
    spectrum = leading_eigenvectors(normalized, n_clusters, run.streams.start, n_jobs=run.n_jobs)
    if not spectrum.converged:
        logger.info("the eigenvectors are not exact: their eigenvalues lie too close together")
    if (n_components := graph.n_components) > n_clusters:
        logger.info(
            "the graph has %d parts with no edge between them, more than n_clusters=%d",
            n_components,
            n_clusters,
        )
    return normalized, spectrum


def spectral_memory(estimator: Any, size: DataSize) -> tuple[Parts, Parts]:
    """Tell what eigenvectors take, and what finding clusters of directions does beside them."""
    n, n_clusters = size.n_samples, estimator.n_clusters
    degree = degree_of(size, estimator.n_neighbors)
    n_links = link_count(n, degree)
    start = spectrum_memory(n, n_clusters, n * degree, n_links)
    return start, {"affinity": 12.0 * n_links, "embeddings": 3 * 8.0 * n * n_clusters}


def cluster_directions(
    embedding: AnyArray, n_clusters: int, n_init: int, rng: np.random.Generator
) -> tuple[IntVector, float]:
    """Cluster rows of an embedding, divided by their length, by k-means.

    Returned are labels, and the sum of squares around the means.
    """
    from sklearn.cluster import KMeans

    model = KMeans(n_clusters, n_init=n_init, random_state=int(rng.integers(2**31 - 1)))
    with warnings.catch_warnings():
        # Empty clusters are told of once, in words about the samples.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(unit_rows(embedding))
    return model.labels_.astype(np.int32), float(model.inertia_)
