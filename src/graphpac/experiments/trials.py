"""From an experiment to its trials: one fit each, known by what decides its result."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from graphpac import methods
from graphpac.experiments.config import Experiment, Series, Sweep
from graphpac.experiments.data import count_rows, digest_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trial:
    """One fit.

    ``n_samples`` is the number of rows drawn from the data, None for all; ``traced`` asks for the
    accuracy after each iteration; ``timed`` for a search of its own, where others share one.
    ``features`` tells files a user brings under the name of the data apart, ``timed_on`` the
    conditions of timed trials, see `timing_conditions`. Two trials that are equal give the same
    scores, whichever experiment asks for them.
    """

    dataset: str
    method: str
    parameters: Mapping[str, Any]
    seed: int
    n_samples: int | None = None
    traced: bool = False
    timed: bool = False
    features: str = ""
    timed_on: str = ""

    @cached_property
    def key(self) -> str:
        """What identifies the trial in a journal."""
        told = asdict(self)
        # What is not told is left out: older journals do not have it.
        for name in ("features", "timed_on"):
            if not told[name]:
                del told[name]
        return json.dumps(told, sort_keys=True)


@dataclass(frozen=True)
class Place:
    """Where a trial stands in an experiment: its series and, in a figure, the value of a sweep."""

    dataset: str
    series: Series
    sweep: Sweep | None = None
    value: float | None = None

    @property
    def parameter(self) -> str | None:
        """What the sweep is over."""
        return None if self.sweep is None else self.sweep.parameter

    @property
    def n_samples(self) -> int | None:
        """The number of rows, where that is what the sweep is over."""
        return int(self.value or 0) if self.parameter == "n_samples" else None


def places(experiment: Experiment) -> Iterator[Place]:
    """Go through the cells of a table or the points of a figure, data set by data set."""
    for dataset in experiment.datasets:
        for series in experiment.series:
            if not experiment.sweeps:
                yield Place(dataset, series)
            for sweep in experiment.sweeps:
                for value in sweep.values:
                    yield Place(dataset, series, sweep, value)


def runnable_places(
    experiment: Experiment, features: Mapping[str, Path] | None = None
) -> Iterator[Place]:
    """Go through the places whose data have as many rows as they ask for."""
    n_rows: dict[str, float] = {}
    too_many: dict[str, list[int]] = {}
    for place in places(experiment):
        if place.n_samples is None:
            yield place
            continue
        if place.dataset not in n_rows:
            n_rows[place.dataset] = count_rows(place.dataset, features)
        if place.n_samples <= n_rows[place.dataset]:
            yield place
        else:
            too_many.setdefault(place.dataset, []).append(place.n_samples)
    for dataset, sizes in too_many.items():
        told = ", ".join(map(str, dict.fromkeys(sizes)))
        logger.warning("%s has %d rows: parts of %s are left out", dataset, n_rows[dataset], told)


def trials_at(
    place: Place,
    experiment: Experiment,
    *,
    max_samples: int | None = None,
    features: Mapping[str, Path] | None = None,
    timed_on: str = "",
) -> list[Trial]:
    """List the trials of a place, one for each seed."""
    parameters = dict(place.series.parameters)
    if place.parameter is not None and place.n_samples is None:
        parameters[place.parameter] = place.value
    is_timed = "seconds" in experiment.measures
    runs = experiment.runs
    if place.series.runs is not None:
        runs = min(runs, place.series.runs)
    if methods.find(place.series.method).is_deterministic:
        runs = 1
    return [
        Trial(
            dataset=place.dataset,
            method=place.series.method,
            parameters=parameters,
            seed=seed,
            n_samples=max_samples if place.n_samples is None else place.n_samples,
            traced=experiment.kind == "iterations",
            timed=is_timed,
            features=digest_of(place.dataset, features),
            timed_on=timed_on if is_timed else "",
        )
        for seed in range(runs)
    ]
