r"""One file for named arrays and a JSON header: no pickle, nothing in it is ever executed.

======================  ==========================================================================
bytes                   meaning
======================  ==========================================================================
8                       ``\x89GPAC\r\n\x1a``
4, 4, 8                 format version, CRC-32 of the header, length of the header
length of the header    JSON: kind of file, version of the library, the arrays, metadata
the rest                the arrays in C order, each at a multiple of 64 bytes after the header
======================  ==========================================================================

All numbers are little-endian. For each array the header tells name, dtype, shape, offset and
CRC-32. These checksums find damage, not malice: who can change the file can change them too.
"""

from __future__ import annotations

import json
import math
import os
import struct
import zlib
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from graphpac._files import replacing
from graphpac._typing import AnyArray
from graphpac._wording import short_path, short_repr
from graphpac.exceptions import FileFormatError
from graphpac.io.blocks import row_blocks, to_bytes

MAGIC = b"\x89GPAC\r\n\x1a"
FORMAT_VERSION = 1
DTYPES = {np.dtype(code).name: np.dtype(code) for code in "?bhiqBHIQefd"}  # bool to float64

_PREAMBLE = struct.Struct("<8sIIQ")
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 26


class Contents(NamedTuple):
    """What a file holds: arrays by name, and anything else that JSON can express."""

    arrays: dict[str, AnyArray]
    metadata: dict[str, Any]

    @property
    def n_bytes(self) -> int:
        """Size of the arrays."""
        return sum(array.nbytes for array in self.arrays.values())


class _Entry(NamedTuple):
    """Where an array is in the file, and what it must be."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    checksum: int

    @property
    def end(self) -> int:
        return self.offset + math.prod(self.shape) * self.dtype.itemsize


def write_file(path: Path, kind: str, contents: Contents) -> None:
    """Write a file that is whole or, after any error, not there; one that exists is replaced.

    Whoever reads it must ask for the same ``kind``, such as "model". Arrays are written block by
    block and never copied whole.
    """
    entries = _lay_out(contents.arrays)
    start = _data_start(len(_header(kind, entries, contents.metadata)))
    with replacing(path) as file:
        for i, entry in enumerate(entries):
            file.seek(start + entry.offset)
            checksum = 0
            for block in row_blocks(contents.arrays[entry.name]):
                raw = to_bytes(block)
                checksum = zlib.crc32(raw, checksum)
                file.write(raw)
            entries[i] = entry._replace(checksum=checksum)
        # The header comes first but is known last: its checksums have a fixed width.
        file.truncate(start + _end(entries))
        header = _header(kind, entries, contents.metadata)
        file.seek(0)
        file.write(_PREAMBLE.pack(MAGIC, FORMAT_VERSION, zlib.crc32(header), len(header)))
        file.write(header)


def read_file(path: Path, kind: str) -> Contents:
    """Read a file that `write_file` wrote, and check all of it.

    Whatever else is in the file raises FileFormatError, before memory is taken for more than the
    file really holds.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header, start = _read_header(file, size, path)
        found, entries, metadata = _parse(header, path)
        if found != kind:
            msg = (
                f"{short_path(path)} is a file of the kind {short_repr(found)} instead of {kind!r}."
            )
            raise FileFormatError(msg)
        if size != start + _end(entries):
            _refuse(path, f"it has {size} bytes instead of {start + _end(entries)}")
        arrays = {entry.name: _read_array(file, start, entry, path) for entry in entries}
    return Contents(arrays, metadata)


def _lay_out(arrays: dict[str, AnyArray]) -> list[_Entry]:
    entries: list[_Entry] = []
    for name, array in arrays.items():
        if array.dtype.name not in DTYPES:
            msg = f"the array {name!r} has dtype {array.dtype}, which the file format does not know"
            raise TypeError(msg)
        offset = _aligned(_end(entries))
        entries.append(_Entry(name, DTYPES[array.dtype.name], array.shape, offset, 0))
    return entries


def _end(entries: list[_Entry]) -> int:
    return entries[-1].end if entries else 0


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT


def _data_start(header_length: int) -> int:
    return _aligned(_PREAMBLE.size + header_length)


def _header(kind: str, entries: list[_Entry], metadata: dict[str, Any]) -> bytes:
    from graphpac import __version__

    arrays = [
        {
            "name": entry.name,
            "dtype": entry.dtype.name,
            "shape": entry.shape,
            "offset": entry.offset,
            "crc32": f"{entry.checksum:08x}",
        }
        for entry in entries
    ]
    header = {"kind": kind, "graphpac": __version__, "arrays": arrays, "metadata": metadata}
    return json.dumps(header).encode()


def _read_header(file: BufferedReader, size: int, path: Path) -> tuple[bytes, int]:
    preamble = file.read(_PREAMBLE.size)
    if not preamble.startswith(MAGIC):
        msg = f"{short_path(path)} is not a file of graphpac: it does not begin as one."
        raise FileFormatError(msg)
    if len(preamble) < _PREAMBLE.size:
        _refuse(path, "it ends too early")
    _, version, checksum, length = _PREAMBLE.unpack(preamble)
    if version > FORMAT_VERSION:
        msg = (
            f"{short_path(path)} has the format version {version}, but this graphpac knows "
            f"versions up to {FORMAT_VERSION}: read it with a newer graphpac."
        )
        raise FileFormatError(msg)
    if version < 1 or length > min(size - _PREAMBLE.size, _LONGEST_HEADER):
        _refuse(path, "its first bytes make no sense")
    header = file.read(length)
    if zlib.crc32(header) != checksum:
        _refuse(path, "its header does not have the checksum it should have")
    return header, _data_start(length)


def _parse(header: bytes, path: Path) -> tuple[str, list[_Entry], dict[str, Any]]:
    """Take the header apart, trusting nothing in it."""
    try:
        fields = json.loads(header)
        kind, metadata = fields["kind"], fields["metadata"]
        entries = [
            _Entry(
                array["name"],
                DTYPES[array["dtype"]],
                tuple(array["shape"]),
                array["offset"],
                int(array["crc32"], 16),
            )
            for array in fields["arrays"]
        ]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        _refuse(path, "its header cannot be read", error)
    names = [entry.name for entry in entries]
    if (
        not isinstance(kind, str)
        or not isinstance(metadata, dict)
        or not all(isinstance(name, str) for name in names)
        or len(set(names)) < len(names)
        or not all(_is_shape(entry.shape) for entry in entries)
    ):
        _refuse(path, "its header cannot be read")
    for before, entry in enumerate(entries):
        if type(entry.offset) is not int or entry.offset != _aligned(_end(entries[:before])):
            _refuse(path, f"the array {short_repr(entry.name)} is not where it should be")
    return kind, entries, metadata


def _is_shape(shape: tuple[Any, ...]) -> bool:
    # NumPy allows no more dimensions, nor larger products of them, even where one is zero.
    return (
        len(shape) <= 32
        and all(type(n) is int and n >= 0 for n in shape)
        and math.prod(max(n, 1) for n in shape) < 2**48
    )


def _read_array(file: BufferedReader, start: int, entry: _Entry, path: Path) -> AnyArray:
    array = np.empty(entry.shape, dtype=entry.dtype.newbyteorder("<"))
    checksum = 0
    file.seek(start + entry.offset)
    for block in row_blocks(array):
        raw = to_bytes(block)
        if file.readinto(raw) < raw.nbytes:
            _refuse(path, "it ends too early")
        checksum = zlib.crc32(raw, checksum)
    if checksum != entry.checksum:
        _refuse(
            path, f"the array {short_repr(entry.name)} does not have the checksum it should have"
        )
    return array.astype(entry.dtype, copy=False)


def _refuse(path: Path, reason: str, cause: Exception | None = None) -> NoReturn:
    msg = f"{short_path(path)} is damaged: {reason}."
    raise FileFormatError(msg) from cause
