"""Numbers and texts as the page shows them."""

from __future__ import annotations

from typing import Any

_SPACE = "\N{NO-BREAK SPACE}"  # a number and its unit stay on one line


def shorten(value: Any, longest: int) -> str:
    """Write a value on one line, cut with an ellipsis where it is long; None is empty."""
    text = "" if value is None else str(value)
    # Cut twice: joining the words of a whole book for its first line would be a waste.
    line = " ".join(text[: 4 * longest].split())
    return line if len(line) <= longest and len(text) <= 4 * longest else line[: longest - 1] + "…"


def percent(share: float) -> str:
    """Write a share; what is not everything does not look like it."""
    n_decimals = 1 if share < 0.1 or 0.995 <= share < 0.9995 else 0
    return f"{100 * share:.{n_decimals}f}{_SPACE}%"


def seconds(value: float) -> str:
    """Write a duration, in minutes where it is long."""
    if value < 120:
        return f"{value:.{1 if value >= 1 else 2}f}{_SPACE}s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def count(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
