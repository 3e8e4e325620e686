"""``graphpac sweep``: how many clusters."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphpac.cli import _options as option
from graphpac.cli._options import flag, split_names, valued
from graphpac.cli._output import print_json, say, watch_unless

if TYPE_CHECKING:
    from graphpac.selection.suggestion import ComparedNumber

_RANGE = re.compile(r"(?P<first>\d+)(:(?P<last>\d+)(:(?P<step>[1-9]\d*))?)?")

HELP = """Compare numbers of clusters, and recommend one.

Neighbors are searched for once, and nothing is fitted: communities of the graph and of random
halves of it are merged to every number of clusters. The table tells how well they agree
(stability), how few edges of the graph leave a cluster (modularity), how much clusters tell about
edges (likelihood), the product of these (score), and how many clusters there are. Each line is
shown, and kept in a JSON file beside the plot, as soon as it is known; --resume goes on from there.

Example: graphpac sweep embeddings.npy --clusters 5:50:5

Example: graphpac sweep embeddings.npy --clusters 5,8,10,20 --plot sweep.svg
"""


RANGES = "FIRST:LAST or FIRST:LAST:STEP, both ends included, or numbers with commas."
Numbers = Annotated[str, valued("RANGE", RANGES, "--clusters", "-c", show_default=False)]
Plot = Annotated[
    Path, valued("FILE", "Picture to write, .png or .svg; the table goes beside it, as .json.")
]
Resume = Annotated[
    bool, flag("--resume", about="Go on with a sweep that was stopped, or add numbers to it.")
]
Seeds = Annotated[int, valued("N", "Random halves of the graph.", min=2)]


def sweep(
    data: option.Data,
    *,
    clusters: Numbers,
    plot: Plot = Path("sweep.png"),
    resume: Resume = False,
    overwrite: option.Overwrite = False,
    seeds: Seeds = 3,
    columns: option.Columns = None,
    id_column: option.IdColumn = None,
    key: option.Key = None,
    metric: option.MetricOption = option.Metric.cosine,
    neighbors: option.Neighbors = None,
    seed: option.Seed = 0,
    threads: option.Threads = None,
    json: option.Json = False,
    quiet: option.NoBars = False,
) -> None:
    """Compare, draw and print; the help of the command is `HELP`."""
    numbers = parse_numbers(clusters)

    from graphpac.runs.source import Source
    from graphpac.runs.sweeping import SweepOptions, sweep_source

    options = SweepOptions(plot=plot, resume=resume, overwrite=overwrite)
    record = sweep_source(
        Source(name=data, columns=split_names("--columns", columns), id_column=id_column, key=key),
        numbers,
        options,
        watch=watch_unless(quiet),
        found=(lambda _: None) if json else _shower(),
        n_seeds=seeds,
        random_state=seed,
        n_jobs=threads,
        metric=metric.value,
        n_neighbors=neighbors or "auto",
    )
    if json:
        print_json(record)
    else:
        say(f"\n{record['reason']}\n")
        say(f"The plot is {plot}, the table {options.file}")


def parse_numbers(given: str) -> list[int]:
    """Take apart numbers of clusters such as 5:50:5 or 5,8,10."""
    numbers: list[int] = []
    for item in given.split(","):
        match = _RANGE.fullmatch(item.strip())
        if match is None:
            msg = f"{given} must be FIRST:LAST, FIRST:LAST:STEP or numbers such as 5,8,10."
            raise typer.BadParameter(msg, param_hint="--clusters")
        first = int(match["first"])
        numbers += range(first, int(match["last"] or first) + 1, int(match["step"] or 1))
    return numbers


def _shower() -> Callable[[ComparedNumber], None]:
    """Return what prints candidates as they come, the first under the head of the table."""
    from graphpac.selection.suggestion import HEAD_LINE

    head = [HEAD_LINE]

    def show(candidate: ComparedNumber) -> None:
        say("\n".join([*head, candidate.line()]))
        head.clear()

    return show
