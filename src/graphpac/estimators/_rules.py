"""Rules of the parameters that several estimators have, each written once."""

from __future__ import annotations

import numpy as np

from graphpac.estimators._constraints import (
    Rule,
    has_method,
    instance_of,
    none,
    one_of,
    real_number,
    thread_count,
    whole_number,
)
from graphpac.graph.searchers import SEARCHERS

_SHARED: dict[str, Rule] = {
    "n_clusters": whole_number(at_least=1),
    "n_neighbors": whole_number(at_least=1),
    "metric": one_of("cosine", "euclidean", "inner_product"),
    "searcher": one_of("auto", *SEARCHERS) | has_method("index"),
    "fuzziness": real_number(above=1.0),
    "local_weight": one_of("ramp") | real_number(at_least=0.0, below=1.0),
    "max_iter": whole_number(at_least=1),
    "n_init": whole_number(at_least=1),
    "tol": real_number(at_least=0.0),
    "n_jobs": none() | thread_count(),
    "random_state": none()
    | whole_number(at_least=0)
    | instance_of(np.random.RandomState, np.random.Generator),
    "verbose": whole_number(at_least=0) | instance_of(bool),
}


def rules_of(*names: str, **own: Rule) -> dict[str, Rule]:
    """Return the shared rules of the parameters named, and those of an estimator's own."""
    return {**{name: _SHARED[name] for name in names}, **own}
