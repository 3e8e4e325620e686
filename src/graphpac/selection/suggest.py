"""Fitting many numbers of clusters on one graph."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphpac._typing import IntVector, Progress, RandomState
from graphpac.estimators import GPAC
from graphpac.estimators._constraints import whole_number
from graphpac.graph import NeighborGraph
from graphpac.graph.searchers import RememberingSearcher
from graphpac.graph.searchers.base import as_generator
from graphpac.selection.criteria import graph_modularity, seed_stability
from graphpac.selection.rule import choose
from graphpac.selection.suggestion import Candidate, Suggestion

_AT_LEAST_TWO = whole_number(at_least=2)


class _Fit(NamedTuple):
    """What is kept of a fit."""

    labels: IntVector
    modularity: float
    certainty: float
    objective: float
    n_occupied: int
    seconds: float


def suggest_n_clusters(
    X: Any,
    n_clusters: Iterable[int],
    *,
    n_seeds: int = 3,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **gpac_parameters: Any,
) -> Suggestion:
    """Compare numbers of clusters on one graph, and suggest one.

    Neighbors are searched for once. Each number of clusters is then fitted with several seeds, and
    judged by how well the seeds agree and how few edges of the graph lead from one cluster to
    another. The suggestion is a place to begin, not the truth: look at the table as well.

    Parameters
    ----------
    X : array, data frame, sparse matrix or NeighborGraph
        Rows as in `GPAC.fit`, or a graph.
    n_clusters : iterable of int
        The numbers to compare, such as ``range(2, 31)``; at least two different ones, each from 2
        up. The truth must be well inside to be found.
    n_seeds : int
        Fits of each number, at least 2. More make the stability more certain.
    random_state : int, RandomState or Generator, optional
        Where the seeds come from; the same gives the same suggestion, for any n_jobs.
    n_jobs : int, optional
        Number of threads of each fit; None means all usable cores.
    progress : callable, optional
        Called with the numbers of finished and of all fits.
    **gpac_parameters
        Parameters of `GPAC` for all fits, such as metric="euclidean" or alpha=4.

    Returns
    -------
    suggestion : Suggestion
        ``n_clusters``, ``reason`` and ``candidates``; ``print(suggestion)`` shows a table.

    Examples
    --------
    >>> from graphpac import suggest_n_clusters
    >>> from graphpac.datasets import load
    >>> X = load("digits").X
    >>> suggestion = suggest_n_clusters(X, [5, 10, 15], random_state=0)
    >>> suggestion.n_clusters
    10
    """
    numbers = _checked_numbers(n_clusters)
    if not _AT_LEAST_TWO.accepts(n_seeds):
        msg = f"n_seeds={n_seeds!r} must be {_AT_LEAST_TWO.allowed}: seeds are compared in pairs."
        raise ValueError(msg)
    seeds = as_generator(random_state).integers(np.iinfo(np.int32).max, size=n_seeds).tolist()
    fit = _fitter(X, n_jobs, gpac_parameters)
    # The most clusters first: what does not fit, into the data or into memory, is seen at once.
    trials = [(number, seed) for number in reversed(numbers) for seed in seeds]
    fits: dict[int, list[_Fit]] = {number: [] for number in numbers}
    for done, (number, seed) in enumerate(trials, start=1):
        fits[number].append(_kept(fit(number, seed)))
        if progress is not None:
            progress(done, len(trials))
    return choose([_candidate(number, fits[number]) for number in numbers])


def _checked_numbers(n_clusters: Iterable[int]) -> list[int]:
    asked = list(n_clusters)
    for number in asked:
        if not _AT_LEAST_TWO.accepts(number):
            msg = f"n_clusters holds {number!r}, but each must be {_AT_LEAST_TWO.allowed}."
            raise ValueError(msg)
    numbers = sorted({int(number) for number in asked})
    if len(numbers) < 2:
        msg = f"n_clusters={asked} leaves nothing to compare: pass at least two different numbers."
        raise ValueError(msg)
    return numbers


def _fitter(X: Any, n_jobs: int | None, parameters: dict[str, Any]) -> Callable[[int, int], GPAC]:
    """Return a function that fits a number of clusters with a seed, always on the same graph."""
    given_graph = isinstance(X, NeighborGraph)
    if not given_graph:
        searcher = RememberingSearcher(parameters.get("searcher", "auto"))
        parameters = {**parameters, "searcher": searcher}

    def fit(number: int, seed: int) -> GPAC:
        model = GPAC(number, random_state=seed, n_jobs=n_jobs, **parameters)
        with warnings.catch_warnings():
            # Empty clusters are a column of the table here.
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit_graph(X) if given_graph else model.fit(X)

    return fit


def _kept(model: GPAC) -> _Fit:
    return _Fit(
        labels=model.labels_,
        modularity=graph_modularity(model.graph_, model.labels_),
        certainty=float(model.probabilities_.mean(dtype=np.float64)),
        objective=model.objective_,
        n_occupied=int(np.count_nonzero(model.cluster_sizes_)),
        seconds=model.timings_["start"] + model.timings_["optimize"],
    )


def _candidate(number: int, fits: Sequence[_Fit]) -> Candidate:
    return Candidate(
        n_clusters=number,
        stability=seed_stability([fit.labels for fit in fits]),
        modularity=fmean(fit.modularity for fit in fits),
        certainty=fmean(fit.certainty for fit in fits),
        objective=fmean(fit.objective for fit in fits),
        n_occupied=fmean(fit.n_occupied for fit in fits),
        seconds=sum(fit.seconds for fit in fits),
    )
