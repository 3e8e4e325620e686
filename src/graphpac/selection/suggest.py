"""The entrance to choosing a number of clusters."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any, Literal

import numpy as np

from graphpac._constraints import check_value, whole_number
from graphpac._random import as_generator
from graphpac._threads import Workers, resolve_n_jobs
from graphpac._typing import Metric, Progress, RandomState
from graphpac._wording import short_repr
from graphpac.estimators import GPAC, connect_rows
from graphpac.exceptions import ParameterError
from graphpac.fitting.problem import check_sizes, count_neighbors
from graphpac.graph import NeighborGraph
from graphpac.graph.searchers import NeighborSearcher
from graphpac.selection.rule import FEWEST_CLUSTERS, choose
from graphpac.selection.suggestion import ComparedNumber, Suggestion
from graphpac.solvers.counting import N_HALVES, NumberJudge

_MOST_CLUSTERS = 4096  # the links between communities are a square matrix
_TWO_OR_MORE = whole_number(at_least=FEWEST_CLUSTERS, at_most=_MOST_CLUSTERS)
_MOST = 1_000  # halves, and numbers to compare


def suggest_n_clusters(
    X: Any,
    n_clusters: Iterable[int],
    *,
    n_seeds: int = N_HALVES,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    metric: Metric | Literal["precomputed"] = "cosine",
    n_neighbors: int | Literal["auto"] = "auto",
    searcher: str | NeighborSearcher = "auto",
) -> Suggestion:
    """Compare numbers of clusters on one graph, and suggest one.

    Neighbors are searched for once. Communities of the graph, and of random halves of it, are
    merged to each number of clusters, and judged by how well they agree, how few links lead from
    one cluster to another, and how much clusters tell about links. No clusters are fitted, so all
    numbers together take about as long as one to three fits. The suggestion is a place to begin,
    not the truth: look at the table as well.

    Parameters
    ----------
    X : array, data frame, sparse matrix or NeighborGraph
        Rows as in `GPAC.fit`, or a graph.
    n_clusters : iterable of int
        The numbers to compare, such as ``range(2, 31)``; at least two different ones, each from 2
        to 4,096. The truth must be well inside to be found.
    n_seeds : int
        Random halves of the graph, at least 2. More make the stability more certain.
    random_state : int, RandomState or Generator, optional
        Where the halves come from; the same gives the same suggestion, for any n_jobs.
    n_jobs : int, optional
        Number of threads; None means all usable cores.
    progress : callable, optional
        Called with how many numbers are judged, and how many there are.
    metric, n_neighbors, searcher
        As for `GPAC`, not used for a graph. n_neighbors="auto" is what it is for the middle one of
        the numbers.

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
    >>> suggestion = suggest_n_clusters(X, range(5, 21), random_state=0)
    >>> suggestion.n_clusters
    11
    """
    candidates = compare_n_clusters(
        X,
        n_clusters,
        n_seeds=n_seeds,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        metric=metric,
        n_neighbors=n_neighbors,
        searcher=searcher,
    )
    return choose(list(candidates))


def compare_n_clusters(
    X: Any,
    n_clusters: Iterable[int],
    *,
    n_seeds: int = N_HALVES,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    skipped: Container[int] = (),
    metric: Metric | Literal["precomputed"] = "cosine",
    n_neighbors: int | Literal["auto"] = "auto",
    searcher: str | NeighborSearcher = "auto",
) -> Iterator[ComparedNumber]:
    """Judge numbers of clusters one after the other, the most clusters first.

    Parameters
    ----------
    X, n_clusters, n_seeds, random_state, n_jobs, progress, metric, n_neighbors, searcher
        As for `suggest_n_clusters`.
    skipped : container of int
        Numbers that were judged before, with the same data and parameters: what is found out about
        one does not depend on the others.

    Yields
    ------
    candidate : ComparedNumber
        As soon as it is judged.
    """
    numbers = checked_numbers(n_clusters)
    check_value(
        "n_seeds",
        n_seeds,
        whole_number(at_least=2, at_most=_MOST),
        reason="halves are compared in pairs",
    )
    seeds = as_generator(random_state).integers(np.iinfo(np.int32).max, size=n_seeds).tolist()
    numbers_left = [number for number in reversed(numbers) if number not in skipped]
    if not numbers_left:
        return
    if isinstance(X, NeighborGraph):
        check_sizes(X.n_samples, numbers[-1])
        graph = X
    else:
        neighbors = neighbors_for(X, numbers, n_neighbors)
        model = GPAC(
            numbers[-1], n_neighbors=neighbors, metric=metric, searcher=searcher, n_jobs=n_jobs
        )
        graph = connect_rows(model.set_params(random_state=seeds[0]), X)
    with Workers(resolve_n_jobs(n_jobs)) as workers:
        judge = NumberJudge(graph, numbers_left[0], seeds, workers)
        for n_done, number in enumerate(numbers_left, start=1):
            candidate = ComparedNumber(**asdict(judge.judge(number)))
            if progress is not None:
                progress(n_done, len(numbers_left))
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
        if not _TWO_OR_MORE.accepts(number):
            msg = f"n_clusters holds {short_repr(number)}, but each must be {_TWO_OR_MORE.allowed}."
            raise ParameterError(msg)
    numbers = sorted({int(number) for number in asked})
    if len(numbers) < 2:
        told = f"{numbers[0]} only" if numbers else "nothing"
        msg = f"n_clusters holds {told}: pass at least two different numbers to compare."
        raise ParameterError(msg)
    return numbers
