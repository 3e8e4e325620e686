"""What stands where on the page of the report, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from graphpac.findings import Finding
from graphpac.report.charts import convergence_curve
from graphpac.report.cluster_list import describe_clusters
from graphpac.report.facts import CERTAIN, ReportFacts
from graphpac.report.overlap_table import describe_overlap
from graphpac.report.page_input import GivenRows
from graphpac.report.wording import count, percent, seconds, shorten

_LONGEST_TITLE = 200
_LONGEST_NAME = 80
_LONGEST_VALUE = 500
_FIT_STAGES = ("graph", "count", "start", "optimize", "choose")
_MAP_METHODS = {
    "umap": "UMAP from the neighbors of the fit",
    "graph": "its edges pull, all others push",
}


class Tile(NamedTuple):
    """A number of the headline."""

    name: str
    value: str
    note: str = ""


class Notice(NamedTuple):
    """A warning at the head of the page."""

    title: str
    text: str


class Stage(NamedTuple):
    """Time spent on a stage, and in percent of the longest."""

    name: str
    text: str
    width: float


def describe_page(
    facts: ReportFacts, title: str, about: Mapping[str, str], given: GivenRows
) -> dict[str, Any]:
    """Return what the template fills in, by name; the arguments are those of `write_report`."""
    clusters = describe_clusters(facts, given)
    return {
        "title": shorten(title, _LONGEST_TITLE),
        "lead": (
            f"{count(facts.n_rows, 'row')} in {count(facts.n_clusters, 'cluster')}, "
            "every row with its memberships."
        ),
        "columns": shorten(about.get("Columns"), _LONGEST_VALUE),
        "tiles": _describe_headline(facts),
        "notices": [_describe_finding(finding) for finding in facts.findings],
        "map_note": _describe_map(facts),
        "map_text": _describe_sizes(facts),
        "legend_text": (
            "Rows of each cluster. Full color: a membership of "
            f"{percent(CERTAIN)} or more. Choose a cluster to see it alone."
        ),
        "clusters": clusters,
        "by_size": sorted(clusters, key=lambda cluster: (-cluster.size, cluster.number)),
        "overlap": describe_overlap(facts),
        "has_images": given.images is not None,
        "curve": convergence_curve(facts),
        "stages": _describe_stages(facts),
        "about": list(_describe_fit(facts, about).items()),
    }


def _describe_headline(facts: ReportFacts) -> list[Tile]:
    n_used = np.count_nonzero(facts.cluster_sizes)
    mean = float(facts.cluster_certainties @ facts.cluster_sizes) / facts.n_rows
    spent = sum(facts.timings.get(stage, 0.0) for stage in _FIT_STAGES)
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
        Tile("time", seconds(spent), count(facts.changes.size, "iteration")),
    ]


def _describe_finding(finding: Finding) -> Notice:
    return Notice(*(f"{part[:1].upper()}{part[1:]}." for part in (finding.problem, finding.cure)))


def _describe_map(facts: ReportFacts) -> str:
    n_map = facts.map_rows.size
    which = (
        f"{n_map:,} of {facts.n_rows:,} rows, drawn at random"
        if n_map < facts.n_rows
        else f"All {count(n_map, 'row')}"
    )
    return (
        f"{which}: color is the cluster, pale is doubtful. Rows that are near here are near in the "
        f"neighbor graph ({_MAP_METHODS[facts.map_method]}); large distances mean little."
    )


def _describe_sizes(facts: ReportFacts) -> str:
    largest = int(facts.cluster_sizes.argmax())
    used = facts.cluster_sizes[facts.cluster_sizes > 0]
    return (
        f"The largest cluster is {largest} with {count(int(facts.cluster_sizes.max()), 'row')}; "
        f"the smallest with any has {used.min():,}, the median is {np.median(used):,.0f}."
    )


def _describe_stages(facts: ReportFacts) -> list[Stage]:
    longest = max(*facts.timings.values(), 1e-9)
    return [
        Stage(name, seconds(spent), round(100 * spent / longest, 2))
        for name, spent in facts.timings.items()
    ]


def _describe_fit(facts: ReportFacts, about: Mapping[str, str]) -> dict[str, str]:
    """Lines of the caller first; what is known of the fit fills in the others."""
    given = {
        shorten(name, _LONGEST_NAME): shorten(value, _LONGEST_VALUE)
        for name, value in about.items()
    }
    known = {
        **facts.parameters,
        "Graph": (
            f"{facts.graph_kind}, {count(facts.n_edges, 'edge')}, "
            f"{count(facts.n_components, 'part')}"
        ),
        "Hops": f"{facts.n_hops}",
        "Batch size": f"{facts.batch_size:,}",
        "Iterations": f"{facts.changes.size}",
        "Objective": f"{facts.objective:.6g}",
    }
    return given | {name: value for name, value in known.items() if name not in given}
