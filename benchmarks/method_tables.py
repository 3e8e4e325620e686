"""The methods of the paper beside the numbers it prints, and why the two differ."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from benchmarks.contenders.methods import PREFIX
from benchmarks.measure import SCORES, Measurement
from benchmarks.standings import Standing
from benchmarks.tables import markdown_table
from graphpac.experiments.explanations import explain
from graphpac.experiments.published import find_published
from graphpac.methods import METHODS

REMARKABLE = 0.05  # a difference above this asks for a word


def published_table(standings: Sequence[Standing]) -> str:
    """One table with the printed numbers in brackets, and a line on every remarkable difference."""
    rows, remarks = [], []
    for standing in standings:
        method = METHODS[standing.contender.removeprefix(PREFIX)]
        item = standing.measurement
        if item is None:
            rows.append([standing.dataset, method.label, standing.reason, *["-"] * 5])
            continue
        scores = [_beside(item, name, standing.dataset, method.title) for name in SCORES]
        clusters = f"{item.typical('n_clusters'):.0f}"
        cost = [f"{item.typical('seconds'):.1f}", f"{item.peak:.0f}"]
        rows.append([standing.dataset, method.label, *scores, clusters, *cost])
        if is_remarkable(standing):
            told = explain(standing.dataset, method.title)
            remarks.append(f"- **{method.title} on {standing.dataset}**: {told}")
    head = ["data", "method", "NMI", "ACC", "ARI", "clusters", "seconds", "peak MB"]
    table = markdown_table(head, rows, n_names=2)
    return "\n\n".join([table, "\n".join(remarks)]).strip()


def is_remarkable(standing: Standing) -> bool:
    """Tell whether any score differs from the printed one by more than the limit."""
    item = standing.measurement
    title = METHODS[standing.contender.removeprefix(PREFIX)].title
    return item is not None and any(
        abs(fmean(item.all(name)) - printed) > REMARKABLE
        for name in SCORES
        if (printed := _printed(standing.dataset, title, name)) is not None
    )


def _beside(item: Measurement, name: str, dataset: str, title: str) -> str:
    printed = _printed(dataset, title, name)
    return f"{item.mean_and_spread(name)} ({'-' if printed is None else f'{printed:.3f}'})"


def _printed(dataset: str, title: str, name: str) -> float | None:
    cell = find_published(dataset, title, name)
    return None if cell is None else cell.mean
