"""Who is measured: a name, and a function from rows to labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Rows = Any  # float32 array of shape (n_samples, n_features)


@dataclass(frozen=True)
class Outcome:
    """Labels, -1 for rows left out as noise, and the seconds of each phase where they are known."""

    labels: Any
    phases: Mapping[str, float] = field(default_factory=dict)


# Takes the rows, the number of clusters and a seed.
Contender = Callable[[Rows, int, int], Outcome]


def fit_gpac(X: Rows, n_clusters: int, seed: int) -> Outcome:
    from graphpac import GPAC

    model = GPAC(n_clusters=n_clusters, random_state=seed).fit(X)
    return Outcome(model.labels_, model.timings_)


def fit_kmeans(X: Rows, n_clusters: int, seed: int) -> Outcome:
    from sklearn.cluster import KMeans

    return Outcome(KMeans(n_clusters=n_clusters, n_init=1, random_state=seed).fit(X).labels_)


def fit_evoc(X: Rows, n_clusters: int, seed: int) -> Outcome:
    from evoc import EVoC

    # Told the number of clusters like the others, though it need not reach it.
    model = EVoC(approx_n_clusters=n_clusters, random_state=seed)
    return Outcome(model.fit_predict(X))


CONTENDERS: dict[str, Contender] = {
    "GPAC": fit_gpac,
    "KMeans": fit_kmeans,
    "EVoC": fit_evoc,
}
