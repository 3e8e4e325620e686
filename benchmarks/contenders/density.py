"""Methods that look for dense regions and leave rows between them out."""

from __future__ import annotations

from benchmarks.contenders.base import Contender, Fitted, Matrix

MIN_SAMPLES = 10


def fit_hdbscan(X: Matrix, n_clusters: int, _seed: int) -> Fitted:
    from sklearn.cluster import HDBSCAN

    size = smallest_cluster(X.shape[0], n_clusters)
    model = HDBSCAN(min_cluster_size=size, min_samples=MIN_SAMPLES, n_jobs=-1, copy=False)
    return Fitted(model.fit_predict(X))


def fit_fast_hdbscan(X: Matrix, n_clusters: int, _seed: int) -> Fitted:
    from fast_hdbscan import HDBSCAN

    size = smallest_cluster(X.shape[0], n_clusters)
    return Fitted(HDBSCAN(min_cluster_size=size, min_samples=MIN_SAMPLES).fit_predict(X))


def fit_evoc(X: Matrix, n_clusters: int, seed: int) -> Fitted:
    from evoc import EVoC

    # Told the number of clusters like the others, though it need not reach it.
    model = EVoC(approx_n_clusters=n_clusters, random_state=seed)
    return Fitted(model.fit_predict(X))


def smallest_cluster(n_samples: int, n_clusters: int) -> int:
    """Tell HDBSCAN how fine to look: a tenth of the mean size, since it takes no number."""
    return max(5, n_samples // (10 * n_clusters))


HDBSCAN_SETTING = (
    "cannot be told the number of clusters, so the smallest is set to a tenth of the mean size; "
    f"`min_samples={MIN_SAMPLES}`"
)
CONTENDERS = {
    "HDBSCAN": Contender(
        fit_hdbscan, ("scikit-learn",), f"of scikit-learn; {HDBSCAN_SETTING}; works in float64"
    ),
    "fast_hdbscan": Contender(fit_fast_hdbscan, ("fast_hdbscan",), HDBSCAN_SETTING),
    "EVoC": Contender(
        fit_evoc, ("evoc",), "`approx_n_clusters`, which it comes near but need not reach"
    ),
}
