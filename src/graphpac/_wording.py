"""Values in messages: what stands in a file or in its name is shown on one line, escaped and cut.

Otherwise a file could clear the terminal, forge lines of a log, or fill pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_LONGEST_VALUE = 80
_LONGEST_NAME = 40
_LONGEST_PATH = 240
_MOST_NAMES = 8


def escaped(text: str) -> str:
    r"""Replace what cannot be printed by what Python would write, such as ``\x1b`` or ``\n``."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def short_text(text: str, longest: int = _LONGEST_VALUE) -> str:
    """Show a text without quotes, cut at its end."""
    # Escaping makes a text longer, never shorter: what is cut off is not even looked at.
    shown = escaped(text[: longest + 1])
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."


def short_name(name: str) -> str:
    """Show the name of a column, or a cell, in quotes."""
    return repr(name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}...")


def short_repr(value: Any) -> str:
    """Show any value as Python would, cut where it stops being readable in a sentence."""
    try:
        text = repr(value)
    except ValueError:  # Python writes out no integers of thousands of digits
        return f"an {type(value).__name__} too long to be shown"
    return short_text(" ".join(text.split()), _LONGEST_VALUE + 3)


def short_path(path: Any) -> str:
    """Show a path; of a very long one the middle is left out, because its end tells most."""
    shown = escaped(str(path))
    if len(shown) <= _LONGEST_PATH:
        return shown
    half = _LONGEST_PATH // 2
    return f"{shown[: half - 3]}...{shown[-half:]}"


def listing(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """List names in quotes, or the first of very many."""
    return first_few([short_name(name) for name in names], most)


def columns_called(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Name a column, or several."""
    return f"{'column' if len(names) == 1 else 'columns'} {listing(names, most)}"


def first_few(words: Sequence[str], most: int, separator: str = ", ") -> str:
    """Join words that are fit to be shown, or the first of very many."""
    shown = separator.join(words[:most])
    n_more = len(words) - most
    return f"{shown} and {n_more} more" if n_more > 0 else shown


def show_bytes(size: float) -> str:
    """Show a number of bytes with two digits or more."""
    if size < 0.95e6:
        return f"{size / 1e3:.0f} kB"
    return f"{size / 1e9:.1f} GB" if size >= 0.95e9 else f"{size / 1e6:.0f} MB"


def show_seconds(seconds: float) -> str:
    """Show a duration in the unit one would say it in."""
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
