"""What the documentation advises on parameters, measured: ``python -m benchmarks.advice``.

One table shows alpha on groups of even and uneven sizes, one a fit before and after it is refined
with another local weight, one cells as rows and as the graph that scanpy makes of them. The last
needs scanpy and is left out without it: ``.venv-integrations/bin/python -m benchmarks.advice
--tables cells``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import parser_of
from benchmarks.machine import describe_machine
from benchmarks.tables import fill_marks, markdown_table

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"
SEEDS = range(5)
ALPHAS = (1, 2, 4, 8, 16)
REFINED = ("digits", "pendigits", "usps", "banking77_minilm")
LOCAL_WEIGHTS = (0.5, 0.9, 0.999)
CELLS = ("sc_worm_neuron_pca50", "sc_mouse_bladder_pca50")
PAGES = {"alpha": "parameters.md", "refining": "parameters.md", "cells": "other-tools.md"}


def thinned(name: str, largest: int, smallest: int) -> tuple[Any, Any]:
    """Take rows of a data set so that the sizes of classes fall evenly by factors."""
    from graphpac.datasets import load

    data = load(name)
    rng = np.random.default_rng(0)
    counts = np.geomspace(largest, smallest, data.n_classes).round().astype(int)
    classes = [np.flatnonzero(data.y == label) for label in np.unique(data.y)]
    kept = [
        rng.choice(rows, count, replace=False) for rows, count in zip(classes, counts, strict=True)
    ]
    rows = np.sort(np.concatenate(kept))
    return data.X[rows], data.y[rows]


def alpha_table() -> str:
    from graphpac.datasets import load

    data = {
        "Pendigits, 1,000 a class": thinned("pendigits", 1000, 1000),
        "Pendigits, 1,000 to 100": thinned("pendigits", 1000, 100),
        "Pendigits, 1,000 to 20": thinned("pendigits", 1000, 20),
    }
    others = {"USPS": "usps", "worm neurons": CELLS[0], "mouse bladder": CELLS[1]}
    for words, name in others.items():
        found = load(name)
        sizes = np.unique(found.y, return_counts=True)[1]
        data[f"{words}, {sizes.max():,} to {sizes.min():,}"] = found.X, found.y
    head = ["data, rows a class", *(f"alpha = {alpha}" for alpha in ALPHAS)]
    rows = [[words, *(mean_score(X, y, alpha=a) for a in ALPHAS)] for words, (X, y) in data.items()]
    return markdown_table(head, rows)


def refining_table() -> str:
    from graphpac.datasets import load

    head = ["data", "as fitted", *(f"local_weight={weight}" for weight in LOCAL_WEIGHTS)]
    rows = []
    for name in REFINED:
        data = load(name)
        c = data.n_classes
        fitted = [fit(data.X, c, random_state=seed) for seed in SEEDS]
        cells = [f"{mean_nmi(data.y, fitted):.3f}"]
        for weight in LOCAL_WEIGHTS:
            refined = [
                fit(data.X, c, init=model, local_weight=weight, max_iter=10, random_state=seed)
                for seed, model in zip(SEEDS, fitted, strict=True)
            ]
            cells.append(f"{mean_nmi(data.y, refined):.3f}")
        rows.append([name, *cells])
    return markdown_table(head, rows)


def cells_table() -> str:
    import anndata
    import scanpy

    from graphpac.datasets import load
    from graphpac.graph import NeighborGraph

    head = ["cells", "rows", "distances of the graph", "its connectivities"]
    rows = []
    for name in CELLS:
        data = load(name)
        cells = anndata.AnnData(data.X, obsm={"X_pca": data.X})
        scanpy.pp.neighbors(cells, n_neighbors=15, use_rep="X_pca")
        graphs = [NeighborGraph.from_anndata(cells)]
        graphs.append(NeighborGraph.from_anndata(cells, obsp="connectivities"))
        rows.append([name, *(mean_score(X, data.y) for X in (data.X, *graphs))])
    return markdown_table(head, rows)


def mean_score(X: Any, y: Any, **parameters: Any) -> str:
    """Write NMI and ACC, and how many clusters have rows if not all have."""
    from graphpac.metrics import score_labels

    n_classes = np.unique(y).size
    models = [fit(X, n_classes, random_state=seed, **parameters) for seed in SEEDS]
    scores = [score_labels(y, model.labels_) for model in models]
    nmi, acc = (np.mean([getattr(score, name) for score in scores]) for name in ("nmi", "acc"))
    n_occupied = np.mean([np.count_nonzero(model.cluster_sizes_) for model in models])
    left = "" if n_occupied == n_classes else f", {n_occupied:.3g} of {n_classes}"
    return f"{nmi:.3f} / {acc:.3f}{left}"


def mean_nmi(y: Any, models: Sequence[Any]) -> float:
    from graphpac.metrics import score_labels

    return float(np.mean([score_labels(y, model.labels_).nmi for model in models]))


def fit(X: Any, n_clusters: int, **parameters: Any) -> Any:
    from graphpac import GPAC, NeighborGraph

    model = GPAC.as_published(n_clusters, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # empty clusters are in the table
        return model.fit_graph(X) if isinstance(X, NeighborGraph) else model.fit(X)


def main(arguments: Sequence[str] | None = None) -> None:
    tables = {"alpha": alpha_table, "refining": refining_table, "cells": cells_table}
    parser = parser_of("advice", __doc__)
    parser.add_argument("--tables", nargs="+", choices=tables, default=["alpha", "refining"])
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--docs", type=Path, help=f"folder whose pages to fill, {DOCS.name}")
    given = parser.parse_args(arguments)
    for name in given.tables:
        source = f"Means of {len(SEEDS)} seeds by `python -m benchmarks.advice --tables {name}`."
        text = f"{tables[name]()}\n\n{source}"
        about = f"{text}\nMeasured on {describe_machine()}.\n"
        (given.output / f"advice-{name}.md").write_text(about, encoding="utf-8")
        if given.docs is not None:
            fill_marks(given.docs / PAGES[name], name, text)
        print(text, flush=True)


if __name__ == "__main__":
    main()
