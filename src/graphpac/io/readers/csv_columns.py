"""Which columns of a CSV file hold the vectors: judged by its first rows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from graphpac._wording import listing
from graphpac.exceptions import FileFormatError, NotInFileError
from graphpac.io.readers.columns import (
    check_names,
    chosen_columns,
    refuse_no_numbers,
    warn_of_no_features,
)
from graphpac.io.readers.csv_cells import is_missing, is_number, is_vector
from graphpac.io.readers.csv_head import Head
from graphpac.io.readers.table import Request

logger = logging.getLogger("graphpac")


@dataclass(frozen=True)
class Chosen:
    """Where the vectors are: columns of numbers, or one column of vectors as texts."""

    names: list[str]
    are_vectors: bool


def choose(head: Head, request: Request) -> Chosen:
    """Find the columns asked for, else the only one of vectors, else all that hold numbers."""
    vectors = _columns_of(is_vector, head, of_none=False)
    numbers = _columns_of(is_number, head, of_none=True)
    if request.columns is None:
        names = _default_columns(request, vectors, numbers)
    else:
        names = chosen_columns(request, head.names)
    check_names(request, names, head.names)
    if not names:
        msg = (
            f"{request.name} has no columns of numbers, but {listing(head.names)}: write the "
            "vectors into it as well, one number a cell or all in one cell as [0.1, 0.2]."
        )
        raise FileFormatError(msg)
    are_vectors = len(names) == 1 and names[0] in vectors
    wrong = [name for name in names if name not in numbers]
    if wrong and not are_vectors:
        refuse_no_numbers(request, wrong)
    left_out = [name for name in head.names if name not in {*names, *request.about_rows}]
    if left_out:
        logger.info("%s: left out the columns %s", request.name, listing(left_out))
    return Chosen(names, are_vectors)


def _default_columns(request: Request, vectors: list[str], numbers: list[str]) -> list[str]:
    """Take the only column of vectors or, where there is none, all columns of numbers.

    A column without a name is left out, because data frames write the numbers of the rows so.
    """
    vectors = [name for name in vectors if name not in request.about_rows]
    if len(vectors) > 1:
        msg = (
            f"{request.name} has several columns of vectors ({listing(vectors)}): choose one with "
            "columns=NAME."
        )
        raise NotInFileError(msg)
    names = vectors or [name for name in numbers if name and name not in request.about_rows]
    warn_of_no_features(request, names)
    return names


def _columns_of(is_such: Callable[[str], bool], head: Head, *, of_none: bool) -> list[str]:
    """Name the columns of which most cells at the beginning are such.

    Most instead of all, so that one wrong cell is found and told later, and does not silently take
    its whole column with it. ``of_none`` decides about columns without any values.
    """
    columns = []
    for j, name in enumerate(head.names):
        cells = [cells[j].strip() for cells in head.sample if j < len(cells)]
        found = [is_such(cell) for cell in cells if not is_missing(cell)]
        if 2 * sum(found) >= len(found) if found else of_none:
            columns.append(name)
    return columns
