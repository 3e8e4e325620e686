"""The clusters as the page lists them, each with rows that stand for it."""

from __future__ import annotations

from typing import NamedTuple

from graphpac.report.facts import ReportFacts
from graphpac.report.page_input import GivenRows
from graphpac.report.thumbnails import thumbnail
from graphpac.report.wording import percent, shorten

_LONGEST_ID = 80
_LONGEST_TEXT = 300
_SMALLEST_SHOWN = 0.005  # memberships below this are left out


class Membership(NamedTuple):
    """How far a row belongs to a cluster."""

    cluster: int
    text: str


class Row(NamedTuple):
    """One row among the examples of a cluster."""

    id: str
    memberships: list[Membership]
    text: str
    image: str


class Cluster(NamedTuple):
    """One cluster; widths are those of its bar in percent."""

    number: int
    size: int
    size_text: str
    certain_text: str
    certainty_text: str
    width: float
    certain_width: float
    typical: list[Row]
    doubtful: list[Row]


def describe_clusters(facts: ReportFacts, given: GivenRows) -> list[Cluster]:
    """Describe all clusters in their order."""
    ids, texts, images = given
    rows = [
        Row(
            id=f"row {number:,}" if ids is None else shorten(ids[number], _LONGEST_ID),
            memberships=_memberships(facts, place),
            text="" if texts is None else shorten(texts[place], _LONGEST_TEXT),
            image="" if images is None else thumbnail(images[place]),
        )
        for place, number in enumerate(facts.shown_rows.tolist())
    ]
    largest = int(facts.cluster_sizes.max())
    return [
        Cluster(
            number=number,
            size=size,
            size_text=f"{size:,}",
            certain_text=f"{facts.certain_sizes[number]:,}",
            certainty_text=percent(facts.cluster_certainties[number]),
            width=round(100 * size / largest, 2),
            certain_width=round(100 * int(facts.certain_sizes[number]) / max(size, 1), 2),
            typical=[rows[place] for place in facts.typical[number] if place >= 0],
            doubtful=[rows[place] for place in facts.doubtful[number] if place >= 0],
        )
        for number, size in enumerate(facts.cluster_sizes.tolist())
    ]


def _memberships(facts: ReportFacts, place: int) -> list[Membership]:
    clusters, shares = facts.shown_clusters[place], facts.shown_memberships[place]
    return [
        Membership(cluster, percent(share))
        for cluster, share in zip(clusters.tolist(), shares.tolist(), strict=True)
        if share >= _SMALLEST_SHOWN
    ]
