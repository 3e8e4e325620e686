"""One thing a user should know before trusting a result."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """What was found, by a name for programs and in words, and what helps; one sentence together.

    Attributes
    ----------
    kind : str
        Name, such as "offset"; stays the same when the words change.
    problem : str
        What is so, the beginning of a sentence.
    cure : str
        What to do about it, its end.
    """

    kind: str
    problem: str
    cure: str

    def __str__(self) -> str:
        return f"{self.problem}: {self.cure}."


def percent(share: float) -> str:
    """Write a share with three digits; what is not everything does not look like it."""
    return f"{min(100 * share, 99.9):.3g} %" if share < 1.0 else "100 %"
