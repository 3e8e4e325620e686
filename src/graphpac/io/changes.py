"""In what a run differs from an earlier one, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphpac._wording import first_few, short_repr, short_text

_MOST = 8


def changed_values(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Tell which values are not what they were.

    A value is plain, or ``{"is": description, "sha256": digest}`` for data.
    """
    for name in {**now, **was}:
        before, after = was.get(name), now.get(name)
        if before == after:
            continue
        shown = short_text(name)
        if _words(before) == _words(after):
            yield f"{shown} has other values"
        else:
            yield f"{shown} was {_words(before)}, is {_words(after)}"


def in_brackets(changes: Sequence[str]) -> str:
    """Join what has changed, or the first of it, for the middle of a sentence."""
    return f"({first_few(changes, _MOST, '; ')})"


def _words(value: Any) -> str:
    return short_text(str(value["is"])) if isinstance(value, dict) else short_repr(value)
