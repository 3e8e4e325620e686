"""Turning what libraries say about broken files into one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from graphpac._typing import AnyArray
from graphpac._wording import short_text
from graphpac.exceptions import FileFormatError

_LONGEST_REASON = 160


class BeyondFloat32Error(FileFormatError):
    """A number that may be finite, but not as float32."""


@contextmanager
def refusing_damage(name: str, kind: str, *errors: type[Exception]) -> Iterator[None]:
    """Raise FileFormatError for the errors a library raises on files that are not what they seem.

    ``kind`` is what it should be, with an article. OSError and ValueError, which nearly all raise,
    need not be among the errors.
    """
    expected: tuple[type[Exception], ...] = (OSError, ValueError, *errors)
    try:
        yield
    except FileFormatError:
        raise
    except expected as error:
        msg = (
            f"{name} cannot be read as {kind} ({first_line(error)}): it is damaged, incomplete or "
            "of another kind."
        )
        raise FileFormatError(msg) from error


def first_line(error: Exception) -> str:
    """Shorten the message of a library to what fits into a sentence."""
    lines = str(error).strip().splitlines()
    return short_text(lines[0].rstrip(".:"), _LONGEST_REASON) if lines else type(error).__name__


def refuse_value(name: str, place: str, value: str) -> NoReturn:
    """Refuse a table for one value that no row may have."""
    raise FileFormatError(_about_value(name, place, value))


def check_finite(block: AnyArray, name: str, place: Callable[[int, int], str]) -> None:
    """Refuse NaN and what a type cannot hold; ``place`` names a row and column of the block."""
    if block.dtype.kind != "f":
        return
    finite = np.isfinite(block)
    if not finite.all():
        row, column = (int(k) for k in np.argwhere(~finite)[0])
        if np.isnan(block[row, column]):
            refuse_value(name, place(row, column), "NaN")
        value = f"infinity, or a number too large for {block.dtype},"
        error = BeyondFloat32Error if block.dtype == np.float32 else FileFormatError
        raise error(_about_value(name, place(row, column), value))


def _about_value(name: str, place: str, value: str) -> str:
    return f"{name} has {value} in {place}: correct or remove such rows, or choose other columns."


def allocate(shape: tuple[int, ...], dtype: Any, name: str) -> AnyArray:
    """Make room for rows, or say that there is none."""
    try:
        return np.empty(shape, dtype=dtype)
    except (MemoryError, ValueError) as error:
        msg = (
            f"{name} tells of an array of the shape {shape}, for which there is not enough memory: "
            "read fewer columns, or keep the rows in an .npy file, which is not read as a whole."
        )
        raise MemoryError(msg) from error
