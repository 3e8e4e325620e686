"""Cluster the embedded digits, print tables, write a picture and a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from graphpac._files import replacing
from graphpac._typing import AnyArray
from graphpac.datasets import Dataset, load
from graphpac.estimators import GPAC
from graphpac.metrics import LabelScores, match_labels, score_labels
from graphpac.report.facts import ReportFacts, collect_facts
from graphpac.report.html import write_report
from graphpac.report.summary import (
    ClusterSummary,
    DoubtfulSample,
    find_doubtful_samples,
    summarize_clusters,
)

N_DOUBTFUL = 8
PICTURE = "digits.png"
REPORT = "report.html"
STAGES = ("graph", "start", "optimize", "choose")


@dataclass(frozen=True)
class Findings:
    """What the demo shows: two fits that should be one, a peer, and facts about the first fit."""

    data: Dataset
    model: GPAC
    again: GPAC
    scores: LabelScores
    peer_scores: LabelScores
    clusters: list[ClusterSummary]
    doubtful: list[DoubtfulSample]
    facts: ReportFacts

    @property
    def images(self) -> AnyArray:
        """The digits as pictures of 8 x 8 gray values, 0 to 16."""
        return self.data.X.reshape(-1, 8, 8)

    @property
    def names(self) -> dict[int, str]:
        """What each cluster is called: the digit it was matched to."""
        return {item.cluster: str(item.matched_class) for item in self.clusters}

    @property
    def identical(self) -> bool:
        """Whether both fits gave the same memberships, bit for bit."""
        first, second = self.model.memberships_, self.again.memberships_
        return np.array_equal(first.indptr, second.indptr) and all(
            getattr(first, part).tobytes() == getattr(second, part).tobytes()
            for part in ("indices", "data")
        )


def investigate(seed: int = 0, *, verbose: int = 0) -> Findings:
    """Cluster the digits twice, on all cores and on one, and once by k-means."""
    from sklearn.cluster import KMeans

    data = load("digits")
    model = GPAC(n_clusters=10, random_state=seed, verbose=verbose).fit(data.X)
    again = GPAC(n_clusters=10, random_state=seed, n_jobs=1).fit(data.X)
    peer = KMeans(n_clusters=10, n_init=1, random_state=seed).fit(data.X)
    return Findings(
        data=data,
        model=model,
        again=again,
        scores=score_labels(data.y, model.labels_),
        peer_scores=score_labels(data.y, peer.labels_),
        clusters=summarize_clusters(model.labels_, model.probabilities_, data.y),
        doubtful=find_doubtful_samples(model.memberships_, N_DOUBTFUL),
        facts=collect_facts(model, map_method="graph"),
    )


def print_tables(console: Console, findings: Findings) -> None:
    """Print quality, time, clusters and doubtful samples, in this order."""
    n_samples, n_features = findings.data.X.shape
    console.print(
        f"\n[bold]{n_samples} handwritten digits[/] of {n_features} pixels in "
        f"{findings.data.n_classes} clusters, found without their labels.\n"
    )
    for table in (
        _quality_table(findings),
        _time_table(findings),
        _cluster_table(findings),
        _doubtful_table(findings),
    ):
        console.print(table)
        console.print()


def draw_picture(path: Path, findings: Findings) -> None:
    """Draw everything on one page and write it as PNG, whole or not at all."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from graphpac.report import figures

    data, model, names = findings.data, findings.model, findings.names
    with mpl.rc_context({"font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold"}):
        page = plt.figure(figsize=(15, 13), layout="constrained")
        # Typed as one subfigure or an array of them, depending on the numbers.
        bands: Any = page.subfigures(3, 1, height_ratios=[7.6, 3.2, 2.2], hspace=0.02)
        top, middle, bottom = bands
        left, right = top.subfigures(1, 2, width_ratios=[1.45, 1])
        coordinates = np.empty_like(findings.facts.map_coordinates)
        coordinates[findings.facts.map_rows] = findings.facts.map_coordinates
        figures.draw_map(left.subplots(), coordinates, model.labels_, model.probabilities_, names)
        confusion, convergence = right.subplots(2, 1, height_ratios=[1.7, 1])
        figures.draw_confusion(confusion, data.y, match_labels(data.y, model.labels_))
        figures.draw_convergence(convergence, model.history_, model.tol)
        order = [item.cluster for item in findings.clusters]
        figures.draw_memberships(middle.subplots(), model.memberships_, order, names)
        panels = bottom.subplots(1, len(findings.doubtful))
        figures.draw_doubtful(panels, findings.images, findings.doubtful, names, data.y)
        bottom.suptitle(
            "Most doubtful samples, each with its two best clusters",
            x=0.01,
            ha="left",
            fontsize=11,
            weight="bold",
        )
        with replacing(path) as file:
            page.savefig(file, format="png", dpi=100)
        plt.close(page)


def write_page(path: Path, findings: Findings) -> None:
    """Write the report a browser shows, with thumbnails."""
    n_samples, n_features = findings.data.X.shape
    shown = findings.images[findings.facts.shown_rows]
    write_report(
        path,
        findings.facts,
        title="Handwritten digits",
        about={"Data": f"digits of scikit-learn: {n_samples:,} images of {n_features} pixels"},
        images=(shown * (255 / 16)).astype(np.uint8),
    )


def run(folder: Path) -> None:
    """Cluster, print the tables, and write picture and report into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    console = Console()
    console.print("Clustering digits; the first fit on a machine compiles for some seconds.")
    findings = investigate(verbose=1)
    print_tables(console, findings)
    draw_picture(folder / PICTURE, findings)
    write_page(folder / REPORT, findings)
    for what, name in (
        ("The picture is at", PICTURE),
        ("The report, for a browser, is at", REPORT),
    ):
        console.print(what, style="bold")
        console.print(str((folder / name).resolve()), soft_wrap=True, highlight=False)


def _quality_table(findings: Findings) -> Table:
    table = _table("Agreement with the true digits (1 is perfect)")
    table.add_column("method")
    for name in ("NMI", "accuracy", "ARI", "purity"):
        table.add_column(name, justify="right")
    for name, scores in (("GPAC", findings.scores), ("KMeans, one start", findings.peer_scores)):
        table.add_row(name, *[f"{score:.3f}" for score in scores])
    return table


def _time_table(findings: Findings) -> Table:
    verdict = "identical bits" if findings.identical else "DIFFERENT BITS, please report this"
    table = _table(f"Seconds; the two fits by GPAC have {verdict}")
    table.add_column("fit")
    for name in (*STAGES, "total"):
        table.add_column(name, justify="right")
    for name, model in (("first, all cores", findings.model), ("again, one core", findings.again)):
        seconds = [model.timings_[stage] for stage in STAGES]
        table.add_row(name, *[f"{number:.2f}" for number in (*seconds, sum(seconds))])
    return table


def _cluster_table(findings: Findings) -> Table:
    table = _table("Clusters, each with the digit it was matched to")
    for name in ("digit", "cluster", "size", "of that digit", "mean certainty"):
        table.add_column(name, justify="right")
    for item in findings.clusters:
        table.add_row(
            str(item.matched_class),
            str(item.cluster),
            str(item.size),
            f"{item.share:.1%}",
            f"{item.certainty:.2f}",
        )
    return table


def _doubtful_table(findings: Findings) -> Table:
    table = _table("Most doubtful samples: the two clusters they belong to most")
    for name in ("row", "true digit", "first", "membership", "second", "membership"):
        table.add_column(name, justify="right")
    names = findings.names
    for sample in findings.doubtful:
        table.add_row(
            str(sample.row),
            str(findings.data.y[sample.row]),
            f"digit {names[sample.first]}",
            f"{sample.first_membership:.3f}",
            f"digit {names[sample.second]}",
            f"{sample.second_membership:.3f}",
        )
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", header_style="dim")
