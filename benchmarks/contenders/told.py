"""Further methods of the comparison, all told the number of clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.contenders.base import Contender, Fitted, Matrix

N_NEIGHBORS = 10
SEARCHES = 16  # of a resolution; most end much earlier
UMAP_DIMENSIONS = 10


def fit_published_gpac(X: Matrix, n_clusters: int, seed: int) -> Any:
    from graphpac import GPAC

    return GPAC.as_published(n_clusters, random_state=seed).fit(X)


def fit_spectral(X: Matrix, n_clusters: int, seed: int) -> Fitted:
    from graphpac import NeighborSpectralClustering

    model = NeighborSpectralClustering(
        n_clusters, n_neighbors=N_NEIGHBORS, metric="cosine", random_state=seed
    ).fit(X)
    return Fitted(model.labels_, model.timings_, model.n_iter_)


def fit_leiden_to_number(
    X: Matrix, n_clusters: int, seed: int, n_neighbors: int = N_NEIGHBORS
) -> Fitted:
    """Cluster the graph GPAC uses at the resolution that gives the number of clusters."""
    import random

    import igraph
    import numpy as np

    from graphpac import build_neighbor_graph

    neighbors = build_neighbor_graph(X, n_neighbors, random_state=seed)
    rows = np.repeat(np.arange(neighbors.n_samples), neighbors.degrees)
    graph = igraph.Graph(neighbors.n_samples, np.column_stack((rows, neighbors.indices)))
    graph.simplify()  # a neighbor in either direction is one edge

    def cluster(resolution: float) -> Any:
        igraph.set_random_number_generator(random.Random(seed))
        found = graph.community_leiden(
            objective_function="modularity", resolution=resolution, n_iterations=2
        )
        return np.asarray(found.membership)

    return Fitted(search_resolution(cluster, n_clusters))


def search_resolution(cluster: Callable[[float], Any], wanted: int) -> Any:
    """Double or halve the resolution, then bisect it; return the labels nearest to the number.

    The numbers need not grow with the resolution everywhere, so the nearest seen is kept.
    """
    low, high = 0.0, float("inf")
    resolution = 1.0
    best, n_best = None, float("inf")
    for _ in range(SEARCHES):
        labels = cluster(resolution)
        n_found = int(labels.max()) + 1
        if abs(n_found - wanted) < abs(n_best - wanted):
            best, n_best = labels, n_found
        if n_found == wanted:
            break
        if n_found < wanted:
            low = resolution
        else:
            high = resolution
        if high == float("inf"):
            resolution = 2.0 * low
        elif low == 0.0:
            resolution = high / 2.0
        else:
            resolution = (low * high) ** 0.5
    return best


def fit_umap_kmeans(X: Matrix, n_clusters: int, seed: int) -> Fitted:
    from sklearn.cluster import KMeans
    from umap import UMAP

    reducer = UMAP(
        n_components=UMAP_DIMENSIONS, min_dist=0.0, metric="cosine", random_state=seed, n_jobs=1
    )
    embedding = reducer.fit_transform(X)
    return Fitted(KMeans(n_clusters, n_init=10, random_state=seed).fit(embedding).labels_)


CONTENDERS = {
    "GPAC as published": Contender(
        fit_published_gpac,
        (),
        "`GPAC.as_published`: the algorithm of the paper and nothing after it; cosine distance, "
        f"{N_NEIGHBORS} neighbors, 50 iterations",
    ),
    "spectral": Contender(
        fit_spectral,
        (),
        f'`NeighborSpectralClustering(metric="cosine")` of this package: {N_NEIGHBORS} neighbors, '
        "heat kernel, k-means on the unit rows of the eigenvectors",
    ),
    "Leiden, number given": Contender(
        fit_leiden_to_number,
        ("igraph",),
        f"`community_leiden` of igraph: modularity, two iterations, on GPAC's graph of "
        f"{N_NEIGHBORS} neighbors (cosine) made symmetric, without weights; the resolution that "
        "gives the number of clusters is searched by bisection",
    ),
    "UMAP + k-means": Contender(
        fit_umap_kmeans,
        ("umap-learn",),
        f'`UMAP(n_components={UMAP_DIMENSIONS}, min_dist=0, metric="cosine")` with its 15 '
        "neighbors, then k-means with ten starts",
    ),
}
