"""Which columns of a CSV file hold the vectors: judged by its first rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graphpac._wording import columns_called, listing, short_name
from graphpac.exceptions import FileFormatError, NotInFileError
from graphpac.io.readers.columns import (
    check_names,
    chosen_columns,
    kept_columns,
    refuse_no_numbers,
    tell_left_out,
    warn_of_no_features,
)
from graphpac.io.readers.csv_cells import is_foreign_number, is_missing, is_number, is_vector
from graphpac.io.readers.csv_head import Head
from graphpac.io.readers.table import TableRequest


@dataclass(frozen=True)
class Chosen:
    """Where the vectors are: columns of numbers, or one column of vectors as texts."""

    names: list[str]
    are_vectors: bool


def choose(head: Head, request: TableRequest) -> Chosen:
    """Find the columns asked for, else the only one of vectors, else all that hold numbers."""
    vectors = _columns_of(is_vector, head, of_none=False)
    numbers = _columns_of(is_number, head, of_none=True)
    if request.columns is None:
        names = _default_columns(request, vectors, numbers)
    else:
        names = chosen_columns(request, head.names)
    check_names(request, names, head.names)
    are_vectors = len(names) == 1 and names[0] in vectors
    if request.columns is None and not are_vectors:
        others = {*request.about_rows, *kept_columns(request, head.names)}
        _check_are_plain(request, head, [name for name in head.names if name not in others])
    else:
        _check_are_plain(request, head, names)
    if not names:
        cure = "write the vectors into it as well, one number a cell or all in one as [0.1, 0.2]"
        if len(head.names) == 1:
            cure += "; columns are separated by commas, semicolons, tabs or |"
        msg = f"{request.name} has no columns of numbers, but {listing(head.names)}: {cure}."
        raise FileFormatError(msg)
    wrong = [name for name in names if name not in numbers]
    if wrong and not are_vectors:
        refuse_no_numbers(request, wrong)
    tell_left_out(request, names, head.names)
    return Chosen(names, are_vectors)


def _default_columns(request: TableRequest, vectors: list[str], numbers: list[str]) -> list[str]:
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


def _check_are_plain(request: TableRequest, head: Head, used: list[str]) -> None:
    """Refuse columns of numbers in another notation, which would be left out as texts."""
    foreign = [n for n in _columns_of(is_foreign_number, head, of_none=False) if n in used]
    if foreign:
        j = head.names.index(foreign[0])
        shown = next(row[j] for row in head.sample if j < len(row) and is_foreign_number(row[j]))
        msg = (
            f"{request.name} has numbers such as {short_name(shown)} in the "
            f"{columns_called(foreign, 3)}: write them with a decimal point and no other signs, or "
            "choose the columns to use with columns=NAMES."
        )
        raise FileFormatError(msg)


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
