"""Writing files that are whole or not there, whatever happens in between."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

UNFINISHED = ".part"


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file under a temporary name beside its own, which it takes once it is whole.

    Readers see the old file or the new one. An error removes the temporary file; a killed process
    leaves it behind, with a name that ends in ``.part``, which no error tells.
    """
    unfinished = path.with_name(f"{path.name}.{token_hex(4)}{UNFINISHED}")
    try:
        with unfinished.open("xb") as file:
            yield file
            # Only what is on the disk may take the place of what is there.
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(unfinished):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power failure, on systems that can."""
    if os.name != "posix":
        return
    with suppress(OSError):  # some file systems cannot, and the file itself is safe already
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def reason_of(error: OSError) -> str:
    """Return what the system said, without the words that were put around it."""
    while error.strerror is None and isinstance(error.__cause__, OSError):
        error = error.__cause__
    return error.strerror or str(error)
