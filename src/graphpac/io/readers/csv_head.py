"""What the first lines of a CSV file tell: delimiter, names of the columns, which hold numbers."""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from graphpac._wording import listing, short_name
from graphpac.exceptions import FileFormatError
from graphpac.io.readers.columns import check_names, chosen_columns, warn_of_no_features
from graphpac.io.readers.table import Request

logger = logging.getLogger("graphpac")

MISSING = frozenset({"", "-", "?", "na", "n/a", "#n/a", "nan", "none", "null"})
"""What stands for a value that is not there, in small letters."""

_DELIMITERS = ",;\t"
_N_SAMPLE_ROWS = 200


class Record(NamedTuple):
    """One row of a CSV file, and the lines it is in (from 1)."""

    first_line: int
    last_line: int
    cells: list[str]


@dataclass(frozen=True)
class Head:
    """What the first lines tell."""

    delimiter: str
    names: list[str]  # of all columns; where the file gives none, their numbers from 1
    has_names: bool
    n_lines: int  # how many come before the first row
    sample: list[list[str]]  # the cells of some rows

    def label(self, column: str) -> str:
        """Name a column in a message."""
        return f"column {short_name(column)}" if self.has_names else f"column {column}"


def records(lines: Iterable[str], delimiter: str) -> Iterator[Record]:
    """Cut lines into rows, passing over lines with nothing in them.

    Ends early at a row that the standard library cannot take apart, such as one with a text of
    more than 128 KB.
    """
    reader = csv.reader(lines, delimiter=delimiter)
    before = 0
    with suppress(csv.Error):
        for cells in reader:
            if cells:
                yield Record(before + 1, reader.line_num, cells)
            before = reader.line_num


def find_delimiter(line: str) -> str:
    """Take the delimiter that is most often in the first line: comma, semicolon or tab."""
    return max(_DELIMITERS, key=line.count)


def read_head(lines: Iterable[str], delimiter: str, name: str) -> Head:
    """Take the first lines apart.

    The first row names the columns unless all its cells are numbers. Even then it does if they
    count the columns, as 0, 1, 2 or 1, 2, 3: so data frames without names are written.
    """
    found = list(islice(records(lines, delimiter), _N_SAMPLE_ROWS))
    if not found:
        msg = f"{name} does not begin as a CSV file does: a line of names, then rows of numbers."
        raise FileFormatError(msg)
    first = found[0]
    cells = [cell.strip() for cell in first.cells]
    counts = [[str(k + start) for k in range(len(cells))] for start in (0, 1)]
    if all(map(_is_number, cells)) and cells not in counts:
        sample = [record.cells for record in found]
        return Head(delimiter, counts[1], has_names=False, n_lines=0, sample=sample)
    if any(_is_number(cell) and not cell.isdecimal() for cell in cells):
        logger.warning(
            "%s: the first line is taken for the names of the columns, although numbers are in it",
            name,
        )
    sample = [record.cells for record in found[1:]]
    return Head(delimiter, cells, has_names=True, n_lines=first.last_line, sample=sample)


def choose(head: Head, request: Request) -> list[str]:
    """Name the columns of the vectors: those asked for, else all that hold numbers.

    A column without a name is left out, because data frames write the numbers of the rows so.
    """
    if request.columns is not None:
        chosen = chosen_columns(request, head.names)
    else:
        chosen = [
            name
            for j, name in enumerate(head.names)
            if name and name not in request.about_rows and _holds_numbers(head.sample, j)
        ]
        warn_of_no_features(request, chosen)
    check_names(request, chosen, head.names)
    if not chosen:
        msg = (
            f"{request.name} has no columns of numbers, but {listing(head.names)}: write the "
            "vectors into it as well, one number a cell."
        )
        raise FileFormatError(msg)
    left_out = [name for name in head.names if name not in {*chosen, *request.about_rows}]
    if left_out:
        logger.info("%s: left out the columns %s", request.name, listing(left_out))
    return chosen


def _holds_numbers(sample: list[list[str]], j: int) -> bool:
    """Tell whether most of what a column has at the beginning are numbers.

    Most instead of all, so that one wrong cell is found and told later, and does not silently take
    its whole column with it.
    """
    cells = [cells[j].strip() for cells in sample if j < len(cells)]
    numbers = [_is_number(cell) for cell in cells if cell.lower() not in MISSING]
    return 2 * sum(numbers) >= len(numbers)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell
