"""What the first lines of a CSV file tell: delimiter, names of the columns, some of the rows."""

from __future__ import annotations

import csv
import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from graphpac._wording import short_name
from graphpac.exceptions import FileFormatError
from graphpac.io.readers.csv_cells import is_number, is_vector

logger = logging.getLogger("graphpac")

_DELIMITERS = ",;\t|"
_FEW_COLUMNS = 2  # that a row may count by chance
_N_SAMPLE_ROWS = 200
_LONGEST_CELL = 1 << 20


class CsvRow(NamedTuple):
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


def records(lines: Iterable[str], delimiter: str) -> Iterator[CsvRow]:
    """Cut lines into rows, passing over lines with nothing in them.

    Ends early at a row that the standard library cannot take apart, such as one with a text of
    more than 1 MB.
    """
    reader = csv.reader(lines, delimiter=delimiter)
    before = 0
    usual = csv.field_size_limit(_LONGEST_CELL)  # else 128 KB, less than long vectors take
    try:
        with suppress(csv.Error):
            for cells in reader:
                if cells:
                    yield CsvRow(before + 1, reader.line_num, cells)
                before = reader.line_num
    finally:
        csv.field_size_limit(usual)


def find_delimiter(line: str) -> str:
    """Take the delimiter that is most often in the first line, outside of quotes and vectors."""
    outside = re.sub(r'"[^"]*("|$)|\[[^]]*\]|\{[^}]*\}', "", line)
    return max(_DELIMITERS, key=outside.count)


def read_head(lines: Iterable[str], delimiter: str, name: str) -> Head:
    """Take the first lines apart.

    The first row names the columns unless all its cells are numbers, or one is a vector. Even then
    it does if they count the columns, as 0, 1, 2 or 1, 2, 3: so data frames without names are
    written.
    """
    found = list(islice(records(lines, delimiter), _N_SAMPLE_ROWS))
    if not found:
        msg = f"{name} does not begin as a CSV file does: a line of names, then rows of numbers."
        raise FileFormatError(msg)
    first = found[0]
    cells = [cell.strip() for cell in first.cells]
    counts = [[str(k + start) for k in range(len(cells))] for start in (0, 1)]
    if any(map(is_vector, cells)) or (all(map(is_number, cells)) and cells not in counts):
        sample = [record.cells for record in found]
        return Head(delimiter, counts[1], has_names=False, n_lines=0, sample=sample)
    if len(cells) <= _FEW_COLUMNS and cells in counts:
        logger.warning(
            "%s: the first line is taken for the names of the columns, because it counts them; "
            "write names above it if it is a row",
            name,
        )
    if any(is_number(cell) and not cell.isdecimal() for cell in cells):
        logger.warning(
            "%s: the first line is taken for the names of the columns, although numbers are in it",
            name,
        )
    sample = [record.cells for record in found[1:]]
    return Head(delimiter, cells, has_names=True, n_lines=first.last_line, sample=sample)
