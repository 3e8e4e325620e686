"""What is asked for, and what was asked for before in the same folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graphpac import methods
from graphpac._wording import short_path
from graphpac.exceptions import ParameterError
from graphpac.experiments.config import Experiment
from graphpac.experiments.published import is_printed
from graphpac.experiments.running import timing_conditions
from graphpac.io.journal import append_entry, read_entries

ASKED = "requests.jsonl"


@dataclass(frozen=True)
class Request:
    """What a user asks for beside the names of experiments; None and empty mean as defined."""

    runs: int | None = None
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    quick: bool = False
    n_jobs: int | None = None
    features: Mapping[str, Path] | None = None

    def formed(self, experiment: Experiment) -> Experiment:
        """Return the experiment in its quick form, if that is asked for."""
        return experiment.quickened() if self.quick else experiment

    def applied(self, experiment: Experiment) -> Experiment:
        """Return the experiment narrowed to what is asked for; it may have nothing left to do."""
        experiment = self.formed(experiment)
        if self.datasets:
            asked = tuple(dict.fromkeys(name.lower() for name in self.datasets))
            experiment = replace(experiment, datasets=asked)
        elif self.features:
            brought = tuple(
                name.lower()
                for name in self.features
                if is_printed(experiment.published, name.upper())
            )
            experiment = replace(experiment, datasets=(*experiment.datasets, *brought))
        if self.methods:
            asked = tuple(methods.find(name).name for name in self.methods)
            kept = tuple(s for s in experiment.series if methods.find(s.method).name in asked)
            experiment = replace(experiment, series=kept)
        if self.runs is not None:
            series = tuple(replace(item, runs=None) for item in experiment.series)
            experiment = replace(experiment, runs=self.runs, series=series)
        return experiment

    @property
    def timed_on(self) -> str:
        """What running times depend on beside the trial itself."""
        return timing_conditions(self.n_jobs)

    def limit(self, experiment: Experiment) -> int | None:
        """Return the largest number of rows."""
        return experiment.quick_samples if self.quick else None


def check_form(request: Request, folder: Path) -> None:
    """Raise ParameterError if a folder holds runs on whole data and parts are asked for, or so."""
    if any(entry["quick"] != request.quick for entry in read_entries(folder / ASKED)):
        form, other = ("whole", "with") if request.quick else ("parts of the", "without")
        msg = (
            f"{short_path(folder)} holds runs on {form} data, which do not go together with those "
            f"{other} --quick: name another folder with --output."
        )
        raise ParameterError(msg)


def remember(request: Request, names: Sequence[str], folder: Path) -> None:
    """Note what is asked for, so that later pages show it too."""
    entry = {
        "names": list(names),
        "datasets": list(request.datasets),
        "methods": list(request.methods),
        "quick": request.quick,
        "features": sorted(request.features or {}),
    }
    if entry not in read_entries(folder / ASKED):
        append_entry(folder / ASKED, entry)


def read_requests(folder: Path) -> dict[str, list[Request]]:
    """Return what was asked for of each experiment."""
    found: dict[str, list[Request]] = {}
    for entry in read_entries(folder / ASKED):
        request = Request(
            datasets=tuple(entry["datasets"]),
            methods=tuple(entry["methods"]),
            quick=entry["quick"],
            features={name: Path(name) for name in entry["features"]},
        )
        for name in entry["names"]:
            found.setdefault(name, []).append(request)
    return found
