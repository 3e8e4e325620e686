"""From an experiment to its trials: one fit each, known by what decides its result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphpac.experiments.config import Experiment, Series, Sweep
from graphpac.experiments.data import digest_of

DATA_PARAMETERS = {"n_samples"}


@dataclass(frozen=True)
class Trial:
    """One fit.

    ``n_samples`` is the number of rows drawn from the data, None for all; ``traced`` asks for the
    accuracy after each iteration; ``timed`` for a search of its own, where others share one.
    ``features`` tells files a user brings under the name of the data apart. Two trials that are
    equal give the same scores, whichever experiment asks for them.
    """

    dataset: str
    method: str
    parameters: Mapping[str, Any]
    seed: int
    n_samples: int | None = None
    traced: bool = False
    timed: bool = False
    features: str = ""

    @property
    def key(self) -> str:
        """What identifies the trial in a journal."""
        told = asdict(self)
        if not self.features:
            del told["features"]
        return json.dumps(told, sort_keys=True)


@dataclass(frozen=True)
class Place:
    """Where a trial stands in an experiment: its series and, in a figure, the value of a sweep."""

    dataset: str
    series: Series
    sweep: Sweep | None = None
    value: float | None = None


def places(experiment: Experiment) -> Iterator[Place]:
    """Go through the cells of a table or the points of a figure, data set by data set."""
    for dataset in experiment.datasets:
        for series in experiment.series:
            if not experiment.sweeps:
                yield Place(dataset, series)
            for sweep in experiment.sweeps:
                for value in sweep.values:
                    yield Place(dataset, series, sweep, value)


def trials_at(
    place: Place,
    experiment: Experiment,
    *,
    max_samples: int | None = None,
    features: Mapping[str, Path] | None = None,
) -> list[Trial]:
    """List the trials of a place, one for each seed."""
    parameters = dict(place.series.parameters)
    n_samples = max_samples
    if place.sweep is not None and place.value is not None:
        if place.sweep.parameter in DATA_PARAMETERS:
            n_samples = int(place.value)
        else:
            parameters[place.sweep.parameter] = place.value
    runs = experiment.runs
    if place.series.runs is not None:
        runs = min(runs, place.series.runs)
    return [
        Trial(
            dataset=place.dataset,
            method=place.series.method,
            parameters=parameters,
            seed=seed,
            n_samples=n_samples,
            traced=experiment.kind == "iterations",
            timed="seconds" in experiment.measures,
            features=digest_of(place.dataset, features),
        )
        for seed in range(runs)
    ]
