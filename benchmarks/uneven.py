"""Clusters of very different sizes, beside what else there is: ``python -m benchmarks.uneven``.

NMI and ACC on data with uneven classes and on long tails made of even ones (``pendigits:20``: of
the largest class 20 times as many rows as of the smallest, the others evenly between on a log
scale). Each clustering is a line in ``benchmarks/results/uneven.jsonl``; what stands there is not
made again, so an interrupted run goes on where it stopped. The tables of ``docs/decisions.md`` are
made of the lines.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
import scipy.sparse as sp

from benchmarks import RESULTS, ROOT, parser_of
from benchmarks.contenders import CONTENDERS
from benchmarks.contenders.base import missing_packages
from benchmarks.contenders.told import fit_leiden_to_number
from benchmarks.machine import describe_commit
from benchmarks.tables import fill_marks, markdown_table
from graphpac import build_neighbor_graph
from graphpac._threads import Workers
from graphpac._typing import AnyArray
from graphpac.datasets import load
from graphpac.fitting.problem import count_neighbors
from graphpac.graph.copies import merge_copies
from graphpac.graph.links import as_links, links_of
from graphpac.io.journal import append_entry, read_entries
from graphpac.kernels.moves import Links
from graphpac.metrics import score_labels
from graphpac.solvers.likelihood import LinkGraph
from graphpac.solvers.uneven import choose_uneven, uneven_candidates

FILE = "uneven.jsonl"
PAGE = "decisions.md"
TAILS = tuple(
    f"{name}:{tail}"
    for name in ("mnist", "pendigits", "cifar10_effnetlite2_20k", "clinc150_minilm")
    for tail in (10, 50)
)
TABLES = {
    # Constants of the method were chosen on these,
    "uneven": ("usps", "sc_worm_neuron_pca50", "sc_mouse_bladder_pca50", "pendigits:20", *TAILS),
    # and not on these.
    "uneven-others": (
        *("olivetti", "banking77_minilm:10", "isolet:50", "news20_minilm:50", "yaleb32"),
    ),
}
BARS = {  # what was aimed at
    "usps": (0.88, 0.94),
    "sc_worm_neuron_pca50": (0.715, 0.69),
    "sc_mouse_bladder_pca50": (0.77, 0.73),
    "pendigits:20": (0.79, 0.80),
}
NOTHING = "-"


@dataclass(frozen=True)
class Record:
    """Scores of one clustering; the seed of "uneven" is an order of the samples."""

    dataset: str
    method: str
    seed: int
    n_samples: int
    n_classes: int
    nmi: float
    acc: float
    seconds: float
    version: str
    commit: str

    @property
    def key(self) -> tuple[str, str, int]:
        """What is clustered once."""
        return self.dataset, self.method, self.seed


@dataclass(frozen=True)
class Method:
    """How labels come about from rows, a number of clusters and a seed."""

    labels: Callable[[AnyArray, int, int], AnyArray]
    n_seeds: int
    contender: str = "GPAC"  # whose version is recorded


def load_tail(name: str) -> tuple[AnyArray, AnyArray]:
    """Load rows and classes; ``name:20`` keeps ever fewer rows of the classes, down to 1:20."""
    name, _, tail = name.partition(":")
    data = load(name)
    X, y = np.asarray(data.X, dtype=np.float32), np.asarray(data.y)
    if not tail:
        return X, y
    rng = np.random.default_rng(0)
    classes, counts = np.unique(y, return_counts=True)
    shares = float(tail) ** (-np.arange(classes.size) / (classes.size - 1))
    sizes = (counts.min() * shares).round().astype(int).clip(2)
    kept = [
        rng.permutation(np.flatnonzero(y == classes[number]))[:size]
        for size, number in zip(sizes, rng.permutation(classes.size), strict=True)
    ]
    rows = np.sort(np.concatenate(kept))
    return X[rows], y[rows]


def uneven_labels(X: AnyArray, n_clusters: int, seed: int) -> AnyArray:
    """Find uneven clusters; all but seed 0 number the samples at random first.

    Communities depend on the order in which samples move, and on nothing else that is drawn. The
    ramp is left out: ``sizes="uneven"`` does not use it where there are communities.
    """
    n_neighbors = count_neighbors("auto", X.shape[0], n_clusters)
    merged, copies = merge_copies(build_neighbor_graph(X, n_neighbors, random_state=0))
    n = merged.n_samples
    order = np.random.default_rng(seed).permutation(n) if seed else np.arange(n)
    with Workers(2) as workers:
        graph = LinkGraph(reordered(links_of(merged), order), workers)
        best = choose_uneven(graph, uneven_candidates(graph, n_clusters))
    labels = np.empty(n, dtype=np.int32)
    labels[order] = best.labels
    return labels[copies.numbers]


def reordered(links: Links, order: AnyArray) -> Links:
    """Give samples new numbers."""
    n = order.size
    matrix = sp.csr_array((links.weights, links.indices, links.indptr), shape=(n, n))
    return as_links(sp.csr_array(matrix[order][:, order]))


def leiden_labels(X: AnyArray, n_clusters: int, seed: int) -> AnyArray:
    """Find communities of the same graph, at the resolution that gives so many, or nearly so."""
    n_neighbors = count_neighbors("auto", X.shape[0], n_clusters)
    labels: AnyArray = fit_leiden_to_number(X, n_clusters, seed, n_neighbors).labels_
    return labels


def labels_by(contender: str) -> Callable[[AnyArray, int, int], AnyArray]:
    """Cluster as a method of the comparison does."""

    def labels(X: AnyArray, n_clusters: int, seed: int) -> AnyArray:
        found: AnyArray = CONTENDERS[contender].fit(X, n_clusters, seed).labels_
        return found

    return labels


LEIDEN, KMEANS = "Leiden, number given", "KMeans, 10 starts"
METHODS = {
    "uneven": Method(uneven_labels, 3),
    "GPAC": Method(labels_by("GPAC"), 2),
    "Leiden": Method(leiden_labels, 2, LEIDEN),
    "k-means": Method(labels_by(KMEANS), 2, KMEANS),
}


def measure_missing(
    path: Path,
    datasets: Iterable[str],
    methods: Iterable[str] | None = None,
    *,
    again: bool = False,
) -> None:
    """Cluster what has no record yet, or all of it, and record each clustering at once.

    All methods are asked for where none are named.
    """
    known = set() if again else {record.key for record in read_records(path)}
    wanted = [
        (title, seed)
        for title in installed(METHODS if methods is None else methods)
        for seed in range(METHODS[title].n_seeds)
    ]
    for name in datasets:
        missing = [each for each in wanted if (name, *each) not in known]
        if not missing:
            continue
        X, y = load_tail(name)
        for title, seed in missing:
            record = measure(name, title, seed, X, y)
            append_entry(path, asdict(record))
            print(name, title, seed, f"{record.nmi:.3f}", file=sys.stderr, flush=True)


def installed(methods: Iterable[str]) -> list[str]:
    """Leave out methods whose packages are missing."""
    return [
        title for title in methods if not missing_packages(CONTENDERS[METHODS[title].contender])
    ]


def measure(name: str, title: str, seed: int, X: AnyArray, y: AnyArray) -> Record:
    """Cluster rows one way, told the number of classes."""
    method, n_classes = METHODS[title], int(np.unique(y).size)
    began = time.perf_counter()
    found = score_labels(y, method.labels(X, n_classes, seed))
    return Record(
        dataset=name,
        method=title,
        seed=seed,
        n_samples=y.size,
        n_classes=n_classes,
        nmi=float(found.nmi),
        acc=float(found.acc),
        seconds=time.perf_counter() - began,
        version=CONTENDERS[method.contender].version,
        commit=describe_commit(),
    )


def read_records(path: Path) -> list[Record]:
    """Read the last record of each clustering."""
    records = [Record(**entry) for entry in read_entries(path)]
    return list({record.key: record for record in records}.values())


def table_of(records: Sequence[Record], datasets: Sequence[str]) -> str:
    """Show means of NMI and ACC, a row for each data set that has records."""
    with_bars = any(name in BARS for name in datasets)
    rows = []
    for name in datasets:
        of_data = [record for record in records if record.dataset == name]
        if of_data:
            cells = [mean_scores([r for r in of_data if r.method == m]) for m in METHODS]
            sizes = str(of_data[0].n_samples), str(of_data[0].n_classes)
            rows.append([name, *sizes, *cells, *[shown(BARS.get(name))] * with_bars])
    return markdown_table(["data", "rows", "classes", *METHODS, *["bar"] * with_bars], rows)


def mean_scores(records: Sequence[Record]) -> str:
    """Show the means over seeds."""
    if not records:
        return NOTHING
    return shown((fmean(each.nmi for each in records), fmean(each.acc for each in records)))


def shown(scores: tuple[float, float] | None) -> str:
    """Write NMI / ACC."""
    return NOTHING if scores is None else " / ".join(f"{score:.3f}" for score in scores)


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parse(arguments)
    path = given.output / FILE
    if not given.tables_only:
        measure_missing(path, given.names, given.methods, again=given.again)
    records = read_records(path)
    for marks, datasets in TABLES.items():
        if any(record.dataset in datasets for record in records):
            table = table_of(records, datasets)
            fill_marks(given.docs / PAGE, marks, table)
            print(table, end="\n\n")
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    every = [name for names in TABLES.values() for name in names]
    parser = parser_of("uneven", __doc__)
    parser.add_argument("names", nargs="*", default=every, metavar="NAME", help="data sets")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--again", action="store_true", help="cluster what is recorded, too")
    parser.add_argument("--tables-only", action="store_true", help="cluster nothing")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="(default: docs)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
