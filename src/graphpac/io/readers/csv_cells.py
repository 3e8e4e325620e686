"""What the cells of a CSV file are, looked at one by one: numbers, vectors, or nothing."""

from __future__ import annotations

import re

MISSING = ("", "-", "?", "na", "n/a", "#n/a", "nan", "none", "null")
"""What stands for a value that is not there, in small letters."""

BRACKETS = "[]{} \t\r\n"
"""What stands around the numbers of a vector."""

_FOREIGN_NUMBER = re.compile(
    r"[$€£]?\s?[+-]?(\d+([.,]\d+)?|\d{1,3}([., '\u2019\u00a0\u202f]\d{3})+([.,]\d+)?)\s?[%$€£]?"
)
NUMPY_SCALAR = r"np\.float[0-9]+\(([^()]*)\)"
"""How NumPy writes numbers that stand in a list: ``[np.float32(0.1), np.float32(0.2)]``."""

_FIRST_WORD = re.compile(r"[^\s,]+")


def is_missing(cell: str) -> bool:
    """Tell whether a cell stands for a value that is not there."""
    return cell.strip().lower() in MISSING


def is_number(cell: str) -> bool:
    """Tell whether a cell holds a number, which Python's underscores are not part of."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def is_foreign_number(cell: str) -> bool:
    """Tell whether only people take a cell for a number: ``1,5``, ``1.234,5``, ``10 %``, ``$3``."""
    return _FOREIGN_NUMBER.fullmatch(cell.strip()) is not None and not is_number(cell)


def is_vector(cell: str) -> bool:
    """Tell whether a cell begins and ends as a vector does: ``[0.1, 0.2]`` or ``[0.1 0.2]``."""
    text = cell.strip()
    if not (text.startswith(("[", "{")) and text.endswith(("]", "}"))):
        return False
    first = _FIRST_WORD.match(text.strip(BRACKETS))
    return first is not None and is_number(re.sub(NUMPY_SCALAR, r"\1", first[0]))
