"""Rows that repeat and graphs with hubs: ``python -m benchmarks.repeated``.

The first table compares a data set with the same rows some times over: the clusters should be the
same, and the time about that of the rows once. The second compares 100,000 rows or samples of a
kind that makes neighbor lists degenerate with 100,000 random rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import parser_of
from benchmarks.machine import describe_machine
from benchmarks.tables import fill_marks, markdown_table

RESULTS = Path(__file__).parent / "results" / "repeated.md"
REPEATED = (("digits", 20), ("banking77_minilm", 11))
N_ROWS = 100_000
N_CLUSTERS = 10
SEED = 0


def copies_table(repeated: Sequence[tuple[str, int]]) -> str:
    head = ["data", "rows", "different rows", "NMI", "CPU seconds"]
    rows = [row for name, times in repeated for row in _measure_copies(name, times)]
    return markdown_table(head, rows)


def _measure_copies(name: str, times: int) -> list[list[str]]:
    from graphpac import GPAC
    from graphpac.datasets import load
    from graphpac.metrics import score_labels

    data = load(name)
    n_rows = data.X.shape[0]
    one_row = np.repeat(data.X[:1], 5000, axis=0)
    forms = {
        name: data.X,
        f"{name}, {times} times each": np.tile(data.X, (times, 1)),
        f"{name} and 5,000 copies of a row": np.concatenate((data.X, one_row)),
    }
    lines = []
    for words, X in forms.items():
        model, seconds = timed(lambda X=X: GPAC(data.n_classes, random_state=SEED).fit(X))
        nmi = score_labels(data.y, model.labels_[:n_rows]).nmi
        n_different = model.graph_.n_originals
        lines.append([words, f"{X.shape[0]:,}", f"{n_different:,}", f"{nmi:.3f}", f"{seconds:.1f}"])
    return lines


def degenerate_table(n_rows: int) -> str:
    from graphpac import GPAC

    model = GPAC(N_CLUSTERS, random_state=SEED)
    fits: dict[str, Callable[[], Any]] = {
        words: lambda X=X: model.fit(X) for words, X in degenerate_rows(n_rows).items()
    }
    fits |= {
        words: lambda graph=graph: model.fit_graph(graph)
        for words, graph in graphs_with_hubs(n_rows).items()
    }
    seconds = {words: timed(fit)[1] for words, fit in fits.items()}
    base = next(iter(seconds.values()))
    rows = [[words, f"{took:.1f}", f"{took / base:.2f}"] for words, took in seconds.items()]
    return markdown_table([f"{n_rows:,} samples", "CPU seconds", "of random rows"], rows)


def degenerate_rows(n_rows: int) -> dict[str, Any]:
    rng = np.random.default_rng(SEED)
    random = rng.standard_normal((n_rows, 16), dtype=np.float32)
    is_zero = rng.random(n_rows) < 0.3
    return {
        "random rows, 16 features": random,
        "all rows equal": np.ones((n_rows, 16), dtype=np.float32),
        "two different rows": np.where(np.arange(n_rows)[:, None] % 2, random[:1], random[1:2]),
        "random rows, 30 % zero": np.where(is_zero[:, None], np.float32(0.0), random),
        "16 features of zeros and ones": (random > 0.0).astype(np.float32),
    }


def graphs_with_hubs(n_samples: int) -> dict[str, Any]:
    from graphpac import NeighborGraph

    rng = np.random.default_rng(SEED)
    leaves = np.arange(1, n_samples)
    ten = np.arange(10, n_samples)
    ends = {
        "star": (leaves, np.zeros(leaves.size, dtype=np.int64)),
        "ten hubs that all point at": (
            np.repeat(ten, 10),
            np.tile(np.arange(10), ten.size),
        ),
    }
    return {
        words: NeighborGraph.from_edges(
            sources, targets, rng.random(sources.size), n_samples=n_samples, kind="euclidean"
        )
        for words, (sources, targets) in ends.items()
    }


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a fit returns, and the processor seconds of all its threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # such rows leave clusters empty, and say so
        began = time.process_time()
        result = fit()
    return result, time.process_time() - began


def main(arguments: Sequence[str] | None = None) -> None:
    parser = parser_of("repeated", __doc__)
    parser.add_argument("--rows", type=int, default=N_ROWS, help="rows of the second table")
    parser.add_argument("--data", nargs="*", help="data sets of the first table, default all")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, help="page whose tables to replace, docs/graphs.md")
    given = parser.parse_args(arguments)
    machine = describe_machine()
    source = f"Measured by `python -m benchmarks.repeated` on {machine}; load {machine.load:.1f}."
    timed(lambda: degenerate_table(1000))  # compiles
    chosen = [item for item in REPEATED if given.data is None or item[0] in given.data]
    text = f"{copies_table(chosen)}\n\n{degenerate_table(given.rows)}\n\n{source}"
    given.output.write_text(text + "\n", encoding="utf-8")
    if given.docs is not None:
        fill_marks(given.docs, "repeated", text)
    print(text)


if __name__ == "__main__":
    main()
