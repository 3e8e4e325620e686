"""What a reader of the report should know before trusting it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac.report.facts import ReportFacts
from graphpac.report.wording import count, percent

_MUCH_DROPPED = 0.01  # beyond this the solver keeps more memberships, where it may
_MOST_LISTED = 12


class Notice(NamedTuple):
    """A warning at the head of the page."""

    title: str
    text: str


def find_notices(facts: ReportFacts) -> list[Notice]:
    """Collect the warnings, the gravest first."""
    candidates = (_empty_clusters(facts), _parts(facts), _dropped_mass(facts))
    return [notice for notice in candidates if notice is not None]


def _empty_clusters(facts: ReportFacts) -> Notice | None:
    empty = np.flatnonzero(facts.cluster_sizes == 0).tolist()
    if not empty:
        return None
    listed = ", ".join(map(str, empty[:_MOST_LISTED]))
    more = f" and {len(empty) - _MOST_LISTED:,} more" if len(empty) > _MOST_LISTED else ""
    return Notice(
        f"{count(len(empty), 'cluster')} without rows.",
        f"{listed}{more}: lower n_clusters if the data hold fewer groups, "
        "or n_neighbors if groups are as small as that.",
    )


def _parts(facts: ReportFacts) -> Notice | None:
    if facts.n_components == 1:
        return None
    return Notice(
        f"The graph falls into {facts.n_components:,} parts.",
        "No edge connects them, so which parts share a cluster follows from the sizes of clusters "
        "alone; on the map the distance between parts means nothing. More neighbors may connect "
        "them.",
    )


def _dropped_mass(facts: ReportFacts) -> Notice | None:
    dropped = float(facts.dropped_masses[-1])
    if dropped <= _MUCH_DROPPED:
        return None
    return Notice(
        f"{percent(dropped)} of an average row's memberships were dropped.",
        "Small memberships were not kept; SolverOptions(max_entries=...) keeps more of them.",
    )
