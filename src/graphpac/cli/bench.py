"""``graphpac bench``: methods beside each other on the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphpac.cli import _options as option
from graphpac.cli._completion import dataset_names, method_names
from graphpac.cli._options import READING, split_names, valued
from graphpac.cli._output import print_json, print_table, say, warn, watch_unless

if TYPE_CHECKING:
    from graphpac.runs.bench import Measured

DEFAULT = ("gpac", "km", "spkm", "fcm", "k-sums")

HELP = """Run GPAC beside other methods on the same rows: time, memory and, with labels, quality.

Each method runs in a process of its own, after a rehearsal on a few rows that is not counted.
Peak memory is that of the whole process, with the rows and all libraries.

Example: graphpac bench digits

Example: graphpac bench rows.csv --label-column topic --clusters 20 --methods gpac,km,k-sums
"""


DataOrName = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="File of rows, or the name of a data set.",
        autocompletion=dataset_names,
    ),
]
Clusters = Annotated[
    int | None, valued("C", "Default: as many as there are classes.", "--clusters", "-c", min=2)
]
SEPARATED = f"Separated by commas; default {','.join(DEFAULT)}."
Methods = Annotated[list[str] | None, valued("NAMES", SEPARATED, autocompletion=method_names)]
LabelColumn = Annotated[str | None, valued("NAME", "Column with known classes.", panel=READING)]
Labels = Annotated[
    Path | None,
    valued("FILE", "Known classes: an .npy array, or a text with one a line.", panel=READING),
]


def bench(
    data: DataOrName = "digits",
    *,
    clusters: Clusters = None,
    methods: Methods = None,
    label_column: LabelColumn = None,
    labels: Labels = None,
    columns: option.Columns = None,
    key: option.Key = None,
    seed: option.Seed = 0,
    threads: option.Threads = None,
    json: option.Json = False,
    quiet: option.NoBars = False,
) -> None:
    """Measure and print; the help of the command is `HELP`."""
    from dataclasses import asdict

    from graphpac.runs.bench import Contest, measure_methods
    from graphpac.runs.known_labels import read_labeled
    from graphpac.runs.source import Source

    watch = watch_unless(quiet)
    names = split_names("--methods", methods) or DEFAULT
    source = Source(name=data, columns=split_names("--columns", columns), key=key)
    with watch("read") as progress:
        rows = read_labeled(source, label_column=label_column, labels=labels, progress=progress)
    n_clusters = clusters or rows.n_classes
    if n_clusters is None:
        msg = "say how many, since there are no known classes to count."
        raise typer.BadParameter(msg, param_hint="--clusters")
    contest = Contest(n_clusters=n_clusters, seed=seed, n_jobs=threads)
    with watch("methods") as progress:
        measured = measure_methods(*rows, names, contest, progress)
    if json:
        print_json({"data": data, **asdict(contest), "methods": [asdict(m) for m in measured]})
    else:
        say("{}: {:,} x {:,}, {} clusters asked for\n".format(data, *rows.X.shape, n_clusters))
        scores = ("NMI", "ACC", "ARI") if rows.y is not None else ()
        print_table(("method", "seconds", "peak MB", "clusters", *scores), map(_cells, measured))
        for item in measured:
            if item.problem is not None:
                warn(f"{item.method} failed: {item.problem}")
    if all(item.problem is not None for item in measured):
        raise typer.Exit(1)


def _cells(item: Measured) -> list[str]:
    if item.seconds is None:
        return [item.method, "failed"]
    scores = [score for score in (item.nmi, item.acc, item.ari) if score is not None]
    return [
        item.method,
        f"{item.seconds:.2f}",
        "-" if item.peak_memory is None else f"{item.peak_memory:.0f}",
        str(item.n_clusters),
        *(f"{score:.3f}" for score in scores),
    ]
