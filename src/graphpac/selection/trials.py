"""The fits that judge a number of clusters: each seed on the whole graph and on half of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphpac.estimators import GPAC
from graphpac.exceptions import DataWarning
from graphpac.findings import OF_ROWS, Finding
from graphpac.graph import NeighborGraph
from graphpac.graph.searchers import RememberingSearcher
from graphpac.selection.criteria import graph_modularity, half_of_edges, mean_agreement
from graphpac.selection.suggestion import Candidate

_OF_ROWS_ONLY = ("n_neighbors", "metric", "searcher")


class Trials:
    """Fits numbers of clusters on one graph, and on halves of it that are the same for all numbers.

    Neighbors of rows are searched for once. Of each seed there is a fit on the whole graph and one
    on a half; n_neighbors among the parameters of `GPAC` is a number. ``findings`` are what the
    fits so far found odd about the rows.
    """

    def __init__(
        self, X: Any, seeds: Sequence[int], n_jobs: int | None, parameters: dict[str, Any]
    ) -> None:
        self._X = X
        self._seeds = seeds
        self._of_graphs = {name: parameters[name] for name in parameters.keys() - {*_OF_ROWS_ONLY}}
        self._of_graphs["n_jobs"] = n_jobs
        searcher = RememberingSearcher(parameters.get("searcher", "auto"))
        self._of_rows = {**parameters, "n_jobs": n_jobs, "searcher": searcher}
        self._halves: dict[int, NeighborGraph] = {}
        self.findings: tuple[Finding, ...] = ()

    def compare(self, number: int, fit_done: Callable[[], None]) -> Candidate:
        """Fit a number of clusters with all seeds; `fit_done` is called after each fit."""
        labelings, facts, seconds = [], [], 0.0
        for seed in self._seeds:
            whole = self._fit_whole(number, seed)
            self.findings = tuple(it for it in whole.findings_ if it.kind in OF_ROWS)
            facts.append(_facts(whole))
            fit_done()
            half = self._fit_half(number, seed, whole.graph_)
            fit_done()
            labelings += [whole.labels_, half.labels_]
            seconds += _seconds(whole) + _seconds(half)
        means = {name: fmean(fact[name] for fact in facts) for name in facts[0]}
        stability = mean_agreement(labelings)
        return Candidate(n_clusters=number, stability=stability, seconds=seconds, **means)

    def _fit_whole(self, number: int, seed: int) -> GPAC:
        with _unremarked():
            if isinstance(self._X, NeighborGraph):
                return GPAC.as_published(number, random_state=seed, **self._of_graphs).fit_graph(
                    self._X
                )
            return GPAC.as_published(number, random_state=seed, **self._of_rows).fit(self._X)

    def _fit_half(self, number: int, seed: int, graph: NeighborGraph) -> GPAC:
        if seed not in self._halves:
            self._halves[seed] = half_of_edges(graph, np.random.default_rng(seed))
        with _unremarked():
            model = GPAC.as_published(number, random_state=seed, **self._of_graphs)
            return model.fit_graph(self._halves[seed])


def _facts(model: GPAC) -> dict[str, float]:
    return {
        "modularity": graph_modularity(model.graph_, model.labels_),
        "certainty": float(model.probabilities_.mean(dtype=np.float64)),
        "objective": model.objective_,
        "n_occupied": float(np.count_nonzero(model.cluster_sizes_)),
    }


def _seconds(model: GPAC) -> float:
    return float(model.timings_["start"] + model.timings_["optimize"])


@contextmanager
def _unremarked() -> Iterator[None]:
    """Keep warnings of single results back: here they are columns of the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DataWarning)
        yield
