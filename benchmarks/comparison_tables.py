"""The tables of the comparison: a row for each data set, a column for each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from benchmarks.contenders import CONTENDERS
from benchmarks.measure import Measurement
from benchmarks.standings import Standing
from benchmarks.tables import markdown_table

NOTHING = "-"
ROUNDING = 1e-9  # equal numbers may differ by this after they were averaged
At = Mapping[tuple[str, str], Standing]  # by data set and contender


def comparison_text(standings: Sequence[Standing], titles: Mapping[str, str]) -> str:
    """Return all tables as Markdown; titles are those of the columns, by contender."""
    at = {(standing.dataset, standing.contender): standing for standing in standings}
    shown = {name: title for name, title in titles.items() if any(name == pair[1] for pair in at)}
    datasets = list(dict.fromkeys(standing.dataset for standing in standings))
    parts = [
        "### NMI",
        score_table(at, datasets, shown, "nmi"),
        "### ACC",
        score_table(at, datasets, shown, "acc"),
        "### Clusters found and rows left out",
        clusters_table(at, datasets, shown),
        "### How each method was set",
        settings_table(standings, shown),
    ]
    return "\n\n".join(parts) + "\n"


def score_table(at: At, datasets: Sequence[str], titles: Mapping[str, str], score: str) -> str:
    """Means and standard deviations; bold is the best and what is within its deviation."""
    rows = []
    for dataset in datasets:
        standings = [at.get((dataset, name)) for name in titles]
        found = [None if item is None else item.measurement for item in standings]
        bold = _outstanding([_mean_and_deviation(item, score) for item in found])
        cells = [_cell(item, score) for item in standings]
        marked = [f"**{cell}**" if best else cell for cell, best in zip(cells, bold, strict=True)]
        rows.append([dataset, *marked])
    rows.append(_means_row(at, datasets, list(titles), score))
    return markdown_table(["data", *titles.values()], rows)


def _cell(standing: Standing | None, score: str) -> str:
    if standing is None:
        return NOTHING
    if standing.measurement is None:
        return standing.reason
    return standing.measurement.mean_and_spread(score)


def _mean_and_deviation(item: Measurement | None, score: str) -> tuple[float, float]:
    if item is None:
        return float("-inf"), 0.0
    values = item.all(score)
    return fmean(values), stdev(values) if len(values) > 1 else 0.0


def _outstanding(found: Sequence[tuple[float, float]]) -> list[bool]:
    """Tell who is the best or less than the standard deviation of the best below it."""
    best, deviation = max(found)
    return [mean > float("-inf") and mean >= best - deviation - ROUNDING for mean, _ in found]


def _means_row(at: At, datasets: Sequence[str], names: Sequence[str], score: str) -> list[str]:
    """Average over the data sets that all methods finished: others would favor who is missing."""
    finished = [
        dataset
        for dataset in datasets
        if all((dataset, name) in at and at[dataset, name].measurement for name in names)
    ]
    if not finished:
        return ["mean", *[NOTHING] * len(names)]
    means = [
        fmean(_mean_and_deviation(at[dataset, name].measurement, score)[0] for dataset in finished)
        for name in names
    ]
    n_missing = len(datasets) - len(finished)
    title = f"mean of the {len(finished)} that all finished" if n_missing else "mean"
    cells = [f"{mean:.3f}" for mean in means]
    best = max(means)
    return [title, *(f"**{c}**" if m == best else c for c, m in zip(cells, means, strict=True))]


def clusters_table(at: At, datasets: Sequence[str], titles: Mapping[str, str]) -> str:
    """Show who, anywhere, gave another number of clusters than asked for, or left rows out."""
    strays = [name for name in titles if any(_strays(at.get((data, name))) for data in datasets)]
    rows = []
    for dataset in datasets:
        asked = next(
            (str(s.measurement.n_classes) for s in _of(at, dataset) if s.measurement), NOTHING
        )
        rows.append([dataset, asked, *(_clusters(at.get((dataset, name))) for name in strays)])
    return markdown_table(["data", "asked for", *(titles[name] for name in strays)], rows)


def _of(at: At, dataset: str) -> list[Standing]:
    return [standing for pair, standing in at.items() if pair[0] == dataset]


def _strays(standing: Standing | None) -> bool:
    item = None if standing is None else standing.measurement
    return item is not None and any(
        run.noise > 0 or run.n_clusters != item.n_classes for run in item.runs
    )


def _clusters(standing: Standing | None) -> str:
    item = None if standing is None else standing.measurement
    if item is None:
        return NOTHING
    n_clusters, left_out = fmean(item.all("n_clusters")), fmean(item.all("noise"))
    return f"{n_clusters:.1f}".removesuffix(".0") + (f", {left_out:.1%} left out" * (left_out > 0))


def settings_table(standings: Sequence[Standing], titles: Mapping[str, str]) -> str:
    """List seeds and settings of each method."""
    rows = []
    for name, title in titles.items():
        numbers = {
            len(item.measurement.runs)
            for item in standings
            if item.contender == name and item.measurement is not None
        }
        ends = sorted({min(numbers, default=0), max(numbers, default=0)})
        seeds = " to ".join(map(str, ends))
        rows.append([title, seeds, CONTENDERS[name].setting])
    return markdown_table(["method", "seeds", "settings"], rows, n_names=3)
