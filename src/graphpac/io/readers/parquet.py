"""Vectors in a Parquet file: one column of lists, or many columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphpac._typing import AnyArray, Progress
from graphpac.exceptions import FileFormatError
from graphpac.io.blocks import BLOCK_BYTES
from graphpac.io.readers.columns import check_names, chosen_columns, warn_of_no_features
from graphpac.io.readers.faults import (
    allocate,
    check_finite,
    listing,
    refuse_value,
    refusing_damage,
    shorten,
)
from graphpac.io.readers.row_names import as_ids, as_texts
from graphpac.io.readers.table import Request, Table, TableShape

USES = frozenset({"columns", "id_column", "text_column"})

_BUFFER_BYTES = 1 << 16  # of each column
_SMALL_DTYPES = {np.dtype(code) for code in ("f2", "i1", "u1", "i2", "u2")}


@dataclass(frozen=True)
class _Vectors:
    """Where the vectors are: the columns by name, and their types."""

    names: list[str]
    types: list[Any]
    is_list: bool

    @property
    def dtype(self) -> np.dtype[Any]:
        """What they are read as: small numbers as they are, everything else as float32."""
        kinds = [_item_type(kind) for kind in self.types] if self.is_list else self.types
        found = {_numpy_dtype(kind) for kind in kinds}
        small = [dtype for dtype in _SMALL_DTYPES if found == {dtype}]
        return small[0] if small else np.dtype(np.float32)


def read(request: Request, progress: Progress | None) -> Table:
    """Read in batches of rows into one array."""
    with _opened(request) as file:
        vectors = _choose(file.schema_arrow, request)
        n_rows, n_columns = _shape(file, vectors)
        X = allocate((n_rows, n_columns), vectors.dtype, request.name)
        ids: list[Any] = []
        texts: list[Any] = []
        done = 0
        for batch in _batches(file, [*vectors.names, *request.about_rows], n_columns):
            block = X[done : done + batch.num_rows]
            if vectors.is_list:
                _fill_from_lists(block, batch, vectors.names[0], done, request.name)
            else:
                _fill_from_columns(block, batch, vectors.names, done, request.name)
            if request.id_column is not None:
                ids += batch.column(request.id_column).to_pylist()
            if request.text_column is not None:
                texts += batch.column(request.text_column).to_pylist()
            done += batch.num_rows
            if progress is not None:
                progress(done, n_rows)
        if done != n_rows:
            msg = f"it holds {done} rows instead of {n_rows}"
            raise ValueError(msg)
    id_column, text_column = request.id_column, request.text_column
    return Table(
        X,
        ids=None if id_column is None else as_ids(ids, request.name, id_column),
        texts=None if text_column is None else as_texts(texts, request.name, text_column),
        columns=None if vectors.is_list else tuple(vectors.names),
        source=request.name,
    )


def describe(request: Request) -> TableShape:
    """Tell the shape from the footer; lists of any length are as long as the first."""
    with _opened(request) as file:
        vectors = _choose(file.schema_arrow, request)
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


def _choose(schema: Any, request: Request) -> _Vectors:
    names = schema.names
    if request.columns is not None:
        chosen = chosen_columns(request, names)
    else:
        chosen = _default_columns(schema, request)
        warn_of_no_features(request, chosen)
    check_names(request, chosen, names)
    types = [schema.field(name).type for name in chosen]
    if len(chosen) == 1 and _item_type(types[0]) is not None:
        return _Vectors(chosen, types, is_list=True)
    for name, kind in zip(chosen, types, strict=True):
        if _numpy_dtype(kind) is None:
            msg = (
                f"{request.name}: the column {name!r} has the type {kind}, but columns of numbers "
                "or one column of lists of numbers are needed: choose other columns."
            )
            raise FileFormatError(msg)
    return _Vectors(chosen, types, is_list=False)


def _default_columns(schema: Any, request: Request) -> list[str]:
    """Take the only column of lists of numbers or, where there is none, all columns of numbers."""
    import pyarrow as pa

    fields = [field for field in schema if field.name not in _about_rows(schema, request)]
    lists = [field.name for field in fields if _item_type(field.type) is not None]
    if len(lists) > 1:
        msg = f"{request.name} has several columns of lists ({listing(lists)}): choose one."
        raise FileFormatError(msg)
    numbers = [
        field.name
        for field in fields
        if _numpy_dtype(field.type) is not None and not pa.types.is_boolean(field.type)
    ]
    if not lists and not numbers:
        there = ", ".join(f"{field.name!r} {field.type}" for field in schema)
        msg = (
            f"{request.name} has neither a column of lists of numbers nor columns of numbers, but "
            f"{shorten(there, 160) or 'nothing'}: write the vectors into it as well."
        )
        raise FileFormatError(msg)
    return lists or numbers


def _about_rows(schema: Any, request: Request) -> set[str]:
    """Name the columns that are no features: ids, texts and the index of a pandas frame."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return {*request.about_rows, *(name for name in index if isinstance(name, str))}


def _storage(kind: Any) -> Any:
    """Tell how an extension type is stored: a tensor of any shape is a list of its numbers."""
    import pyarrow as pa

    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _item_type(kind: Any) -> Any:
    """Type of the numbers in a list, None for everything else."""
    import pyarrow as pa

    kind = _storage(kind)
    is_list = (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )
    return kind.value_type if is_list and _numpy_dtype(kind.value_type) is not None else None


def _numpy_dtype(kind: Any) -> np.dtype[Any] | None:
    """Type of numbers in NumPy, None for what are no numbers; booleans count as 0 and 1."""
    import pyarrow as pa

    if pa.types.is_decimal(kind):
        return np.dtype(np.float64)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        dtype: np.dtype[Any] = np.dtype(kind.to_pandas_dtype())
        return dtype
    return None


def _shape(file: Any, vectors: _Vectors) -> tuple[int, int]:
    n_rows = file.metadata.num_rows
    if n_rows < 0:
        msg = f"it tells of {n_rows} rows"
        raise ValueError(msg)
    if not vectors.is_list:
        return n_rows, len(vectors.names)
    kind = _storage(vectors.types[0])
    if hasattr(kind, "list_size"):
        return n_rows, kind.list_size
    for batch in file.iter_batches(batch_size=1, columns=vectors.names):
        first = batch.column(vectors.names[0])[0]
        return n_rows, len(first.values) if first.is_valid else 0
    return n_rows, 0


def _batches(file: Any, names: list[str], n_columns: int) -> Iterator[Any]:
    # Wide enough for eight-byte numbers; a row of no numbers at all is refused later.
    batch_size = max(1, BLOCK_BYTES // (8 * max(1, n_columns)))
    yield from file.iter_batches(batch_size=batch_size, columns=list(dict.fromkeys(names)))


def _fill_from_columns(
    block: AnyArray, batch: Any, names: list[str], first_row: int, source: str
) -> None:
    for j, name in enumerate(names):
        column = batch.column(name)
        if column.null_count:
            row = first_row + _first_null(column)
            refuse_value(source, f"row {row}, column {name!r}", "a missing value")
        _assign(block[:, j], _numbers(column))
    check_finite(block, source, lambda row, j: f"row {first_row + row}, column {names[j]!r}")


def _fill_from_lists(block: AnyArray, batch: Any, name: str, first_row: int, source: str) -> None:
    column = batch.column(name)
    column = getattr(column, "storage", column)
    if column.null_count:
        row = first_row + _first_null(column)
        refuse_value(source, f"row {row}, column {name!r}", "a missing value")
    n_columns = block.shape[1]
    if not hasattr(column.type, "list_size"):
        lengths = np.from_dlpack(column.value_lengths())
        uneven = np.flatnonzero(lengths != n_columns)
        if uneven.size:
            msg = (
                f"{source} has {lengths[uneven[0]]} numbers in row {first_row + uneven[0]}, column "
                f"{name!r}, but {n_columns} in row 0: make all lists equally long."
            )
            raise FileFormatError(msg)
    values = column.flatten()

    def place(row: int, j: int) -> str:
        return f"row {first_row + row}, number {j} of the column {name!r}"

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
