"""Vectors in a CSV file or on standard input, read in blocks: one column for each feature."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix, Progress
from graphpac._wording import short_name
from graphpac.exceptions import FileFormatError
from graphpac.io.readers.csv_head import MISSING, choose
from graphpac.io.readers.csv_stream import BLOCK_BYTES, CsvStream, open_stream
from graphpac.io.readers.faults import check_finite, refuse_value, refusing_damage
from graphpac.io.readers.growing import GrowingRows
from graphpac.io.readers.row_names import as_ids, as_texts
from graphpac.io.readers.table import Request, Table, TableShape

USES = frozenset({"columns", "id_column", "text_column"})

_SMALLEST_ID, _LARGEST_ID = -(2**63), 2**63 - 1


def read(request: Request, progress: Progress | None) -> Table:
    """Read all rows in one pass, as float32."""
    with _opened(request) as stream:
        chosen = choose(stream.head, request)
        rows = GrowingRows(len(chosen), stream.expected_rows(), request.name)
        values: dict[str, list[str]] = {column: [] for column in request.about_rows}
        for batch in _batches(stream, list(dict.fromkeys([*chosen, *values])), request.name):
            rows.add(_numbers(batch, chosen, rows.n_rows, stream, request.name))
            for column in values:
                values[column] += batch.column(column).to_pylist()
            stream.tell_progress(progress)
        ids = texts = None
        if request.id_column is not None:
            given = _plain_ids(values[request.id_column])
            ids = as_ids(given, request.name, request.id_column, stream.place)
    if request.text_column is not None:
        texts = as_texts(values[request.text_column], request.name, request.text_column)
    columns = tuple(chosen) if stream.head.has_names else None
    return Table(rows.finish(), ids, texts, columns, request.name)


def describe(request: Request) -> TableShape:
    """Count the rows, which is faster than to read their numbers."""
    with _opened(request) as stream:
        chosen = choose(stream.head, request)
        batches = _batches(stream, chosen[:1], request.name)
        n_rows = sum(batch.num_rows for batch in batches)
    return TableShape(n_rows, len(chosen), np.dtype(np.float32))


@contextmanager
def _opened(request: Request) -> Iterator[CsvStream]:
    import pyarrow as pa

    with (
        refusing_damage(request.name, "a CSV file", pa.ArrowException, EOFError, zlib.error),
        open_stream(request) as stream,
    ):
        yield stream


def _batches(stream: CsvStream, columns: list[str], name: str) -> Iterator[Any]:
    """Cut the file into batches of rows with the texts of some columns.

    Texts instead of numbers, because then it can be told where and what a wrong one is, and no
    type is guessed from the first rows alone.
    """
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, open_csv

    head = stream.head
    uneven: list[Any] = []

    def remember(row: Any) -> str:
        uneven.append(row)
        return "error"

    try:
        yield from open_csv(
            stream,
            ReadOptions(
                use_threads=False,  # with threads nobody knows the number of an uneven row
                block_size=BLOCK_BYTES,
                skip_rows=head.n_lines,
                column_names=head.names,
            ),
            ParseOptions(
                delimiter=head.delimiter, newlines_in_values=True, invalid_row_handler=remember
            ),
            ConvertOptions(
                include_columns=columns, column_types=dict.fromkeys(columns, pa.string())
            ),
        )
    except pa.ArrowInvalid as error:
        if not uneven:
            raise
        row = uneven[0]
        place = stream.place(row.number - 1 - head.n_lines)
        msg = (
            f"{name} has {row.actual_columns} instead of {row.expected_columns} cells in {place} "
            f"({short_name(row.text)}): give every row as many cells as there are columns, and put "
            "texts with delimiters into quotes."
        )
        raise FileFormatError(msg) from error


def _numbers(
    batch: Any, columns: list[str], first_row: int, stream: CsvStream, name: str
) -> FloatMatrix:
    def place(row: int, j: int) -> str:
        return f"{stream.place(first_row + row)}, {stream.head.label(columns[j])}"

    block: FloatMatrix = np.empty((batch.num_rows, len(columns)), dtype=np.float32)
    for j, column in enumerate(columns):
        cells = batch.column(column)
        numbers = _parsed(cells)
        if numbers is None:
            row, cell = _first_wrong(cells)
            missing = cell.strip().lower() in MISSING
            value = "a missing value" if missing else f"{short_name(cell)} instead of a number"
            refuse_value(name, place(row, j), value)
        block[:, j] = numbers
    check_finite(block, name, place)
    return block


def _parsed(cells: Any) -> AnyArray | None:
    """Turn texts into numbers; None if one of them is no number."""
    import pyarrow as pa
    from pyarrow import compute

    with suppress(pa.ArrowInvalid):
        return _cast(cells)
    with suppress(pa.ArrowInvalid):
        return _cast(compute.utf8_trim_whitespace(cells))
    return None


def _cast(cells: Any) -> AnyArray:
    import pyarrow as pa

    numbers: AnyArray = np.from_dlpack(cells.cast(pa.float32()))  # to_numpy would import pandas
    return numbers


def _first_wrong(cells: Any) -> tuple[int, str]:
    return next(
        (row, cell)
        for row, cell in enumerate(cells.to_pylist())
        if _parsed(cells.slice(row, 1)) is None
    )


def _plain_ids(cells: list[str]) -> list[Any]:
    """Ids as integers if all of them are written as such, None for those that are missing."""
    if "" in cells:
        return [cell or None for cell in cells]
    try:
        numbers = [int(cell) for cell in cells]
    except ValueError:
        return cells
    # 007 and 7 are different ids, and so are numbers that no integer column can hold.
    is_plain = all(
        str(number) == cell and _SMALLEST_ID <= number <= _LARGEST_ID
        for number, cell in zip(numbers, cells, strict=True)
    )
    return numbers if is_plain else cells
