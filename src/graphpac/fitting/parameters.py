"""Constraints of the parameters that several estimators have, each written once."""

from __future__ import annotations

import numpy as np

from graphpac._constraints import (
    Constraint,
    has_method,
    instance_of,
    none,
    one_of,
    real_number,
    thread_count,
    whole_number,
)
from graphpac.graph.searchers import BY_SIZE, SEARCHERS

# One vote of a neighbor then outweighs the largest batch: the balance of clusters has no say left,
# and beyond 1e12 it vanishes in the rounding of float64. Digits has the same labels from 1e3 on.
_LARGEST_WEIGHT = 1e6
# Beyond, memberships of 1/n_clusters vanish when they are raised to that power in float32, and
# others come so near to them that labels are noise: on digits NMI .79 at 10, .55 at 30, .19 at 100.
_LARGEST_FUZZINESS = 10.0
# Some methods make all iterations they are given: more would be waiting without end.
_MOST_ITERATIONS = 100_000
_MOST_STARTS = 1_000

_SHARED: dict[str, Constraint] = {
    "n_clusters": whole_number(at_least=1),
    "n_neighbors": whole_number(at_least=1),
    "metric": one_of("cosine", "euclidean", "inner_product"),
    "searcher": one_of(*BY_SIZE, *SEARCHERS) | has_method("index"),
    "fuzziness": real_number(above=1.0, at_most=_LARGEST_FUZZINESS),
    "local_weight": one_of("ramp") | real_number(at_least=0.0, below=1.0),
    "max_iter": whole_number(at_least=1, at_most=_MOST_ITERATIONS),
    "n_init": whole_number(at_least=1, at_most=_MOST_STARTS),
    "tol": real_number(at_least=0.0),
    "n_jobs": none() | thread_count(),
    "random_state": none()
    | whole_number(at_least=0)
    | instance_of(np.random.RandomState, np.random.Generator),
    "verbose": whole_number(at_least=0) | instance_of(bool),
}


def shared_constraint(name: str) -> Constraint:
    """Return the constraint of one parameter, for another of its kind or to combine."""
    return _SHARED[name]


def weight() -> Constraint:
    """Accept how much one term counts beside another, as long as the other has a say."""
    return real_number(at_least=0.0, at_most=_LARGEST_WEIGHT)


def constraints_of(**own: Constraint) -> dict[str, Constraint]:
    """Return the shared constraints and those of an estimator's own, which take their place."""
    return {**_SHARED, **own}
