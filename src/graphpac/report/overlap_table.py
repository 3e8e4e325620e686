"""How far clusters overlap: a matrix of them all, or a list of the largest overlaps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac.report.facts import MOST_OF_MATRIX, ReportFacts
from graphpac.report.wording import percent

_MOST_OF_HALF_PAGE = 12  # clusters whose matrix leaves room for something beside it


class OverlapShare(NamedTuple):
    """One field of the matrix; strength, 0 to 1, is how dark it is."""

    text: str
    title: str
    strength: float
    is_own: bool


class Pair(NamedTuple):
    """Two clusters that share members."""

    first: int
    second: int
    text: str


class Overlap(NamedTuple):
    """Shared membership of clusters, in a matrix or as pairs; neither where there is none."""

    note: str
    matrix: list[list[OverlapShare]]
    pairs: list[Pair]

    @property
    def is_small(self) -> bool:
        """Whether it takes no more than half the width of a page."""
        return len(self.matrix) <= _MOST_OF_HALF_PAGE


def describe_overlap(facts: ReportFacts) -> Overlap:
    """Put the shared membership of clusters into words and numbers."""
    pairs, shares = facts.overlap_pairs.tolist(), facts.overlap_shares.tolist()
    if not shares:
        return Overlap("No row belongs to more than one cluster.", [], [])
    first, second = pairs[0]
    note = (
        "How far an average member of one cluster belongs to another. The largest overlap: "
        f"members of cluster {first} belong {percent(shares[0])} to cluster {second}."
    )
    if facts.n_clusters > MOST_OF_MATRIX:
        listed: dict[frozenset[int], Pair] = {}
        for (a, b), share in zip(pairs, shares, strict=True):
            # Of the two directions of a pair the larger is enough.
            listed.setdefault(frozenset((a, b)), Pair(a, b, percent(share)))
        return Overlap(f"{note} The {len(listed)} largest:", [], list(listed.values()))
    note += " In percent; rows are members, columns where else they belong."
    return Overlap(note, _matrix(facts), [])


def _matrix(facts: ReportFacts) -> list[list[OverlapShare]]:
    table = np.zeros((facts.n_clusters, facts.n_clusters))
    table[facts.overlap_pairs[:, 0], facts.overlap_pairs[:, 1]] = facts.overlap_shares
    # Roots, so that small overlaps can be seen beside a large one.
    strengths = np.sqrt(table / table.max()).round(3)
    return [
        [
            OverlapShare(
                text=f"{100 * share:.0f}" if share >= 0.005 else "",
                title=f"members of {a} belong {percent(share)} to {b}",
                strength=float(strengths[a, b]),
                is_own=a == b,
            )
            for b, share in enumerate(row)
        ]
        for a, row in enumerate(table.tolist())
    ]
