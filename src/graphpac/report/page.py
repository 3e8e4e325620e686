"""What stands where on the page of the report, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from graphpac._typing import AnyArray
from graphpac.report.charts import convergence_curve
from graphpac.report.facts import CERTAIN, MOST_OF_MATRIX, ReportFacts
from graphpac.report.notices import find_notices
from graphpac.report.palette import cluster_colors, to_hex
from graphpac.report.thumbnails import thumbnail
from graphpac.report.wording import percent, seconds, shorten

_LONGEST_ID = 80
_LONGEST_TEXT = 300
_FIT_PHASES = ("graph", "start", "optimize")
_MAP_METHODS = {
    "umap": "UMAP from the neighbors of the fit",
    "graph": "edges of the neighbor graph pull, all others push",
}


class Tile(NamedTuple):
    """A number of the headline."""

    name: str
    value: str
    note: str = ""


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
    """One cluster in the bars, the legend and the examples."""

    number: int
    size: int
    size_text: str
    certain_text: str
    certainty_text: str
    width: float
    certain_width: float
    typical: list[Row]
    doubtful: list[Row]


class Cell(NamedTuple):
    """One field of the overlap matrix; strength, 0 to 1, is how dark it is."""

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
    """Shared membership: all of it in a matrix, or the largest pairs."""

    note: str
    matrix: list[list[Cell]]
    pairs: list[Pair]


class Phase(NamedTuple):
    """Time spent on a phase, and as a share of the longest."""

    name: str
    text: str
    width: float


def describe_page(
    facts: ReportFacts,
    *,
    about: Mapping[str, str],
    ids: Sequence[Any] | None,
    texts: Sequence[str] | None,
    images: AnyArray | None,
) -> dict[str, Any]:
    """Return what the template fills in, by name."""
    rows = _describe_rows(facts, ids, texts, images)
    clusters = _describe_clusters(facts, rows)
    return {
        "lead": (
            f"{facts.n_rows:,} rows in {facts.n_clusters:,} "
            f"cluster{'s' if facts.n_clusters != 1 else ''}, every row with its memberships."
        ),
        "tiles": _describe_headline(facts),
        "notices": find_notices(facts),
        "map_note": _describe_map(facts),
        "map_text": _describe_sizes(facts),
        "colors": to_hex(cluster_colors(facts.n_clusters)),
        "clusters": clusters,
        "by_size": sorted(clusters, key=lambda cluster: (-cluster.size, cluster.number)),
        "certain": percent(CERTAIN),
        "overlap": _describe_overlap(facts),
        "has_images": images is not None,
        "curve": convergence_curve(facts),
        "phases": _describe_phases(facts),
        "about": list(_describe_fit(facts, about).items()),
    }


def _describe_headline(facts: ReportFacts) -> list[Tile]:
    n_used = np.count_nonzero(facts.cluster_sizes)
    mean = float(facts.cluster_certainties @ facts.cluster_sizes) / facts.n_rows
    return [
        Tile("rows", f"{facts.n_rows:,}"),
        Tile(
            "clusters",
            f"{facts.n_clusters:,}",
            f"{n_used:,} with rows" if n_used < facts.n_clusters else "",
        ),
        Tile(
            "certain rows",
            percent(facts.certain_sizes.sum() / facts.n_rows),
            f"membership {percent(CERTAIN)} or more",
        ),
        Tile("mean certainty", percent(mean), "mean of the largest memberships"),
        Tile("time", seconds(_fit_seconds(facts)), f"{facts.changes.size} iterations"),
    ]


def _describe_map(facts: ReportFacts) -> str:
    n_map = facts.map_rows.size
    which = (
        f"{n_map:,} of {facts.n_rows:,} rows, drawn at random"
        if n_map < facts.n_rows
        else f"All {n_map:,} rows"
    )
    return (
        f"{which}: color is the cluster, pale is doubtful. Near rows are near in the neighbor "
        f"graph ({_MAP_METHODS[facts.map_method]}); large distances mean little."
    )


def _describe_sizes(facts: ReportFacts) -> str:
    largest = int(facts.cluster_sizes.argmax())
    used = facts.cluster_sizes[facts.cluster_sizes > 0]
    return (
        f"The largest cluster is {largest} with {facts.cluster_sizes[largest]:,} rows, the "
        f"smallest that has any has {used.min():,}; the median is {np.median(used):,.0f}."
    )


def _describe_rows(
    facts: ReportFacts,
    ids: Sequence[Any] | None,
    texts: Sequence[str] | None,
    images: AnyArray | None,
) -> list[Row]:
    found = []
    for place, number in enumerate(facts.shown_rows.tolist()):
        best = zip(
            facts.shown_clusters[place].tolist(),
            facts.shown_memberships[place].tolist(),
            strict=True,
        )
        found.append(
            Row(
                id=f"row {number:,}" if ids is None else shorten(ids[number], _LONGEST_ID),
                memberships=[
                    Membership(cluster, percent(share)) for cluster, share in best if share >= 5e-4
                ],
                text="" if texts is None else shorten(texts[place], _LONGEST_TEXT),
                image="" if images is None else thumbnail(images[place]),
            )
        )
    return found


def _describe_clusters(facts: ReportFacts, rows: list[Row]) -> list[Cluster]:
    largest = facts.cluster_sizes.max()
    return [
        Cluster(
            number=number,
            size=size,
            size_text=f"{size:,}",
            certain_text=f"{facts.certain_sizes[number]:,}",
            certainty_text=percent(facts.cluster_certainties[number]),
            width=round(100 * size / largest, 2),
            certain_width=round(100 * facts.certain_sizes[number] / max(size, 1), 2),
            typical=[rows[place] for place in facts.typical[number] if place >= 0],
            doubtful=[rows[place] for place in facts.doubtful[number] if place >= 0],
        )
        for number, size in enumerate(facts.cluster_sizes.tolist())
    ]


def _describe_overlap(facts: ReportFacts) -> Overlap:
    pairs, shares = facts.overlap_pairs, facts.overlap_shares
    if shares.size == 0:
        return Overlap("No row belongs to more than one cluster.", [], [])
    (first, second), largest = pairs[0].tolist(), float(shares[0])
    note = (
        "How far an average member of one cluster belongs to another. The largest overlap: "
        f"members of cluster {first} belong {percent(largest)} to cluster {second}."
    )
    if facts.n_clusters > MOST_OF_MATRIX:
        listed = [
            Pair(a, b, percent(share))
            for (a, b), share in zip(pairs.tolist(), shares.tolist(), strict=True)
        ]
        return Overlap(f"{note} The {len(listed)} largest overlaps:", [], listed)
    table = np.zeros((facts.n_clusters, facts.n_clusters))
    table[pairs[:, 0], pairs[:, 1]] = shares
    matrix = [
        [
            Cell(
                text=f"{100 * share:.0f}" if share >= 0.005 else "",
                title=f"members of {a} belong {percent(share)} to {b}",
                # Roots, so that small overlaps beside a large one can be seen.
                strength=round(float(np.sqrt(share / largest)), 3),
                is_own=a == b,
            )
            for b, share in enumerate(row)
        ]
        for a, row in enumerate(table.tolist())
    ]
    return Overlap(
        f"{note} In percent; rows are members, columns where else they belong.", matrix, []
    )


def _describe_phases(facts: ReportFacts) -> list[Phase]:
    longest = max(*facts.timings.values(), 1e-9)
    return [
        Phase(name, seconds(spent), round(100 * spent / longest, 2))
        for name, spent in facts.timings.items()
    ]


def _describe_fit(facts: ReportFacts, about: Mapping[str, str]) -> dict[str, str]:
    """Lines of the caller first; what is known of the fit fills in the others."""
    return {
        **{
            shorten(name, _LONGEST_ID): shorten(value, _LONGEST_TEXT)
            for name, value in about.items()
        },
        **{name: value for name, value in facts.parameters.items() if name not in about},
        "graph": (
            f"{facts.graph_kind}, {facts.n_edges:,} edges, "
            f"{facts.n_components:,} part{'s' if facts.n_components != 1 else ''}"
        ),
        "hops": f"{facts.n_hops}",
        "batch size": f"{facts.batch_size:,}",
        "iterations": f"{facts.changes.size}",
        "objective": f"{facts.objective:.6g}",
    }


def _fit_seconds(facts: ReportFacts) -> float:
    return sum(facts.timings.get(phase, 0.0) for phase in _FIT_PHASES)
