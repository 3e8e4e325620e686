"""Data frames of any library: what their columns are called, and which hold no numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from graphpac._wording import columns_called, listing

_MOST_NAMES = 3
_NUMBERS = "biuf"
_NO_NUMBERS = "cmMSUV"  # kinds that NumPy might still convert, dates for example to nanoseconds


def check_frame(X: Any) -> None:
    """Refuse a frame with columns of equal names, or of dates or complex numbers.

    Anything else passes, and so does whatever is not a frame; texts may turn out to be numbers.
    """
    names = _names(X)
    repeated = [str(name) for name, count in Counter(names).items() if count > 1]
    if repeated:
        msg = (
            f"X has more than one column called {listing(repeated, _MOST_NAMES)}: give every "
            "column a name of its own."
        )
        raise ValueError(msg)
    wrong = [
        name for name, dtype in zip(names, _dtypes(X), strict=False) if _kind(dtype) in _NO_NUMBERS
    ]
    if wrong:
        refuse_columns(wrong)


def columns_without_numbers(X: Any) -> list[Any]:
    """Name the columns of a frame that cannot be converted; none if it is not a frame."""
    return [
        name
        for name, dtype in zip(_names(X), _dtypes(X), strict=False)
        if _kind(dtype) not in _NUMBERS and not _can_be_numbers(X[name])
    ]


def refuse_columns(names: Sequence[Any]) -> NoReturn:
    """Raise ValueError for columns that are no numbers."""
    where = columns_called([str(name) for name in names], _MOST_NAMES)
    msg = (
        f"X has no numbers in the {where}: leave such columns out, or turn them into numbers, for "
        "example dates into days and texts into embeddings."
    )
    raise ValueError(msg)


def _names(X: Any) -> list[Any]:
    if hasattr(X, "column_names"):  # of Arrow, whose columns are the values
        return list(X.column_names)
    return list(getattr(X, "columns", ()))


def _dtypes(X: Any) -> Iterator[Any]:
    yield from X.schema.types if hasattr(X, "column_names") else getattr(X, "dtypes", ())


def _kind(dtype: Any) -> str:
    """Return NumPy's letter for a type, "O" for what may hold anything."""
    if hasattr(dtype, "kind"):  # NumPy and pandas
        return str(dtype.kind)
    if hasattr(dtype, "is_temporal"):  # polars
        return "M" if dtype.is_temporal() else "O"
    return "M" if str(dtype).startswith(("date", "time", "duration")) else "O"


def _can_be_numbers(column: Any) -> bool:
    try:
        np.asarray(column).astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True
