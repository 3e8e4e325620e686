"""A matrix in an .npz archive: dense as from numpy.savez, or CSR as from scipy's save_npz."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from graphpac._typing import AnyArray, Progress
from graphpac._wording import listing, short_name, short_path, short_repr, short_text
from graphpac.exceptions import FileFormatError, NotInFileError
from graphpac.io.blocks import BLOCK_BYTES
from graphpac.io.readers.columns import kept_columns
from graphpac.io.readers.faults import allocate, refusing_damage
from graphpac.io.readers.npy import Header, check_matrix, is_matrix, read_header
from graphpac.io.readers.row_names import as_ids, as_texts
from graphpac.io.readers.table import Table, TableRequest, TableShape

USES = frozenset({"key", "id_column", "text_column", "keep_columns"})

_DEFAULT_KEY = "X"
_KEPT_KINDS = "biufUM"
_SPARSE_PARTS = {"data", "format", "shape"}
# RuntimeError stands for a password, NotImplementedError for compression unknown to Python.
_ARCHIVE_ERRORS = (BadZipFile, KeyError, NotImplementedError, RuntimeError, zlib.error)


def read(request: TableRequest, progress: Progress | None) -> Table:
    """Read one matrix of the archive, and ids and texts if they were asked for."""
    with _opened(request) as archive:
        if _is_sparse(archive, request):
            X = _read_csr(archive)
        else:
            X = archive.read(_matrix_key(archive, request), progress)
        ids = texts = None
        if request.id_column is not None:
            values = _values_of_rows(archive, request.id_column, X.shape[0])
            ids = as_ids(values, request.name, request.id_column)
        if request.text_column is not None:
            values = _values_of_rows(archive, request.text_column, X.shape[0])
            texts = as_texts(values, request.name, request.text_column)
        columns = kept_columns(request, list(archive.headers))
        kept = {key: _kept(archive, key, X.shape[0]) for key in columns}
    return Table(X, ids, texts, columns=None, source=request.name, kept=kept)


def describe(request: TableRequest) -> TableShape:
    """Tell the shape from the header of the matrix, or from the few numbers scipy keeps it in."""
    with _opened(request) as archive:
        if _is_sparse(archive, request):
            stored = archive.headers["data"]
            n_stored = int(stored.shape[0])
            return TableShape(*_sparse_shape(archive), dtype=stored.dtype, n_stored=n_stored)
        header = archive.headers[_matrix_key(archive, request)]
    return TableShape(*check_matrix(request.name, header), dtype=header.dtype)


def read_array(path: Path, key: str) -> AnyArray:
    """Read one array of the archive, whatever its shape."""
    with _opened(TableRequest(str(path))) as archive:
        if _named_header(archive, key).dtype.hasobject:
            msg = (
                f"{short_path(path)}: the array {short_name(key)} holds Python objects: save "
                "numbers or strings."
            )
            raise FileFormatError(msg)
        return archive.read(key)


class _Archive:
    """The arrays of an archive; only their headers are read until one is asked for."""

    def __init__(self, file: ZipFile, name: str) -> None:
        self._file = file
        self.name = name
        self.headers: dict[str, Header] = {}
        for member in file.namelist():
            if member.endswith(".npy"):
                with file.open(member) as data:
                    self.headers[member.removesuffix(".npy")] = read_header(data)

    def read(self, key: str, progress: Progress | None = None) -> AnyArray:
        """Read an array block by block; zipfile compares all bytes with their checksum."""
        member = f"{key}.npy"
        shape, is_fortran, dtype = self.headers[key]
        with self._file.open(member) as data:
            read_header(data)
            size = math.prod(shape) * dtype.itemsize
            # Before memory is taken for it: a header may tell anything.
            if dtype.hasobject or size != self._file.getinfo(member).file_size - data.tell():
                msg = f"the array {short_name(key)} is not as large as its header tells"
                raise ValueError(msg)
            array = allocate(shape[::-1] if is_fortran else shape, dtype, self.name)
            raw = array.reshape(-1).view(np.uint8)
            for start in range(0, size, BLOCK_BYTES):
                block = raw[start : start + BLOCK_BYTES]
                block[:] = np.frombuffer(data.read(block.size), dtype=np.uint8)
                if progress is not None:
                    progress(start + block.size, size)
        return array.T if is_fortran else array


@contextmanager
def _opened(request: TableRequest) -> Iterator[_Archive]:
    with (
        refusing_damage(request.name, "an .npz archive", *_ARCHIVE_ERRORS),
        ZipFile(request.source) as file,
    ):
        yield _Archive(file, request.name)


def _matrix_key(archive: _Archive, request: TableRequest) -> str:
    """Choose the matrix: the one that is asked for, else X, else the only one there is."""
    name, headers = request.name, archive.headers
    if request.key is not None:
        header = _named_header(archive, request.key)
        check_matrix(f"{name}: the array {short_name(request.key)}", header)
        return request.key
    matrices = [key for key, header in headers.items() if is_matrix(header)]
    if _DEFAULT_KEY in matrices:
        return _DEFAULT_KEY
    if len(matrices) == 1:
        return matrices[0]
    if matrices:
        msg = f"{name} holds several matrices ({listing(matrices)}): choose one with key=NAME."
        raise NotInFileError(msg)
    found = ", ".join(
        f"{short_name(key)} {header.dtype} {header.shape}" for key, header in headers.items()
    )
    msg = (
        f"{name} holds no two-dimensional array of real numbers, but "
        f"{short_text(found, 160) or 'nothing'}: save one with numpy.savez(path, X=X)."
    )
    raise FileFormatError(msg)


def _named_header(archive: _Archive, key: str) -> Header:
    if key not in archive.headers:
        msg = (
            f"{archive.name} has no array {short_name(key)} (it has "
            f"{listing(list(archive.headers))})."
        )
        raise NotInFileError(msg)
    return archive.headers[key]


def _values_of_rows(archive: _Archive, key: str, n_rows: int) -> list[Any]:
    header = _named_header(archive, key)
    if header.shape != (n_rows,) or header.dtype.kind not in "iuU":
        msg = (
            f"{archive.name}: the array {short_name(key)} has the dtype "
            f"{short_text(str(header.dtype))} and the shape {header.shape}, but one string or "
            f"integer for each of {n_rows} rows is needed."
        )
        raise FileFormatError(msg)
    values: list[Any] = archive.read(key).tolist()
    return values


def _kept(archive: _Archive, key: str, n_rows: int) -> AnyArray:
    header = archive.headers[key]
    if header.shape != (n_rows,) or header.dtype.kind not in _KEPT_KINDS:
        msg = (
            f"{archive.name}: the array {short_name(key)} has the dtype "
            f"{short_text(str(header.dtype))} and the shape {header.shape}, but one number, string "
            f"or date for each of {n_rows} rows is needed to keep it."
        )
        raise FileFormatError(msg)
    return archive.read(key)


def _is_sparse(archive: _Archive, request: TableRequest) -> bool:
    return request.key is None and archive.headers.keys() >= _SPARSE_PARTS


def _sparse_shape(archive: _Archive) -> tuple[int, int]:
    layout = str(archive.read("format").astype(str))
    shape = archive.read("shape").tolist()
    if layout != "csr" or len(shape) != 2:
        msg = (
            f"{archive.name} holds a sparse array of the format {short_name(layout)} and the shape "
            f"{short_repr(shape)}, but CSR is needed: save it with scipy.sparse.save_npz(path, "
            "matrix.tocsr())."
        )
        raise FileFormatError(msg)
    return shape[0], shape[1]


def _read_csr(archive: _Archive) -> Any:
    import scipy.sparse as sp

    shape = _sparse_shape(archive)
    data, indices, indptr = (archive.read(part) for part in ("data", "indices", "indptr"))
    check_matrix(archive.name, Header(shape, is_fortran=False, dtype=data.dtype))
    matrix = sp.csr_matrix((data, indices, indptr), shape=shape)
    # A column number that is too large would be read outside of memory later.
    matrix.check_format(full_check=True)
    return matrix
