"""Why numbers of ours differ from the printed ones."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from graphpac.experiments.data import data_title
from graphpac.experiments.summary import Cell

UNEXPLAINED = "not explained yet."
BROUGHT = "the data are a file of your own, of which nothing is known here."


@dataclass(frozen=True)
class Remark:
    """Something to be said below a table about one method on one data set."""

    subject: str
    text: str

    def __str__(self) -> str:
        return f"**{self.subject}**: {self.text}"


@cache
def explanations() -> Mapping[str, Mapping[str, str]]:
    """Read all: a table for each data set, a line for each row of the paper."""
    text = files("graphpac.experiments").joinpath("explanations.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def explain(dataset: str, label: str) -> str:
    """Return why a row differs from the paper's, or that nobody knows yet."""
    return explanations().get(dataset, {}).get(label, UNEXPLAINED)


def remarks_on(cells: Sequence[Cell]) -> list[Remark]:
    """Explain every row with a marked cell, then say what failed."""
    marked: dict[tuple[str, str], list[str]] = {}
    brought: set[tuple[str, str]] = set()
    failed: dict[str, list[str]] = {}
    for cell in cells:
        key = (cell.place.dataset, cell.place.series.label)
        if cell.is_marked:
            marked.setdefault(key, []).append(cell.measure)
            if any(trial.features for trial in cell.trials):
                brought.add(key)
        if cell.failures:
            n_tried = len(cell.failures) + len(cell.values)
            text = f"{len(cell.failures)} of {n_tried} runs failed. {cell.failures[-1]}"
            told = failed.setdefault(_subject(*key), [])
            if text not in told:
                told.append(text)
    return [
        *(
            Remark(
                f"{_subject(*key)} ({', '.join(measures)})",
                BROUGHT if key in brought else explain(*key),
            )
            for key, measures in marked.items()
        ),
        *(Remark(subject, " ".join(told)) for subject, told in failed.items()),
    ]


def _subject(dataset: str, label: str) -> str:
    return f"{label} on {data_title(dataset)}"
