"""Rows together with their known classes, to measure methods by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graphpac._typing import AnyArray, Progress
from graphpac._wording import short_path, short_text
from graphpac.datasets import available, load
from graphpac.exceptions import FileFormatError, ParameterError
from graphpac.runs.notices import collecting_warnings
from graphpac.runs.source import Source


class LabeledRows(NamedTuple):
    """Rows, and the class of each if it is known."""

    X: Any
    y: AnyArray | None

    @property
    def n_classes(self) -> int | None:
        """Number of different classes."""
        return None if self.y is None else int(np.unique(self.y).size)


def read_labeled(
    source: Source, *, label_column: str | None, labels: Path | None, progress: Progress
) -> LabeledRows:
    """Read rows of a file or of a data set, which knows its classes, and their classes.

    Those of a file are in one of its columns, or in another file: an .npy array, or a text with one
    a line.
    """
    if source.name.lower() in available() and not Path(source.name).exists():
        found = load(source.name)
        return LabeledRows(found.X, found.y)
    if label_column is not None:
        # Classes are read as ids are, but are not told for being shared by rows.
        with collecting_warnings(lambda _: None):
            table = replace(source, id_column=label_column).read(progress)
        return LabeledRows(table.X, np.asarray(table.ids))
    table = source.read(progress)
    if labels is None:
        return LabeledRows(table.X, None)
    if not labels.is_file():
        msg = f"--labels {short_path(labels)} is not a file: check its name."
        raise FileNotFoundError(msg)
    y = _read_labels(labels)
    if y.shape != (table.X.shape[0],):
        msg = (
            f"{short_path(labels)} holds labels of the shape {y.shape}, but {table.source} has "
            f"{table.X.shape[0]} rows: one label for each is needed."
        )
        raise ParameterError(msg)
    return LabeledRows(table.X, y)


def _read_labels(path: Path) -> AnyArray:
    try:
        if path.suffix == ".npy":
            y: AnyArray = np.load(path, allow_pickle=False)
            return y
        return np.array(path.read_text(encoding="utf-8").splitlines())
    except (EOFError, ValueError) as error:
        msg = (
            f"{short_path(path)} cannot be read as labels, an .npy array or a text with one a "
            f"line: {short_text(str(error))}."
        )
        raise FileFormatError(msg) from error
