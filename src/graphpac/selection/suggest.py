"""The entrance to choosing a number of clusters."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any, Literal

import numpy as np

from graphpac._constraints import check_value, whole_number
from graphpac._random import as_generator
from graphpac._typing import Progress, RandomState
from graphpac._wording import short_repr
from graphpac.exceptions import ParameterError
from graphpac.fitting.problem import count_neighbors
from graphpac.fitting.telling import warn_of
from graphpac.graph import NeighborGraph
from graphpac.selection.rule import FEWEST_CLUSTERS, choose
from graphpac.selection.suggestion import Candidate, Suggestion
from graphpac.selection.trials import Trials

_AT_LEAST_TWO = whole_number(at_least=FEWEST_CLUSTERS)
_MOST = 1_000  # seeds, and numbers to compare: each takes several fits


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

    Neighbors are searched for once. Each number of clusters is then fitted with several seeds, each
    time on the whole graph and on a random half of its edges, and judged by how well these fits
    agree and how few edges lead from one cluster to another. The suggestion is a place to begin,
    not the truth: look at the table as well.

    Parameters
    ----------
    X : array, data frame, sparse matrix or NeighborGraph
        Rows as in `GPAC.fit`, or a graph.
    n_clusters : iterable of int
        The numbers to compare, such as ``range(2, 31)``; at least two different ones, each from 2
        up. The truth must be well inside to be found.
    n_seeds : int
        Seeds of each number, at least 2, with two fits each. More make the stability more certain.
    random_state : int, RandomState or Generator, optional
        Where the seeds come from; the same gives the same suggestion, for any n_jobs.
    n_jobs : int, optional
        Number of threads of each fit; None means all usable cores.
    progress : callable, optional
        Called with the numbers of finished and of all fits.
    **gpac_parameters
        Parameters of `GPAC` for all fits, such as metric="euclidean" or alpha=8. The graph is the
        same for all: n_neighbors="auto" is what it is for the middle one of the numbers.

    Returns
    -------
    suggestion : Suggestion
        ``n_clusters``, ``reason`` and ``candidates``; ``print(suggestion)`` shows a table. Where no
        number says anything about the data, as on equal rows, ``n_clusters`` is None.

    Examples
    --------
    >>> from graphpac import suggest_n_clusters
    >>> from graphpac.datasets import load
    >>> X = load("digits").X
    >>> suggestion = suggest_n_clusters(X, [5, 10, 15], random_state=0)
    >>> suggestion.n_clusters
    10
    """
    candidates = compare_n_clusters(
        X,
        n_clusters,
        n_seeds=n_seeds,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        **gpac_parameters,
    )
    return choose(list(candidates))


def compare_n_clusters(
    X: Any,
    n_clusters: Iterable[int],
    *,
    n_seeds: int = 3,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    skipped: Container[int] = (),
    **gpac_parameters: Any,
) -> Iterator[Candidate]:
    """Judge numbers of clusters one after the other, the most clusters first.

    Parameters
    ----------
    X, n_clusters, n_seeds, random_state, n_jobs, progress, **gpac_parameters
        As for `suggest_n_clusters`.
    skipped : container of int
        Numbers that were judged before, with the same data and parameters: what is found out about
        one does not depend on the others.

    Yields
    ------
    candidate : Candidate
        As soon as its fits are done.
    """
    numbers = checked_numbers(n_clusters)
    check_value(
        "n_seeds",
        n_seeds,
        whole_number(at_least=2, at_most=_MOST),
        reason="seeds are compared in pairs",
    )
    seeds = as_generator(random_state).integers(np.iinfo(np.int32).max, size=n_seeds).tolist()
    if not isinstance(X, NeighborGraph):
        asked = gpac_parameters.get("n_neighbors", "auto")
        gpac_parameters |= {"n_neighbors": neighbors_for(X, numbers, asked)}
    trials = Trials(X, seeds, n_jobs, gpac_parameters)
    # The most clusters first: what does not fit, into the data or into memory, is seen at once.
    numbers = [number for number in reversed(numbers) if number not in skipped]
    total, n_done = 2 * n_seeds * len(numbers), count(1)

    def fit_done() -> None:
        if progress is not None:
            progress(next(n_done), total)

    for number in numbers:
        candidate = trials.compare(number, fit_done)
        if number == numbers[0]:
            warn_of(trials.findings)
        yield candidate


def neighbors_for(
    X: Any, numbers: Sequence[int], n_neighbors: int | Literal["auto"]
) -> int | Literal["auto"]:
    """Count the neighbors of each sample, which are the same for all numbers to compare."""
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_neighbors != "auto" or n_samples < 2:
        return n_neighbors  # to be checked by the fit
    return count_neighbors("auto", n_samples, numbers[len(numbers) // 2])


def checked_numbers(n_clusters: Iterable[int]) -> list[int]:
    """Return different numbers, fewest clusters first; raise ParameterError unless all will do."""
    asked = list(islice(n_clusters, _MOST + 1))
    if len(asked) > _MOST:
        msg = f"n_clusters holds more than {_MOST:,} numbers: compare fewer, in larger steps."
        raise ParameterError(msg)
    for number in asked:
        if not _AT_LEAST_TWO.accepts(number):
            msg = (
                f"n_clusters holds {short_repr(number)}, but each must be {_AT_LEAST_TWO.allowed}."
            )
            raise ParameterError(msg)
    numbers = sorted({int(number) for number in asked})
    if len(numbers) < 2:
        told = f"{numbers[0]} only" if numbers else "nothing"
        msg = f"n_clusters holds {told}: pass at least two different numbers to compare."
        raise ParameterError(msg)
    return numbers
