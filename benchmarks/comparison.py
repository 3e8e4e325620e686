"""NMI and ACC of GPAC and what else one would try: ``python -m benchmarks.comparison``.

Every method is told the true number of clusters. Each fit is a line in
``benchmarks/results/comparison.jsonl``; what stands there is not fitted again, so an interrupted
run goes on where it stopped. The tables of ``docs/comparison.md`` are made of the lines.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import RESULTS, ROOT, parser_of
from benchmarks.comparison_tables import comparison_text
from benchmarks.contenders import CONTENDERS
from benchmarks.peers import installed, loadable, measure_seeds, tell
from benchmarks.records import append_record, latest_records, read_records
from benchmarks.standings import collect_standings
from benchmarks.suites import Suite
from benchmarks.tables import fill_marks
from graphpac.measuring.own_process import Limits

N_SEEDS = 10
TITLES = {
    "KMeans, 10 starts": "k-means",
    "spectral": "spectral",
    "Leiden, number given": "Leiden",
    "EVoC": "EVoC",
    "UMAP + k-means": "UMAP + k-means",
    "GPAC as published": "GPAC as published",
    "GPAC": "GPAC",
}
SUITE = Suite(
    title="Comparison",
    datasets=(
        *("digits", "pendigits", "usps", "mnist", "isolet", "coil100"),
        *("cifar10_effnetlite2_20k", "tinyimagenet100a_effnetlite2"),
        *("banking77_minilm", "clinc150_minilm", "news20_minilm"),
        *("sc_worm_neuron_pca50", "sc_mouse_bladder_pca50"),
    ),
    contenders=tuple(name for name in TITLES if name in CONTENDERS),
    limits=Limits(seconds=600, gigabytes=16),
)
SEEDS_A_PROCESS = 5  # more would save little, and lose more where a run is interrupted
PAGE = "comparison.md"


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parse(arguments)
    path = given.output / "comparison.jsonl"
    complete = True
    if not given.tables_only:
        datasets, names = loadable(given.datasets), installed(given.methods)
        complete = len(datasets) == len(given.datasets) and len(names) == len(given.methods)
        for dataset in datasets:
            for name in names:
                fit_missing(path, dataset, name, given.seeds, again=given.again)
    text = render(path, given.docs)
    print(text)
    return int(not complete)


def fit_missing(path: Path, dataset: str, name: str, n_seeds: int, *, again: bool = False) -> None:
    """Fit the seeds that have no record yet; after a failure the others are not tried."""
    seeds = list(range(n_seeds)) if again else missing_seeds(path, dataset, name, n_seeds)
    for start in range(0, len(seeds), SEEDS_A_PROCESS):
        together = seeds[start : start + SEEDS_A_PROCESS]
        # Scores are all that is compared, so nothing is rehearsed before the clock starts.
        records = measure_seeds(dataset, name, together, SUITE.limits, warm_up="none")
        for record in records:
            append_record(path, record)
            tell(record)
        if records[0].measurement is None:
            return


def missing_seeds(path: Path, dataset: str, name: str, n_seeds: int) -> list[int]:
    """Find what no record of this version settles; scores are the same on any machine."""
    version = CONTENDERS[name].version
    settled = {
        record.seed: record
        for record in latest_records(read_records(path), any_machine=True).values()
        if (record.dataset, record.contender) == (dataset, name)
        and record.settles(version, SUITE.limits, record.machine)
    }
    if any(record.measurement is None for record in settled.values()):
        return []
    return [seed for seed in range(n_seeds) if seed not in settled]


def render(path: Path, docs: Path) -> str:
    """Fill the page with the tables, and return them."""
    records = read_records(path)
    if not records:
        return f"Nothing in {path.name} yet."
    text = comparison_text(collect_standings(records, SUITE, any_machine=True), TITLES)
    fill_marks(docs / PAGE, "comparison", text)
    return text


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of("comparison", __doc__)
    parser.add_argument("--datasets", nargs="+", default=list(SUITE.datasets), metavar="NAME")
    parser.add_argument(
        "--methods", nargs="+", default=list(SUITE.contenders), choices=SUITE.contenders
    )
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="of each method (default: 10)")
    parser.add_argument("--again", action="store_true", help="fit what is recorded, too")
    parser.add_argument("--tables-only", action="store_true", help="fit nothing")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="(default: docs)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
