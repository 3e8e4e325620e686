"""The methods of the paper's comparison, as `graphpac.methods` makes them."""

from __future__ import annotations

from functools import partial

from benchmarks.contenders.base import Contender, Fitted, Matrix
from graphpac.methods import METHODS

PREFIX = "methods/"


def fit_method(X: Matrix, n_clusters: int, seed: int, *, name: str) -> Fitted:
    from graphpac import methods

    model = methods.make(name, n_clusters, random_state=seed).fit(X)
    stages = getattr(model, "timings_", {})
    return Fitted(model.labels_, stages, getattr(model, "n_iter_", None))  # no graph, no recall


CONTENDERS = {
    f"{PREFIX}{method.name}": Contender(
        partial(fit_method, name=method.name),
        ("scikit-learn",) if method.estimator.startswith("sklearn.") else (),
        method.setting,
    )
    for method in METHODS.values()
    if method.name != "ap"  # takes time with the square of the rows, and is not in the tables
}
