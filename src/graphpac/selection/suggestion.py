"""What a comparison of numbers of clusters found, as values, a table and records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

_HEAD = (
    *("clusters", "stability", "modularity", "score", "certainty", "objective"),
    *("occupied", "seconds"),
)
_NARROWEST = 6  # characters of a column


def table_line(cells: Iterable[str]) -> str:
    """Lay out one line of the table of candidates, which may be shown before the next is known."""
    widths = [max(len(name), _NARROWEST) for name in _HEAD]
    return "  ".join(map(str.rjust, cells, widths))


HEAD_LINE = table_line(_HEAD)


@dataclass(frozen=True)
class Candidate:
    """One number of clusters, and what its fits with several seeds were like.

    Parameters
    ----------
    n_clusters : int
        The number asked for.
    stability : float
        Mean adjusted Rand index between all fits: of each seed on the whole graph and on a random
        half of every sample's neighbors.
    modularity : float
        Share of the graph's edges inside clusters, less the share that edges drawn at random would
        have there; mean over the seeds, as all that follows but the seconds.
    certainty : float
        Mean largest membership of a sample.
    objective : float
        ``objective_`` of the fits. It falls with the number of clusters by itself, so compare it
        between seeds or parameters, not between candidates.
    n_occupied : float
        Number of clusters that have samples.
    seconds : float
        Time of all fits of this candidate, the search for neighbors not counted.
    """

    n_clusters: int
    stability: float
    modularity: float
    certainty: float
    objective: float
    n_occupied: float
    seconds: float

    @property
    def score(self) -> float:
        """Stability times modularity: clusters that every fit finds and few edges leave.

        Neither is enough by itself. Fits may agree on a few clusters of many groups each, where the
        modularity is low; it rises as long as there are groups to part but hardly falls beyond,
        where fits no longer agree on what else to part.
        """
        return self.stability * self.modularity

    def line(self, *, suggested: bool = False) -> str:
        """Lay out the candidate as a line of the table, with a star if it is the one suggested."""
        return table_line(
            (
                f"{self.n_clusters}{'*' if suggested else ' '}",
                f"{self.stability:.3f}",
                f"{self.modularity:.3f}",
                f"{self.score:.3f}",
                f"{self.certainty:.3f}",
                f"{self.objective:.3f}",
                f"{self.n_occupied:.1f}".removesuffix(".0"),
                f"{self.seconds:.1f}",
            )
        )

    @property
    def has_empty_clusters(self) -> bool:
        """Whether any seed left clusters without samples."""
        return self.n_occupied < self.n_clusters


@dataclass(frozen=True)
class Suggestion:
    """A number of clusters, why, and what the choice was made from; prints as a table.

    Parameters
    ----------
    n_clusters : int or None
        The one suggested; None if none is better than chance.
    reason : str
        One sentence.
    candidates : tuple of Candidate
        All that were compared, fewest clusters first.
    """

    n_clusters: int | None
    reason: str
    candidates: tuple[Candidate, ...]

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
