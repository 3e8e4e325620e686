"""The way to all readers: which format a file has, and whether it is there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

from graphpac._typing import AnyArray, Progress
from graphpac._wording import short_name, short_path, short_repr
from graphpac.exceptions import FileFormatError, ParameterError
from graphpac.io.readers.faults import BeyondFloat32Error
from graphpac.io.readers.table import Reader, Table, TableRequest, TableShape

_TINY = 2.0**-100  # float32 loses digits from 2**-126 down

READERS = {
    ".npy": "npy",
    ".npz": "npz",
    ".parquet": "parquet",
    ".csv": "csv_table",
    ".tsv": "csv_table",
    ".csv.gz": "csv_table",
    ".tsv.gz": "csv_table",
    ".h5ad": "h5ad",
}
"""The modules that read, by the ending of the file's name; imported when a file has it."""


def read_table(
    source: str | Path,
    *,
    columns: Sequence[str] | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
    key: str | None = None,
    keep_columns: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Table:
    """Read vectors from a file; see ``docs/files.md`` for the rules of each format.

    Beside the rows themselves no more than a block of the file is in memory at any time, and of
    an .npy file nothing.

    Parameters
    ----------
    source : str or path
        A file whose name ends in .npy, .npz, .parquet, .csv, .tsv, .csv.gz, .tsv.gz or .h5ad, or
        "-" for CSV on standard input; or a folder of .parquet files, which are read one after
        another in the order of their names.
    columns : sequence of str, optional
        Columns of a .parquet or .csv file to take as features, in this order: names, or patterns
        such as ``emb_*``. May name one column of lists, in a .csv file of texts such as
        ``"[0.1, 0.2]"``. By default the only column of lists of numbers or, where there is none,
        all columns of numbers.
    id_column : str, optional
        Where the ids of the rows are. By default there are none, but the names of an .h5ad file.
    text_column : str, optional
        Where the texts of the rows are.
    key : str, optional
        The array of an .npz archive, by default "X" or the only matrix; or the entry of ``obsm`` or
        ``layers`` of an .h5ad file, by default "X_pca" or else X.
    keep_columns : sequence of str, optional
        Columns to keep as they are, in `Table.kept`: names, or patterns such as ``meta_*``. They
        are features as well if they would be without this.
    progress : callable, optional
        Called with what is read and all there is to read, where that is known.

    Returns
    -------
    Table

    Raises
    ------
    FileFormatError
        If the file is damaged, or does not hold what it is asked for.
    ValueError, OSError
        If no reader knows such a file, or it cannot be opened.
    """
    request = _request(source, columns, id_column, text_column, key, keep_columns)
    table = _read(_reader(request), request, progress)
    _check_size(request, *table.X.shape)
    return table


def describe_table(
    source: str | Path,
    *,
    columns: Sequence[str] | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
    key: str | None = None,
) -> TableShape:
    """Tell how large a table is; of a CSV file the rows are counted, of others little is read.

    The parameters and errors are those of `read_table`. Standard input is refused, because what is
    counted cannot be read a second time.
    """
    request = _request(source, columns, id_column, text_column, key)
    if request.path is None:
        msg = "standard input can be read only once: save it to a file, and pass that."
        raise ParameterError(msg)
    shape = _reader(request).describe(request)
    _check_size(request, shape.n_rows, shape.n_columns)
    return shape


def _read(reader: Reader, request: TableRequest, progress: Progress | None) -> Table:
    """Read numbers as float32, and a file of numbers it cannot hold once more, as float64."""
    if "float_type" not in reader.USES or request.path is None:
        return reader.read(request, progress)
    table = None
    with suppress(BeyondFloat32Error):
        table = reader.read(request, progress)
    if table is not None and not _is_tiny(table.X):
        return table
    wide = reader.read(replace(request, float_type=np.float64), progress)
    return wide if table is None or (wide.X != table.X).any() else table


def _is_tiny(X: AnyArray) -> bool:
    """Tell whether all numbers are next to zero, or were too small for float32 to be anything."""
    if X.dtype != np.float32 or X.size == 0:
        return False
    return max(float(X.max()), -float(X.min())) < _TINY


def _request(
    source: Any,
    columns: Sequence[str] | None,
    id_column: str | None,
    text_column: str | None,
    key: str | None,
    keep_columns: Sequence[str] | None = None,
) -> TableRequest:
    if not isinstance(source, str | os.PathLike):
        msg = f"source is of type {type(source).__name__}, but the name of a file is needed."
        raise TypeError(msg)
    names = _names(columns)
    if names == ():
        msg = "columns is empty: name at least one column, or leave it out to take all."
        raise ParameterError(msg)
    kept = _names(keep_columns) or None
    return TableRequest(os.fspath(source), names, id_column, text_column, key, kept)


def _names(given: Sequence[str] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(given)


def _reader(request: TableRequest) -> Reader:
    path = request.path
    if path is None:
        return _checked_reader(".csv", request)
    name = path.name.lower()
    ending = next((ending for ending in READERS if name.endswith(ending)), None)
    if path.is_dir():
        if ending not in {None, ".parquet"}:
            msg = f"{request.name} is a folder: pass a file, or a folder of Parquet files."
            raise IsADirectoryError(msg)
        return _checked_reader(".parquet", request)
    if not path.exists():
        msg = (
            f"there is no file {request.name}: check its name and the present folder "
            f"({short_path(Path.cwd())})."
        )
        raise FileNotFoundError(msg)
    if ending is None:
        msg = (
            f"{request.name} ends in {short_name(path.suffix)}, but graphpac reads "
            f"{_known_endings()}: convert the "
            'file, or pipe CSV into standard input ("-").'
        )
        raise ParameterError(msg)
    _check_file(path)
    return _checked_reader(ending, request)


def _checked_reader(ending: str, request: TableRequest) -> Reader:
    reader = cast("Reader", import_module(f"graphpac.io.readers.{READERS[ending]}"))
    for option in ("columns", "id_column", "text_column", "key", "keep_columns"):
        given = getattr(request, option)
        if given is not None and option not in reader.USES:
            shown = short_repr(given if isinstance(given, str) else ",".join(given))
            msg = f"{option}={shown} has no meaning for {ending} files such as {request.name}."
            raise ParameterError(msg)
    return reader


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except OSError as error:
        msg = f"{short_path(path)} cannot be opened ({error.strerror}): check who may read it."
        raise type(error)(msg) from error
    if is_empty:
        msg = f"{short_path(path)} is empty: it has no bytes at all, so write it again."
        raise FileFormatError(msg)


def _check_size(request: TableRequest, n_rows: int, n_columns: int) -> None:
    if n_rows == 0 or n_columns == 0:
        msg = (
            f"{request.name} has {n_rows} rows and {n_columns} columns of numbers: at least one of "
            "each is needed."
        )
        raise FileFormatError(msg)


def _known_endings() -> str:
    *first, last = READERS
    return f"{', '.join(first)} and {last}"
