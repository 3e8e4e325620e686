"""Checks of what was read from a file: right checksums do not make it right.

Each raises ValueError with the reason, the end of a sentence about the file.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from graphpac._typing import AnyArray

LARGEST_WHOLE = 2**63 - 1


def demand(condition: bool, reason: str) -> None:
    """Raise ValueError with a reason unless a condition holds."""
    if not condition:
        raise ValueError(reason)


def taken(values: Mapping[str, Any], name: str) -> Any:
    """Return a value that must be there."""
    demand(name in values, f"{name} is missing")
    return values[name]


def stored_whole(
    values: Mapping[str, Any], name: str, *, least: int = 0, most: int = LARGEST_WHOLE
) -> int:
    """Return a whole number within bounds."""
    number: int = taken(values, name)
    demand(type(number) is int and least <= number <= most, f"{name} makes no sense")
    return number


def stored_real(values: Mapping[str, Any], name: str) -> float:
    """Return a finite number."""
    number = taken(values, name)
    demand(type(number) in {int, float}, f"{name} is not a number")
    demand(-1e308 < number < 1e308, f"{name} is not a finite number")
    return float(number)


def stored_positive(values: Mapping[str, Any], name: str) -> float:
    """Return a finite number above zero."""
    number = stored_real(values, name)
    demand(number > 0.0, f"{name} is not above zero")
    return number


def stored_one_of(values: Mapping[str, Any], name: str, allowed: Container[str]) -> Any:
    """Return one of some names."""
    value = taken(values, name)
    demand(isinstance(value, str) and value in allowed, f"{name} is not one that is known")
    return value


def is_text(value: Any) -> bool:
    """Tell whether a value is a text that can be written out again."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def vector(arrays: Mapping[str, AnyArray], name: str, dtypes: Container[Any]) -> AnyArray:
    """Return a one-dimensional array of one of some types."""
    array: AnyArray = taken(arrays, name)
    demand(array.ndim == 1 and array.dtype in dtypes, f"the array {name!r} has a wrong form")
    return array


def matrix(arrays: Mapping[str, AnyArray], name: str, dtypes: Container[Any]) -> AnyArray:
    """Return a two-dimensional array of one of some types."""
    array: AnyArray = taken(arrays, name)
    demand(array.ndim == 2 and array.dtype in dtypes, f"the array {name!r} has a wrong form")
    return array
