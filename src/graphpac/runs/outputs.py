"""Where a command may write: one rule for all of them, checked before any work is done.

Nothing that exists is replaced unasked, what is read is never replaced, and what cannot be written
is told at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile

from graphpac._wording import first_few, short_path
from graphpac.exceptions import ParameterError

_MOST_NAMES = 5


def check_file(
    path: Path,
    option: str,
    *,
    endings: tuple[str, ...],
    inputs: Iterable[Path] = (),
    overwrite: bool = False,
) -> None:
    """Raise an error unless a file, which an option names, may and can be written.

    ``inputs`` are files that are read, and folders all files of which are: these are never
    replaced, other files if ``overwrite`` is set.
    """
    if path.suffix not in endings:
        msg = f"{option} {short_path(path)} must end in {' or '.join(endings)}."
        raise ParameterError(msg)
    check_is_no_input(path, option, inputs)
    if path.is_dir():
        msg = f"{option} {short_path(path)} is a folder: name a file."
        raise IsADirectoryError(msg)
    if not path.parent.is_dir():
        msg = (
            f"{option} {short_path(path)} cannot be written, because there is no folder "
            f"{short_path(path.parent)}: make it, or name another."
        )
        raise FileNotFoundError(msg)
    _check_is_writable(path.parent, option)
    if not overwrite and os.path.lexists(path):
        msg = f"{option} {short_path(path)} exists: add --overwrite to replace it, or name another."
        raise FileExistsError(msg)


def check_folder(
    folder: Path, option: str, *, names: Iterable[str], overwrite: bool = False
) -> None:
    """Raise an error unless files may be written into a folder, which need not be there yet."""
    check_is_no_file(folder, option)
    if not overwrite:
        check_is_free(folder, option, names)
    _check_is_writable(next(path for path in (folder, *folder.parents) if path.exists()), option)


def check_is_no_file(folder: Path, option: str) -> None:
    """Raise NotADirectoryError if a file is where a folder is to be."""
    if folder.exists() and not folder.is_dir():
        msg = f"{option} {short_path(folder)} is a file: name a folder, which is made if need be."
        raise NotADirectoryError(msg)


def check_is_free(folder: Path, option: str, names: Iterable[str]) -> None:
    """Raise FileExistsError if a folder holds any of the files that are to be written."""
    taken = [name for name in names if os.path.lexists(folder / name)]
    if taken:
        msg = (
            f"{option} {short_path(folder)} holds {first_few(taken, _MOST_NAMES)}, which would be "
            "replaced: add --overwrite if that is meant, or name another folder."
        )
        raise FileExistsError(msg)


def check_is_no_input(path: Path, option: str, inputs: Iterable[Path]) -> None:
    """Raise ParameterError if a file is read, under this name or another, or all in its folder."""
    place = path.parent.resolve()
    for given in inputs:
        # It replaces nothing, but would be read the next time.
        if given.is_dir() and any(is_same(folder, given) for folder in (place, *place.parents)):
            msg = (
                f"{option} {short_path(path)} is inside {short_path(given)}, all of which is read: "
                "name another place."
            )
            raise ParameterError(msg)
        if is_same(path, given):
            msg = (
                f"{option} {short_path(path)} would replace what is read, {short_path(given)}: "
                "name another."
            )
            raise ParameterError(msg)


def is_same(path: Path, other: Path) -> bool:
    """Tell whether two names lead to one file, by links or another spelling."""
    try:
        return path.samefile(other)
    except OSError:  # one of them is not there
        return False


def _check_is_writable(folder: Path, option: str) -> None:
    try:
        TemporaryFile(dir=folder, prefix=".").close()
    except OSError as error:
        msg = (
            f"{option}: {short_path(folder)} is not a folder that can be written to "
            f"({error.strerror}): name another."
        )
        raise type(error)(msg) from error
