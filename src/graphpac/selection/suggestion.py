"""What a comparison of numbers of clusters found, as values, a table and records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from graphpac.solvers.counting import JudgedNumber

_HEAD = ("clusters", "stability", "modularity", "likelihood", "score", "occupied")


def table_line(cells: Iterable[str]) -> str:
    """Lay out one line of the table of candidates, which may be shown before the next is known."""
    return "  ".join(map(str.rjust, cells, map(len, _HEAD)))


HEAD_LINE = table_line(_HEAD)


class ComparedNumber(JudgedNumber):
    """One number of clusters, and what it was judged by: see `JudgedNumber`."""

    def line(self, *, suggested: bool = False) -> str:
        """Lay out the candidate as a line of the table, with a star if it is the one suggested."""
        return table_line(
            (
                f"{self.n_clusters}{'*' if suggested else ' '}",
                f"{self.stability:.3f}",
                f"{self.modularity:.3f}",
                f"{self.likelihood:.3f}",
                f"{self.score:.3f}",
                f"{self.n_occupied}",
            )
        )


@dataclass(frozen=True)
class Suggestion:
    """A number of clusters, why, and what the choice was made from; prints as a table.

    Parameters
    ----------
    n_clusters : int or None
        The one suggested; None if none is better than chance.
    reason : str
        One sentence.
    candidates : tuple of ComparedNumber
        All that were compared, fewest clusters first.
    """

    n_clusters: int | None
    reason: str
    candidates: tuple[ComparedNumber, ...]

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dictionary for each candidate, for a data frame or a file of JSON."""
        return [
            {
                **asdict(candidate),
                "score": candidate.score,
                "suggested": candidate.n_clusters == self.n_clusters,
            }
            for candidate in self.candidates
        ]

    def __str__(self) -> str:
        lines = [
            candidate.line(suggested=candidate.n_clusters == self.n_clusters)
            for candidate in self.candidates
        ]
        return "\n".join([HEAD_LINE, *lines, "", self.reason])
