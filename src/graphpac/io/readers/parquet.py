"""Vectors in Parquet files: one column of lists, or many columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphpac._typing import AnyArray, Progress
from graphpac._wording import short_name, short_path
from graphpac.exceptions import FileFormatError
from graphpac.io.blocks import BLOCK_BYTES
from graphpac.io.readers.columns import kept_columns
from graphpac.io.readers.faults import allocate, check_finite, refuse_value
from graphpac.io.readers.parquet_columns import Vectors, choose_vectors, storage_type
from graphpac.io.readers.parquet_parts import check_is_alike, find_parts, open_part
from graphpac.io.readers.row_names import as_ids, as_texts
from graphpac.io.readers.table import Table, TableRequest, TableShape

USES = frozenset({"columns", "id_column", "text_column", "keep_columns", "float_type"})

_COLUMNS_AT_ONCE = 16


@dataclass(frozen=True)
class _Contents:
    """What the footers tell: where the vectors are, what is kept, and the rows of each part."""

    vectors: Vectors
    kept: dict[str, Any]  # types of the columns
    parts: dict[Path, int]
    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        return sum(self.parts.values()), self.n_columns


def read(request: TableRequest, progress: Progress | None) -> Table:
    """Read in batches of rows into one array, part after part."""
    contents = _contents(request)
    vectors = contents.vectors
    X = allocate(contents.shape, vectors.dtype, request.name)
    values: dict[str, list[Any]] = {column: [] for column in request.about_rows}
    kept: dict[str, list[Any]] = {column: [] for column in contents.kept}
    meter = _Meter(progress, X.shape[0] * len(_column_groups(vectors)))
    start = 0
    for part, n_rows in contents.parts.items():
        with open_part(part) as file:
            _fill(X[start : start + n_rows], file, vectors, short_path(part), meter)
            for column, listed in values.items():
                for batch in _values(file, column):
                    listed.extend(batch.to_pylist())
            for column, batches in kept.items():
                batches.extend(_values(file, column))
        start += n_rows
    ids = texts = None
    if request.id_column is not None:
        ids = as_ids(values[request.id_column], request.name, request.id_column)
    if request.text_column is not None:
        texts = as_texts(values[request.text_column], request.name, request.text_column)
    columns = None if vectors.is_list else tuple(vectors.names)
    joined = {name: _joined(batches, contents.kept[name]) for name, batches in kept.items()}
    return Table(X, ids, texts, columns, request.name, joined)


def describe(request: TableRequest) -> TableShape:
    """Tell the shape from the footers; lists of any length are as long as the first."""
    contents = _contents(request)
    return TableShape(*contents.shape, dtype=contents.vectors.dtype)


def _contents(request: TableRequest) -> _Contents:
    """Look at the footer of every part, and at the first of lists of any length."""
    parts = {part: _n_rows(part) for part in find_parts(Path(request.source))}
    # A part without rows often has no types either.
    first, *others = [part for part, n_rows in parts.items() if n_rows] or list(parts)
    with open_part(first) as file:
        schema = file.schema_arrow
        vectors = choose_vectors(schema, request)
        kept = {name: schema.field(name).type for name in kept_columns(request, schema.names)}
        n_columns = _n_columns(file, vectors)
    used = [*vectors.names, *request.about_rows, *kept]
    for part in others:
        with open_part(part) as file:
            check_is_alike(
                part, file.schema_arrow, first, schema, used, chosen=request.columns is not None
            )
    filled = {part: parts[part] for part in (first, *others)}
    return _Contents(vectors, kept, filled, n_columns)


def _n_rows(part: Path) -> int:
    with open_part(part) as file:
        n_rows: int = file.metadata.num_rows
        if n_rows < 0:
            msg = f"it tells of {n_rows} rows"
            raise ValueError(msg)
    return n_rows


def _n_columns(file: Any, vectors: Vectors) -> int:
    if not vectors.is_list:
        return len(vectors.names)
    kind = storage_type(vectors.types[0])
    if hasattr(kind, "list_size"):
        return int(kind.list_size)
    for batch in file.iter_batches(batch_size=1, columns=vectors.names):
        first = batch.column(vectors.names[0])[0]
        return len(first.values) if first.is_valid else 0
    return 0


class _Meter:
    """Tells how much of all parts is read."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def add(self, n_rows: int) -> None:
        self._done += n_rows
        if self._progress is not None:
            self._progress(self._done, self._total)


def _column_groups(vectors: Vectors) -> range:
    return range(0, len(vectors.names), _COLUMNS_AT_ONCE)


def _fill(X: AnyArray, file: Any, vectors: Vectors, source: str, meter: _Meter) -> None:
    """Read all vectors of a part, a few columns at a time.

    Of every column that is read at the same time the present page is in memory, packed and
    unpacked, which for hundreds of columns can be more than the rows themselves.
    """
    for group in _column_groups(vectors):
        names = vectors.names[group : group + _COLUMNS_AT_ONCE]
        width = X.shape[1] if vectors.is_list else len(names)
        for first_row, batch in _batches(file, names, width):
            block = X[first_row : first_row + batch.num_rows, group : group + width]
            if vectors.is_list:
                _fill_from_lists(block, batch, names[0], first_row, source)
            else:
                _fill_from_columns(block, batch, names, first_row, source)
            meter.add(batch.num_rows)


def _values(file: Any, column: str) -> Iterator[Any]:
    for _, batch in _batches(file, [column], width=1):
        yield batch.column(column)


def _joined(batches: list[Any], kind: Any) -> Any:
    import pyarrow as pa

    column = pa.chunked_array(batches, kind)
    return column.unify_dictionaries() if pa.types.is_dictionary(kind) else column


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
                f"{short_name(name)}, but {n_columns} in the first row: make all lists equally "
                "long."
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
    with np.errstate(over="ignore"):  # what is too large is refused as infinite
        target[...] = values
