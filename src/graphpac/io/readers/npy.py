"""One array in an .npy file, mapped to memory and never copied."""

from __future__ import annotations

from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, NamedTuple

import numpy as np

from graphpac._typing import AnyArray, Progress
from graphpac._wording import short_repr, short_text
from graphpac.exceptions import FileFormatError
from graphpac.io.readers.faults import first_line, refusing_damage
from graphpac.io.readers.table import Table, TableRequest, TableShape

USES: frozenset[str] = frozenset()

_REAL_KINDS = "biuf"  # booleans count as 0 and 1
# What NumPy raises, beside ValueError, where the header of an array makes no sense.
_HEADER_ERRORS = (EOFError, MemoryError, RecursionError, SyntaxError, TokenError, TypeError)


class Header(NamedTuple):
    """What the first bytes of an array tell about it."""

    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]


def read(request: TableRequest, progress: Progress | None) -> Table:
    """Map the array to memory; nothing is read before it is used."""
    with refusing_damage(request.name, "an .npy file"):
        header, offset = _header(request)
        check_matrix(request.name, header)
        X: AnyArray = np.memmap(
            request.source,
            header.dtype,
            "r",
            offset,
            header.shape,
            order="F" if header.is_fortran else "C",
        )
    if progress is not None:
        progress(1, 1)
    return Table(X, ids=None, texts=None, columns=None, source=request.name)


def describe(request: TableRequest) -> TableShape:
    """Tell the shape from the header."""
    with refusing_damage(request.name, "an .npy file"):
        header, _ = _header(request)
    return TableShape(*check_matrix(request.name, header), dtype=header.dtype, is_memory_map=True)


def read_header(file: IO[bytes]) -> Header:
    """Read up to the first number of an array; raise ValueError where that makes no sense."""
    try:
        if np.lib.format.read_magic(file) == (1, 0):
            header = Header(*np.lib.format.read_array_header_1_0(file))
        else:
            header = Header(*np.lib.format.read_array_header_2_0(file))
    except _HEADER_ERRORS as error:
        msg = f"its header cannot be read: {first_line(error)}"
        raise ValueError(msg) from error
    if min(header.shape, default=0) < 0:
        msg = f"its header tells of the shape {short_repr(header.shape)}"
        raise ValueError(msg)
    return header


def is_matrix(header: Header) -> bool:
    """Tell whether an array has rows of real numbers."""
    return len(header.shape) == 2 and header.dtype.kind in _REAL_KINDS


def check_matrix(name: str, header: Header) -> tuple[int, int]:
    """Return the shape of a matrix of real numbers, and refuse any other array."""
    if header.dtype.kind not in _REAL_KINDS:
        msg = (
            f"{name} has the dtype {short_text(str(header.dtype))}, but real numbers are needed: "
            "save them with numpy.save(path, X.astype('float32'))."
        )
        raise FileFormatError(msg)
    if len(header.shape) != 2:
        msg = (
            f"{name} has the shape {short_repr(header.shape)}, but one row per sample is needed: "
            "save X.reshape(len(X), -1)."
        )
        raise FileFormatError(msg)
    return header.shape[0], header.shape[1]


def _header(request: TableRequest) -> tuple[Header, int]:
    with Path(request.source).open("rb") as file:
        return read_header(file), file.tell()
