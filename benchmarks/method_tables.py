"""The methods of the paper beside the numbers it prints, and why the two differ."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, stdev

from benchmarks.contenders.methods import PREFIX
from benchmarks.findings import Finding
from benchmarks.measure import Measurement
from benchmarks.tables import markdown_table
from graphpac.experiments.explanations import explain
from graphpac.experiments.published import find_published
from graphpac.methods import METHODS

SCORES = ("nmi", "acc", "ari")
REMARKABLE = 0.05  # a difference above this asks for a word


def published_table(findings: Sequence[Finding]) -> str:
    """One table with the printed numbers in brackets, and a line on every remarkable difference."""
    rows, remarks = [], []
    for finding in findings:
        method = METHODS[finding.contender.removeprefix(PREFIX)]
        item = finding.measurement
        if item is None:
            rows.append([finding.dataset, method.label, finding.reason, *["-"] * 5])
            continue
        scores = [_beside(item, name, finding.dataset, method.title) for name in SCORES]
        clusters = f"{item.typical('n_clusters'):.0f}"
        cost = [f"{item.typical('seconds'):.1f}", f"{item.peak:.0f}"]
        rows.append([finding.dataset, method.label, *scores, clusters, *cost])
        if is_remarkable(finding):
            told = explain(finding.dataset, method.title)
            remarks.append(f"- **{method.title} on {finding.dataset}**: {told}")
    head = ["data", "method", "NMI", "ACC", "ARI", "clusters", "seconds", "peak MB"]
    table = markdown_table(head, rows, n_names=2)
    return "\n\n".join([table, "\n".join(remarks)]).strip()


def is_remarkable(finding: Finding) -> bool:
    """Tell whether any score differs from the printed one by more than the limit."""
    item = finding.measurement
    title = METHODS[finding.contender.removeprefix(PREFIX)].title
    return item is not None and any(
        abs(_mean(item, name) - printed) > REMARKABLE
        for name in SCORES
        if (printed := _printed(finding.dataset, title, name)) is not None
    )


def _beside(item: Measurement, name: str, dataset: str, title: str) -> str:
    told = [getattr(run, name) for run in item.runs]
    spread = f" ± {stdev(told):.3f}" if len(told) > 1 else ""
    printed = _printed(dataset, title, name)
    return f"{mean(told):.3f}{spread} ({'-' if printed is None else f'{printed:.3f}'})"


def _mean(item: Measurement, name: str) -> float:
    return mean(getattr(run, name) for run in item.runs)


def _printed(dataset: str, title: str, name: str) -> float | None:
    cell = find_published(dataset, title, name)
    return None if cell is None else cell.mean
