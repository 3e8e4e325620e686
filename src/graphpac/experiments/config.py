"""An experiment as its TOML file tells it: data, methods, parameters, number of runs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Literal, get_args

from graphpac import methods
from graphpac._constraints import check_value, named
from graphpac.exceptions import ParameterError

Kind = Literal["table", "choices", "curve", "iterations", "bars"]
SCORES = ("NMI", "ACC", "ARI")
MEASURES = (*SCORES, "seconds")
Panels = Literal["data", "parameters"]

_FOLDER = files("graphpac.experiments") / "definitions"


@dataclass(frozen=True, kw_only=True)
class Series:
    """A method with its parameters: a row of a table, a line of a figure.

    ``runs`` is the number of seeds where it is not that of the experiment, ``quick`` whether it
    is fast enough for the quick form. ``beside`` names the row of the paper whose numbers stand
    beside it, where that is not its own label; ``against`` the series it is compared with among
    choices, where that is not the first.
    """

    label: str
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    runs: int | None = None
    quick: bool = True
    note: str = ""
    beside: str = ""
    against: str = ""

    @property
    def printed_label(self) -> str:
        """Name of the row of the paper."""
        return self.beside or self.label


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """One parameter of all series takes several values: the horizontal axis of a figure.

    Beside parameters of the estimators, "n_samples" is the size of a random part of the data, and
    "batch_per_cluster" the batch size divided by the number of clusters.
    """

    parameter: str
    label: str
    values: tuple[float, ...]
    quick_values: tuple[float, ...] = ()
    logarithmic: bool = False


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One table or figure of the paper.

    Its kind is "table": a row for each series; "choices": a table whose first series is the one
    that the others are compared with, unless they name another; "curve": a line for each series
    over the values of a sweep; "iterations": a line for each series over the iterations; "bars": a
    bar for each series. What else a definition may hold stands beside its field.
    """

    name: str
    title: str
    kind: Kind
    datasets: tuple[str, ...]  # names that `graphpac.experiments.data.load_data` knows
    series: tuple[Series, ...]
    sweeps: tuple[Sweep, ...] = ()  # of a figure
    measures: tuple[str, ...] = SCORES  # what is shown, of `MEASURES`
    runs: int = 10  # seeds
    published: str = ""  # the paper's table, empty where it prints no numbers
    claim: str = ""  # what the paper says the figure shows
    absent: str = ""  # what the paper shows and this does not, and why
    # A panel of a curve is for a data set, or for a sweep with a line for each data set.
    panels: Panels = "data"
    panel_columns: int = 5  # how many panels stand side by side
    mean_panel: bool = False  # whether the last panel of a curve shows the mean over the data
    quick_datasets: tuple[str, ...] = ()  # of the quick form; all if empty
    quick_samples: int = 2000  # largest number of rows of the quick form
    quick_runs: int = 1

    def quickened(self) -> Experiment:
        """Return the form that takes a minute instead of hours."""
        return replace(
            self,
            datasets=self.quick_datasets or self.datasets,
            series=tuple(item for item in self.series if item.quick),
            sweeps=tuple(
                replace(sweep, values=sweep.quick_values or sweep.values) for sweep in self.sweeps
            ),
            runs=self.quick_runs,
        )


def experiment_names() -> list[str]:
    """Names of all experiments, tables first, in the order of the paper."""
    paths = [PurePath(item.name) for item in _FOLDER.iterdir()]
    names = [path.stem for path in paths if path.suffix == ".toml"]
    return sorted(names, key=lambda name: (not name.startswith("table"), name == "choices", name))


def load_experiment(name: str) -> Experiment:
    """Read the file of an experiment, by its name in any case."""
    known = experiment_names()
    wanted = name.lower().replace(" ", "")
    if wanted not in known:
        msg = f"there is no experiment {name!r}: choose one of {', '.join(known)} or all."
        raise ParameterError(msg)
    text = (_FOLDER / f"{wanted}.toml").read_text(encoding="utf-8")
    return parse_experiment(wanted, text)


def parse_experiment(name: str, text: str) -> Experiment:
    """Turn the text of a file into an experiment, or say what is wrong with it."""
    told = tomllib.loads(text)
    series = tuple(_build(Series, item, f"{name}: series") for item in told.pop("series", []))
    sweeps = tuple(_build(Sweep, item, f"{name}: sweep") for item in told.pop("sweep", []))
    told |= {"name": name, "series": series, "sweeps": sweeps}
    experiment: Experiment = _build(Experiment, told, name)
    _check(experiment)
    return experiment


def _build(cls: Any, told: Mapping[str, Any], where: str) -> Any:
    known = {item.name for item in fields(cls)}
    if unknown := sorted(told.keys() - known):
        msg = f"{where} has the unknown entry {unknown[0]!r}: known are {', '.join(sorted(known))}."
        raise ValueError(msg)
    values = {
        key: tuple(value) if isinstance(value, list) else value for key, value in told.items()
    }
    try:
        return cls(**values)
    except TypeError as error:
        msg = f"{where} is not complete: {error}."
        raise ValueError(msg) from error


def _check(experiment: Experiment) -> None:
    check_value(f"{experiment.name}: kind", experiment.kind, named(*get_args(Kind)))
    if (experiment.kind == "curve") != bool(experiment.sweeps):
        msg = f"{experiment.name}: a curve, and nothing else, has a sweep."
        raise ValueError(msg)
    check_value(f"{experiment.name}: panels", experiment.panels, named(*get_args(Panels)))
    if wrong := set(experiment.measures) - set(MEASURES):
        msg = f"{experiment.name}: measures must be of {', '.join(MEASURES)}, not {wrong.pop()!r}."
        raise ValueError(msg)
    for item in experiment.series:
        methods.find(item.method)
        others = {other.label for other in experiment.series} - {item.label}
        if item.against and item.against not in others:
            msg = (
                f"{experiment.name}: against={item.against!r} of {item.label!r} must be the label "
                "of another series."
            )
            raise ValueError(msg)
