"""Vectors in a Parquet file: one column of lists, or many columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphpac._typing import AnyArray, Progress
from graphpac._wording import short_name
from graphpac.exceptions import FileFormatError
from graphpac.io.blocks import BLOCK_BYTES
from graphpac.io.readers.faults import allocate, check_finite, refuse_value, refusing_damage
from graphpac.io.readers.parquet_columns import Vectors, choose_vectors, storage_type
from graphpac.io.readers.row_names import as_ids, as_texts
from graphpac.io.readers.table import Request, Table, TableShape

USES = frozenset({"columns", "id_column", "text_column"})

_BUFFER_BYTES = 1 << 16  # of each column
_COLUMNS_AT_ONCE = 16


def read(request: Request, progress: Progress | None) -> Table:
    """Read in batches of rows into one array."""
    with _opened(request) as file:
        vectors = choose_vectors(file.schema_arrow, request)
        X = allocate(_shape(file, vectors), vectors.dtype, request.name)
        _fill(X, file, vectors, request.name, progress)
        ids = texts = None
        if request.id_column is not None:
            ids = as_ids(_values(file, request.id_column), request.name, request.id_column)
        if request.text_column is not None:
            texts = as_texts(_values(file, request.text_column), request.name, request.text_column)
    columns = None if vectors.is_list else tuple(vectors.names)
    return Table(X, ids, texts, columns, request.name)


def describe(request: Request) -> TableShape:
    """Tell the shape from the footer; lists of any length are as long as the first."""
    with _opened(request) as file:
        vectors = choose_vectors(file.schema_arrow, request)
        return TableShape(*_shape(file, vectors), dtype=vectors.dtype)


@contextmanager
def _opened(request: Request) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    with (
        refusing_damage(request.name, "a Parquet file", pa.ArrowException),
        # Unless told so, whole columns of a row group are read ahead.
        ParquetFile(
            request.source,
            pre_buffer=False,
            buffer_size=_BUFFER_BYTES,
            page_checksum_verification=True,
        ) as file,
    ):
        yield file


def _shape(file: Any, vectors: Vectors) -> tuple[int, int]:
    n_rows = file.metadata.num_rows
    if n_rows < 0:
        msg = f"it tells of {n_rows} rows"
        raise ValueError(msg)
    if not vectors.is_list:
        return n_rows, len(vectors.names)
    kind = storage_type(vectors.types[0])
    if hasattr(kind, "list_size"):
        return n_rows, kind.list_size
    for batch in file.iter_batches(batch_size=1, columns=vectors.names):
        first = batch.column(vectors.names[0])[0]
        return n_rows, len(first.values) if first.is_valid else 0
    return n_rows, 0


def _fill(X: AnyArray, file: Any, vectors: Vectors, source: str, progress: Progress | None) -> None:
    """Read all vectors, a few columns at a time.

    Of every column that is read at the same time the present page is in memory, packed and
    unpacked, which for hundreds of columns can be more than the rows themselves.
    """
    parts = range(0, len(vectors.names), _COLUMNS_AT_ONCE)
    done, total = 0, len(parts) * X.shape[0]
    for part in parts:
        names = vectors.names[part : part + _COLUMNS_AT_ONCE]
        width = X.shape[1] if vectors.is_list else len(names)
        for first_row, batch in _batches(file, names, width):
            block = X[first_row : first_row + batch.num_rows, part : part + width]
            if vectors.is_list:
                _fill_from_lists(block, batch, names[0], first_row, source)
            else:
                _fill_from_columns(block, batch, names, first_row, source)
            done += batch.num_rows
            if progress is not None:
                progress(done, total)


def _values(file: Any, column: str) -> list[Any]:
    batches = _batches(file, [column], width=1)
    return [value for _, batch in batches for value in batch.column(column).to_pylist()]


def _batches(file: Any, names: list[str], width: int) -> Iterator[tuple[int, Any]]:
    """Read some columns, which have so many numbers a row, with the number of each first row."""
    batch_size = max(1, BLOCK_BYTES // (8 * max(1, width)))
    n_rows = 0
    for batch in file.iter_batches(batch_size=batch_size, columns=names):
        yield n_rows, batch
        n_rows += batch.num_rows
    if n_rows != file.metadata.num_rows:
        msg = f"it holds {n_rows} rows instead of {file.metadata.num_rows}"
        raise ValueError(msg)


def _fill_from_columns(
    block: AnyArray, batch: Any, names: list[str], first_row: int, source: str
) -> None:
    for j, name in enumerate(names):
        column = batch.column(name)
        if column.null_count:
            row = first_row + _first_null(column)
            refuse_value(source, f"row {row}, column {short_name(name)}", "a missing value")
        _assign(block[:, j], _numbers(column))
    check_finite(
        block, source, lambda row, j: f"row {first_row + row}, column {short_name(names[j])}"
    )


def _fill_from_lists(block: AnyArray, batch: Any, name: str, first_row: int, source: str) -> None:
    column = batch.column(name)
    column = getattr(column, "storage", column)
    if column.null_count:
        row = first_row + _first_null(column)
        refuse_value(source, f"row {row}, column {short_name(name)}", "a missing value")
    n_columns = block.shape[1]
    if not hasattr(column.type, "list_size"):
        lengths = np.from_dlpack(column.value_lengths())
        uneven = np.flatnonzero(lengths != n_columns)
        if uneven.size:
            msg = (
                f"{source} has {lengths[uneven[0]]} numbers in row {first_row + uneven[0]}, column "
                f"{short_name(name)}, but {n_columns} in row 0: make all lists equally long."
            )
            raise FileFormatError(msg)
    values = column.flatten()

    def place(row: int, j: int) -> str:
        return f"row {first_row + row}, number {j} of the column {short_name(name)}"

    if values.null_count:
        refuse_value(source, place(*divmod(_first_null(values), n_columns)), "a missing value")
    _assign(block, _numbers(values).reshape(block.shape))
    check_finite(block, source, place)


def _first_null(column: Any) -> int:
    return int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))


def _numbers(column: Any) -> AnyArray:
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    elif pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    numbers: AnyArray = np.from_dlpack(column)  # to_numpy would import pandas
    return numbers


def _assign(target: AnyArray, values: AnyArray) -> None:
    with np.errstate(over="ignore"):  # what float32 cannot hold is refused as infinite
        target[...] = values
