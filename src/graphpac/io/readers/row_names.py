"""Ids and texts of the rows, as plain Python values."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from graphpac._wording import short_name
from graphpac.exceptions import FileFormatError

logger = logging.getLogger("graphpac")


def row_number(row: int) -> str:
    """Name a row by its number, as the estimators do."""
    return f"row {row}"


def as_ids(
    values: Sequence[Any], name: str, column: str, place: Callable[[int], str] = row_number
) -> list[str] | list[int]:
    """Check that every row has an id, all of them strings or all integers; None is a missing one.

    Ids that are not unique are allowed, and a warning is logged. ``name`` and ``column`` tell where
    the values were, ``place`` names a row in the manner of the format.
    """
    ids = list(values)
    if None in ids:
        msg = (
            f"{name} has no id in {place(ids.index(None))} (column {short_name(column)}): give "
            "every row an id, or read the table without them."
        )
        raise FileFormatError(msg)
    kinds = {type(value) for value in ids}
    if kinds not in ({str}, {int}):
        given = " and ".join(sorted(kind.__name__ for kind in kinds))
        msg = (
            f"{name} has values of type {given} in the column {short_name(column)}, but ids are "
            "strings or integers: convert them, or choose another column."
        )
        raise FileFormatError(msg)
    n_different = len(set(ids))
    if n_different < len(ids):
        logger.warning(
            "%s: the ids in %s are not unique, %d rows share %d of them",
            name,
            short_name(column),
            len(ids),
            n_different,
        )
    return ids


def as_texts(values: Sequence[Any], name: str, column: str) -> list[str]:
    """Check that texts are texts; one that is missing (None) becomes empty."""
    texts = ["" if value is None else value for value in values]
    others = {type(value).__name__ for value in texts} - {"str"}
    if others:
        msg = (
            f"{name} has values of type {' and '.join(sorted(others))} in the column "
            f"{short_name(column)}, but texts are strings: convert them, or choose another column."
        )
        raise FileFormatError(msg)
    return texts
