"""What tells a run from an earlier one, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphpac._wording import first_few, short_repr

_MOST = 3


def changed_values(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Tell which values are not what they were."""
    for name, value in now.items():
        if was.get(name) != value:
            yield f"{name}={short_repr(value)} instead of {short_repr(was.get(name))}"


def in_brackets(changes: Sequence[str]) -> str:
    """Join what has changed, or the first of it, for the middle of a sentence."""
    return f"({first_few(changes, _MOST, '; ')})"
