"""The bytes of a CSV file or of standard input, and what their first lines tell."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from graphpac._typing import Progress
from graphpac.exceptions import FileFormatError
from graphpac.io.readers.csv_head import Head, find_delimiter, read_head, records
from graphpac.io.readers.table import TableRequest

BLOCK_BYTES = 1 << 20  # pyarrow reads up to 32 of them ahead, and no row may be longer than one
_ENCODING = "utf-8-sig"  # spreadsheets put a mark before the first name
_LEAST_ROOM = 1024
_OTHER_KINDS = {
    b"\x1f\x8b": "compressed by gzip: let its name end in .csv.gz",
    b"PK\x03\x04": "a spreadsheet or another zip archive: save it as CSV",
    b"PAR1": "a Parquet file: let its name end in .parquet",
    b"\x93NUMPY": "an array of NumPy: let its name end in .npy",
}


class CsvStream(io.RawIOBase):
    """Bytes that are read once, although the first block was looked at already.

    ``file`` is what is on disk, of which ``data`` may be the decompressed form; None for standard
    input.
    """

    def __init__(self, request: TableRequest, data: Any, file: BinaryIO | None) -> None:
        super().__init__()
        self._request = request
        self._data = data
        self._file = file
        self._ahead: bytes = data.read(BLOCK_BYTES)
        if len(self._ahead) < BLOCK_BYTES:
            self._ahead += b"\n"  # pyarrow cannot pass over names that are the whole file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._n_lines = 0
        self._n_read = 0
        self.head = _head_of(self._ahead, request)

    def readable(self) -> bool:
        """Tell pyarrow that it may read."""
        return True

    def read(self, size: int = BLOCK_BYTES) -> bytes:
        """Read so many bytes or fewer, none only at the end; refuse what is not UTF-8."""
        piece, self._ahead = self._ahead[:size], self._ahead[size:]
        piece = piece or self._data.read(size)
        try:
            self._decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            line = 1 + self._n_lines + error.object.count(b"\n", 0, error.start)
            msg = f"{self._request.name} is not UTF-8 text in line {line}: save it as CSV in UTF-8."
            raise FileFormatError(msg) from error
        self._n_lines += piece.count(b"\n")
        if self._file is not None:
            self._n_read = self._file.tell()
        return piece

    def tell_progress(self, progress: Progress | None) -> None:
        """Tell how much of the file is read."""
        if progress is not None and self._file is not None:
            # A file that pyarrow reads in a thread of its own cannot be asked in between.
            progress(self._n_read, self._n_bytes)

    def expected_rows(self) -> int:
        """Guess how many rows there are, rather too many than too few."""
        sample = self.head.sample
        if self._file is not self._data or not sample:
            return _LEAST_ROOM
        n_characters = sum(len(cell) + 1 for cells in sample for cell in cells)
        return int(1.1 * self._n_bytes * len(sample) / n_characters) + _LEAST_ROOM

    def place(self, row: int) -> str:
        """Name a row by its line, for which a file is read once more, or else by its number."""
        if self._file is not None:
            number = row + self.head.has_names
            with _open_file(self._request) as (data, _):
                lines = io.TextIOWrapper(data, _ENCODING, errors="replace", newline="")
                rows = records(lines, self.head.delimiter)
                for record in islice(rows, number, number + 1):
                    return f"line {record.first_line}"
        return f"row {row}"

    @property
    def _n_bytes(self) -> int:
        return 0 if self._request.path is None else self._request.path.stat().st_size


@contextmanager
def open_stream(request: TableRequest) -> Iterator[CsvStream]:
    """Open a file, or take standard input, which stays open."""
    if request.path is None:
        yield CsvStream(request, sys.stdin.buffer, None)
    else:
        with _open_file(request) as (data, file):
            yield CsvStream(request, data, file)


@contextmanager
def _open_file(request: TableRequest) -> Iterator[tuple[Any, BinaryIO]]:
    with Path(request.source).open("rb") as file:
        if request.source.lower().endswith(".gz"):
            with gzip.open(file) as data:
                yield data, file
        else:
            yield file, file


def _head_of(block: bytes, request: TableRequest) -> Head:
    if not block.strip():
        msg = f"{request.name} is empty: a line of names and at least one row are needed."
        raise FileFormatError(msg)
    for magic, cure in _OTHER_KINDS.items():
        if block.startswith(magic):
            msg = f"{request.name} is not CSV, but {cure}."
            raise FileFormatError(msg)
    if b"\x00" in block:
        msg = f"{request.name} is not UTF-8 text: it has zero bytes; save it as CSV in UTF-8."
        raise FileFormatError(msg)
    text = block.decode(_ENCODING, errors="replace")
    if len(block) >= BLOCK_BYTES:  # the last line of many may have been cut
        text = text[: text.rfind("\n") + 1]
    if request.path is not None and request.path.name.lower().endswith((".tsv", ".tsv.gz")):
        delimiter = "\t"
    else:
        delimiter = find_delimiter(text.lstrip("\r\n").partition("\n")[0])
    return read_head(io.StringIO(text, newline=""), delimiter, request.name)
