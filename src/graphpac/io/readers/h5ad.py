"""Cells in an .h5ad file of AnnData; only the parts that are asked for are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphpac._optional import require
from graphpac._typing import Progress
from graphpac._wording import listing, short_name, short_text
from graphpac.exceptions import FileFormatError, NotInFileError
from graphpac.io.readers.columns import kept_columns
from graphpac.io.readers.faults import first_line, refusing_damage
from graphpac.io.readers.npy import Header, check_matrix
from graphpac.io.readers.row_names import as_ids, as_texts
from graphpac.io.readers.table import Table, TableRequest, TableShape

USES = frozenset({"key", "id_column", "text_column", "keep_columns"})

_DEFAULT_KEY = "X_pca"
_SPARSE = ("csr_matrix", "csc_matrix")
# What h5py and anndata raise on files whose parts are not what or where they should be.
_FILE_ERRORS = (AttributeError, KeyError, NotImplementedError, RuntimeError, TypeError)


def read(request: TableRequest, progress: Progress | None) -> Table:
    """Read one matrix, the names of its rows and, if they are genes, of its columns."""
    with _opened(request) as file:
        place = _place(file, request)
        check_matrix(f"{request.name}: {short_text(place)}", _header(file, place, request.name))
        X = _read(file[place])
        if hasattr(X, "tocsr"):
            X = X.tocsr()
            # A column number that is too large would be read outside of memory later.
            X.check_format(full_check=True)
        if progress is not None:
            progress(1, 1)
        ids = as_ids(*_about_rows(file, request.id_column, request.name))
        texts = None
        if request.text_column is not None:
            texts = as_texts(*_about_rows(file, request.text_column, request.name))
        kept = {
            column: _about_rows(file, column, request.name)[0]
            for column in kept_columns(request, list(file["obs"]))
        }
        columns = None
        if not place.startswith("obsm/"):
            columns = tuple(str(name) for name in _read(file["var"][_index_of(file["var"])]))
        if X.shape != (len(ids), X.shape[1] if columns is None else len(columns)):
            msg = f"{place} has the shape {X.shape}, but its rows or columns have other names"
            raise ValueError(msg)
    return Table(X, ids, texts, columns, request.name, kept)


def describe(request: TableRequest) -> TableShape:
    """Tell the shape without reading a number."""
    with _opened(request) as file:
        place = _place(file, request)
        header = _header(file, place, request.name)
    return TableShape(
        *check_matrix(f"{request.name}: {short_text(place)}", header), dtype=header.dtype
    )


@contextmanager
def _opened(request: TableRequest) -> Iterator[Any]:
    h5py = require("h5py", extra="single-cell", needed_for="reading .h5ad files")
    with (
        refusing_damage(request.name, "an .h5ad file", *_FILE_ERRORS),
        h5py.File(request.source, "r") as file,
    ):
        yield file


def _place(file: Any, request: TableRequest) -> str:
    """Find where the matrix is: the entry that is asked for, else the components, else X."""
    there = ["X"] if "X" in file else []
    there += [f"{group}/{key}" for group in ("obsm", "layers") for key in file.get(group, ())]
    wanted = (_DEFAULT_KEY, "X") if request.key is None else (request.key,)
    for key in wanted:
        for place in (key, f"obsm/{key}", f"layers/{key}"):
            if place in there:
                return place
    msg = f"{request.name} has no matrix {short_name(wanted[-1])} (it has {listing(there)})."
    raise NotInFileError(msg)


def _header(file: Any, place: str, name: str) -> Header:
    """Tell shape and dtype of a matrix, and refuse what is none."""
    entry = file[place]
    if hasattr(entry, "dtype"):
        header = Header(entry.shape, is_fortran=False, dtype=entry.dtype)
    elif entry.attrs.get("encoding-type") in _SPARSE:
        shape = tuple(int(n) for n in entry.attrs["shape"])
        header = Header(shape, is_fortran=False, dtype=entry["data"].dtype)
    else:
        kind = entry.attrs.get("encoding-type", "a group")
        msg = (
            f"{name}: {short_text(place)} is {short_text(str(kind))}, but a dense or sparse matrix "
            "is needed: name another."
        )
        raise FileFormatError(msg)
    return header


def _read(entry: Any) -> Any:
    anndata = require("anndata", extra="single-cell", needed_for="reading .h5ad files")
    try:
        return anndata.io.read_elem(entry)
    except Exception as error:  # anndata has errors of its own, for which it has no public names
        msg = first_line(error)
        raise ValueError(msg) from error


def _index_of(frame: Any) -> str:
    return str(frame.attrs["_index"])


def _about_rows(file: Any, column: str | None, name: str) -> tuple[list[Any], str, str]:
    """Values of a column of obs, by default the names of the cells; None where one is missing."""
    pandas = require("pandas", extra="single-cell", needed_for="reading .h5ad files")
    obs = file["obs"]
    column = _index_of(obs) if column is None else column
    if column not in obs:
        msg = f"{name} has no column {short_name(column)} in obs (it has {listing(list(obs))})."
        raise NotInFileError(msg)
    values = _read(obs[column])
    listed = np.array(values, dtype=object)
    listed[np.asarray(pandas.isna(values))] = None
    return listed.tolist(), name, column
