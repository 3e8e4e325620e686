"""The numbers the paper prints, as data."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Published:
    """One cell of a table: mean and standard deviation, None where the paper prints no number.

    ``remark`` is what it prints instead: a dash, or "O.M." for out of memory.
    """

    table: str
    dataset: str
    method: str
    metric: str
    mean: float | None
    std: float | None
    remark: str = ""


@cache
def published_results() -> tuple[Published, ...]:
    """Read all cells of all tables, in the order of the paper."""
    text = files("graphpac.experiments").joinpath("published.csv").read_text(encoding="utf-8")
    return tuple(
        Published(
            table=row["table"],
            dataset=row["dataset"],
            method=row["method"],
            metric=row["metric"],
            mean=_number(row["mean"]),
            std=_number(row["std"]),
            remark="" if _number(row["mean"]) is not None else row["mean"],
        )
        for row in csv.DictReader(text.splitlines())
    )


def find_published(dataset: str, method: str, metric: str) -> Published | None:
    """Return the first cell of a data set, a method and a metric, in any case; None if none is."""
    wanted = tuple(_plain(word) for word in (dataset, method, metric))
    for cell in published_results():
        if (_plain(cell.dataset), _plain(cell.method), _plain(cell.metric)) == wanted:
            return cell
    return None


def is_printed(table: str, dataset: str) -> bool:
    """Tell whether a table of the paper has numbers of a data set."""
    return any((cell.table, cell.dataset) == (table, dataset) for cell in published_results())


def _plain(name: str) -> str:
    return name.lower().replace("-", "")


def _number(text: str) -> float | None:
    return float(text) if text[:1].isdigit() else None
