"""Vectors in a CSV file or on standard input, read in blocks."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphpac._typing import FloatMatrix, Progress
from graphpac._wording import short_name
from graphpac.exceptions import FileFormatError
from graphpac.io.readers.columns import kept_columns
from graphpac.io.readers.csv_columns import Chosen, choose
from graphpac.io.readers.csv_stream import BLOCK_BYTES, CsvStream, open_stream
from graphpac.io.readers.csv_values import kept_values, parse_numbers, parse_vectors
from graphpac.io.readers.faults import refusing_damage
from graphpac.io.readers.growing import GrowingRows
from graphpac.io.readers.row_names import as_ids, as_texts
from graphpac.io.readers.table import Table, TableRequest, TableShape

USES = frozenset({"columns", "id_column", "text_column", "keep_columns", "float_type"})

_SMALLEST_ID, _LARGEST_ID = -(2**63), 2**63 - 1


def read(request: TableRequest, progress: Progress | None) -> Table:
    """Read all rows in one pass."""
    with _opened(request) as stream:
        chosen = choose(stream.head, request)
        kept: dict[str, list[Any]] = {
            column: [] for column in kept_columns(request, stream.head.names)
        }
        values: dict[str, list[str]] = {column: [] for column in request.about_rows}
        n_columns = None if chosen.are_vectors else len(chosen.names)
        rows = GrowingRows(n_columns, stream.expected_rows(), request.name)
        wanted = list(dict.fromkeys([*chosen.names, *values, *kept]))
        for batch in _batches(stream, wanted, request.name):
            rows.add(_parsed(batch, chosen, rows, stream, request))
            for column, cells in values.items():
                cells.extend(batch.column(column).to_pylist())
            for column, batches in kept.items():
                batches.append(batch.column(column))
            stream.tell_progress(progress)
        ids = texts = None
        if request.id_column is not None:
            given = _plain_ids(values[request.id_column])
            ids = as_ids(given, request.name, request.id_column, stream.place)
    if request.text_column is not None:
        texts = as_texts(values[request.text_column], request.name, request.text_column)
    columns = tuple(chosen.names) if stream.head.has_names and not chosen.are_vectors else None
    return Table(
        rows.finish(),
        ids,
        texts,
        columns,
        request.name,
        {column: kept_values(batches) for column, batches in kept.items()},
    )


def describe(request: TableRequest) -> TableShape:
    """Count the rows, which is faster than to read their numbers."""
    with _opened(request) as stream:
        chosen = choose(stream.head, request)
        n_rows, n_columns = 0, len(chosen.names)
        for batch in _batches(stream, chosen.names[:1], request.name):
            if chosen.are_vectors and n_rows == 0:
                rows = GrowingRows(None, 1, request.name)
                n_columns = _parsed(batch.slice(0, 1), chosen, rows, stream, request).shape[1]
            n_rows += batch.num_rows
    return TableShape(n_rows, n_columns, np.dtype(np.float32))


def _parsed(
    batch: Any, chosen: Chosen, rows: GrowingRows, stream: CsvStream, request: TableRequest
) -> FloatMatrix:
    """Turn the cells of a batch into rows like those before; the first decides about vectors."""
    first_row = rows.n_rows

    def place(row: int, j: int = 0) -> str:
        return f"{stream.place(first_row + row)}, {stream.head.label(chosen.names[j])}"

    columns = [batch.column(column) for column in chosen.names]
    if chosen.are_vectors:
        return parse_vectors(columns[0], rows.n_columns, request.float_type, request.name, place)
    return parse_numbers(columns, request.float_type, request.name, place)


@contextmanager
def _opened(request: TableRequest) -> Iterator[CsvStream]:
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
        batches = open_csv(
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
        yield from (batch for batch in batches if batch.num_rows)
    except pa.ArrowInvalid as error:
        if not uneven:
            raise
        row = uneven[0]
        place = stream.place(row.number - 1 - head.n_lines)
        msg = (
            f"{name} has {row.actual_columns} instead of {row.expected_columns} cells in {place} "
            f"({short_name(row.text)}): give every row as many cells as the first line, and put "
            "texts with delimiters into quotes."
        )
        raise FileFormatError(msg) from error


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
