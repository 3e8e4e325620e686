"""Which of the candidates after the ramp should be kept? ``python -m benchmarks.judges``.

Each line of ``benchmarks/results/judges.jsonl`` is a fit: all candidates, what they are judged by,
and their NMI and ACC with the classes, which no judge sees. What stands there is not fitted again.
The tables of ``docs/decisions.md`` are made of the lines: how well one does who follows a rule.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks import RESULTS, ROOT, parser_of
from benchmarks.tables import fill_marks, markdown_table
from benchmarks.uneven import load_tail
from graphpac import GPAC
from graphpac._threads import Workers
from graphpac._typing import AnyArray, IntVector
from graphpac.graph import NeighborGraph
from graphpac.graph.copies import merge_copies
from graphpac.graph.links import links_of
from graphpac.io.journal import append_entry, read_entries
from graphpac.metrics import score_labels
from graphpac.solvers.candidates import (
    Candidate,
    Contender,
    choose,
    improved,
    judged,
    merged_communities,
)
from graphpac.solvers.likelihood import LinkGraph

FILE = "judges.jsonl"
PAGE = "decisions.md"
_NO_LABELS: IntVector = np.empty(0, dtype=np.int32)
N_SEEDS = 3
TABLES = {
    # The rule and its constants were chosen on these,
    "judges": (
        *("mnist", "usps", "digits", "pendigits", "isolet", "coil100"),
        *("cifar10_effnetlite2_20k", "tinyimagenet100a_effnetlite2"),
        *("banking77_minilm", "clinc150_minilm", "news20_minilm"),
        *("sc_worm_neuron_pca50", "sc_mouse_bladder_pca50"),
        *("coil20", "olivetti", "orl32", "yaleb32"),
        *("digits:5", "isolet:5", "usps:5", "pendigits:20", "isolet:50", "banking77_minilm:10"),
    ),
    # and not on these.
    "judges-others": (
        *("mnist:5", "pendigits:5", "coil20:5", "coil100:5", "cifar10_effnetlite2_20k:5"),
        *("banking77_minilm:5", "clinc150_minilm:5", "news20_minilm:5"),
    ),
}


@dataclass(frozen=True)
class Judged:
    """A candidate and its scores."""

    facts: Candidate
    nmi: float
    acc: float


Rule = Callable[[Sequence[Judged]], Judged]  # of the published partition, the ramp and the others


def highest(measure: Callable[[Candidate], float]) -> Rule:
    """Take the highest of all that were improved by moves."""
    return lambda found: max(found[1:], key=lambda each: measure(each.facts))


def both(found: Sequence[Judged]) -> Judged:
    """Take the likeliest of those that beat the ramp by likelihood and by information."""
    ramp = found[1]
    better = [
        each
        for each in found[2:]
        if each.facts.two_step_likelihood > ramp.facts.two_step_likelihood
        and each.facts.block_information > ramp.facts.block_information
    ]
    return max(better, key=lambda each: each.facts.two_step_likelihood, default=ramp)


def chosen(found: Sequence[Judged]) -> Judged:
    """Choose as a fit does."""
    ramp, *others = (Contender(each.facts, _NO_LABELS) for each in found[1:])
    kept = choose([ramp], others)
    return next(each for each in found if each.facts is kept.facts)


RULES: dict[str, Rule] = {
    "published": lambda found: found[0],
    "moves": lambda found: found[1],
    "LL": highest(lambda facts: facts.likelihood),
    "LL2": highest(lambda facts: facts.two_step_likelihood),
    "information": highest(lambda facts: facts.block_information),
    "both": both,
    "chosen": chosen,
}


def contenders_of(graph: NeighborGraph, labels: AnyArray, n_clusters: int) -> list[Contender]:
    """Return the published partition, the ramp's after moves, and merged communities."""
    merged, copies = merge_copies(graph)
    labels = labels[copies.originals]
    began = time.perf_counter()
    with Workers(2) as workers:
        links = LinkGraph(links_of(merged), workers)
        published = judged(links, "published", labels, n_clusters, began)
        ramp = improved(links, "ramp", labels, n_clusters)
        resolution = links.fit(ramp.labels, n_clusters).resolution
        communities = merged_communities(links, n_clusters, resolution)
        others = [improved(links, *each) for each in communities]
    return [
        Contender(each.facts, each.labels[copies.numbers]) for each in (published, ramp, *others)
    ]


def measure(name: str, seed: int, X: AnyArray, y: AnyArray) -> dict[str, Any]:
    """Fit once, and score all candidates."""
    n_classes = int(np.unique(y).size)
    model = GPAC.as_published(n_classes, random_state=seed).fit(X)
    candidates = []
    for facts, labels in contenders_of(model.graph_, model.labels_, n_classes):
        scores = score_labels(y, labels)
        candidates.append({**vars(facts), "nmi": float(scores.nmi), "acc": float(scores.acc)})
    return {"dataset": name, "seed": seed, "candidates": candidates}


def measure_missing(path: Path, datasets: Iterable[str], n_seeds: int) -> None:
    """Fit what has no line yet."""
    known = {(entry["dataset"], entry["seed"]) for entry in read_entries(path)}
    for name in datasets:
        missing = [seed for seed in range(n_seeds) if (name, seed) not in known]
        if not missing:
            continue
        X, y = load_tail(name)
        for seed in missing:
            append_entry(path, measure(name, seed, X, y))
            print(name, seed, file=sys.stderr, flush=True)


def judged_of(entry: dict[str, Any]) -> list[Judged]:
    """Read the candidates of a line."""
    found = []
    for candidate in entry["candidates"]:
        facts = {key: value for key, value in candidate.items() if key not in ("nmi", "acc")}
        facts["cluster_sizes"] = tuple(facts["cluster_sizes"])
        found.append(Judged(Candidate(**facts), candidate["nmi"], candidate["acc"]))
    return found


def table_of(entries: Sequence[dict[str, Any]], datasets: Sequence[str]) -> str:
    """Show what each rule would have got: means of NMI and ACC, a row for each data set."""
    rows, sums = [], []
    for name in datasets:
        fits = [judged_of(entry) for entry in entries if entry["dataset"] == name]
        if fits:
            kept = [[rule(found) for found in fits] for rule in RULES.values()]
            sums.append([_means(each) for each in kept])
            rows.append([name, *(_shown(*_means(each)) for each in kept)])
    means = [
        [fmean(each) for each in zip(*column, strict=True)] for column in zip(*sums, strict=True)
    ]
    rows.append(["mean", *(_shown(*each) for each in means)])
    return markdown_table(["data", *RULES], rows)


def _means(kept: Sequence[Judged]) -> tuple[float, float]:
    return fmean(each.nmi for each in kept), fmean(each.acc for each in kept)


def _shown(nmi: float, acc: float) -> str:
    return f"{nmi:.3f} / {acc:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parse(arguments)
    path = given.output / FILE
    if not given.tables_only:
        measure_missing(path, given.names, given.seeds)
    entries = read_entries(path)
    for marks, datasets in TABLES.items():
        if any(entry["dataset"] in datasets for entry in entries):
            table = table_of(entries, datasets)
            fill_marks(given.docs / PAGE, marks, table)
            print(table, end="\n\n")
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    every = [name for names in TABLES.values() for name in names]
    parser = parser_of("judges", __doc__)
    parser.add_argument("names", nargs="*", default=every, metavar="NAME", help="data sets")
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="of each (default: 3)")
    parser.add_argument("--tables-only", action="store_true", help="fit nothing")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="(default: docs)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
