"""Methods that look at nearest neighbors only."""

from __future__ import annotations

from functools import partial

from benchmarks.contenders.base import Contender, Fitted, Matrix


def fit_spectral(X: Matrix, n_clusters: int, seed: int) -> Fitted:
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(
        n_clusters, affinity="nearest_neighbors", n_neighbors=10, n_jobs=-1, random_state=seed
    )
    return Fitted(model.fit_predict(X))


def fit_leiden(X: Matrix, _n_clusters: int, seed: int) -> Fitted:
    """Cluster the graph GPAC uses; the number of clusters comes out, it does not go in."""
    import random
    from time import perf_counter

    import igraph
    import numpy as np

    from graphpac import build_neighbor_graph

    began = perf_counter()
    neighbors = build_neighbor_graph(X, 10, random_state=seed)
    built = perf_counter()
    rows = np.repeat(np.arange(neighbors.n_samples), neighbors.degrees)
    graph = igraph.Graph(neighbors.n_samples, np.column_stack((rows, neighbors.indices)))
    graph.simplify()
    igraph.set_random_number_generator(random.Random(seed))
    found = graph.community_leiden(objective_function="modularity", resolution=1, n_iterations=2)
    stages = {"graph": built - began, "optimize": perf_counter() - built}
    return Fitted(np.asarray(found.membership), stages)


def fit_finch(X: Matrix, n_clusters: int, seed: int, exact_up_to: int = 20_000) -> Fitted:
    from finch import FINCH

    *_, labels = FINCH(X, req_clust=n_clusters, ann_threshold=exact_up_to, random_state=seed)
    return Fitted(labels)


CONTENDERS = {
    "SpectralClustering": Contender(
        fit_spectral,
        ("scikit-learn",),
        '`affinity="nearest_neighbors"` with 10 neighbors',
    ),
    "Leiden": Contender(
        fit_leiden,
        ("igraph",),
        "igraph, modularity at resolution 1, two iterations, on the graph of GPAC without weights; "
        "cannot be told the number of clusters",
    ),
    "FINCH": Contender(
        fit_finch,
        ("finch-clust", "pynndescent"),
        "`req_clust`; neighbors by pynndescent above 20,000 rows, its default",
        partial(fit_finch, exact_up_to=100),  # so that pynndescent compiles too
    ),
}
