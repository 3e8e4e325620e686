"""Methods that describe a cluster by its center."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.contenders.base import Contender, Fitted, Matrix


def fit_kmeans(X: Matrix, n_clusters: int, seed: int, n_init: int = 1) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(n_clusters, n_init=n_init, max_iter=300, random_state=seed).fit(X)


def fit_minibatch_kmeans(X: Matrix, n_clusters: int, seed: int) -> Any:
    from sklearn.cluster import MiniBatchKMeans

    return MiniBatchKMeans(n_clusters, n_init=1, random_state=seed).fit(X)


def fit_faiss_kmeans(X: Matrix, n_clusters: int, seed: int) -> Any:
    import faiss

    model = faiss.Kmeans(X.shape[1], n_clusters, niter=25, seed=seed)
    model.train(X)
    _, nearest = model.index.search(X, 1)
    return Fitted(nearest[:, 0], n_iter_=25)


def fit_fuzzy_cmeans(X: Matrix, n_clusters: int, seed: int) -> Any:
    from skfuzzy.cluster import cmeans

    # With the usual m = 2 all centers fall together once there are more than a few features.
    found = cmeans(X.T, n_clusters, m=1.1, error=0.005, maxiter=300, seed=seed)
    memberships, n_iter = found[1], found[5]
    return Fitted(memberships.argmax(axis=0), n_iter_=n_iter)


CONTENDERS = {
    "KMeans": Contender(
        fit_kmeans,
        ("scikit-learn",),
        "one k-means++ start (`n_init=1`), at most 300 iterations; copies the rows",
    ),
    "KMeans, 10 starts": Contender(
        partial(fit_kmeans, n_init=10),
        ("scikit-learn",),
        "the best of ten starts (`n_init=10`), at most 300 iterations each; copies the rows",
    ),
    "MiniBatchKMeans": Contender(
        fit_minibatch_kmeans,
        ("scikit-learn",),
        "defaults, which mean one k-means++ start (`n_init=1`), 1,024 rows a batch and at most 100 "
        "epochs",
    ),
    "faiss k-means": Contender(
        fit_faiss_kmeans,
        ("faiss-cpu",),
        "defaults: 25 iterations, not spherical, trained on at most 256 rows a cluster",
    ),
    "fuzzy c-means": Contender(
        fit_fuzzy_cmeans,
        ("scikit-fuzzy",),
        "m = 1.1 because m = 2 lets the centers fall together in many dimensions; error 0.005, at "
        "most 300 iterations; works in float64",
    ),
}
