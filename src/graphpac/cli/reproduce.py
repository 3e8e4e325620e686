"""``graphpac reproduce``: the paper's tables and figures, the printed numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphpac._typing import Progress

if TYPE_CHECKING:
    from rich.console import Console

    from graphpac.experiments.reproduce import Reproduced

HELP = """Run the experiments of the paper again.

Names: table2 to table6, figure2 to figure8, choices (readings of the paper), all.

Finished runs are kept in OUTPUT/records.jsonl: a run that was ended goes on where it stopped, and
more runs are added to those that are there. OUTPUT/index.html shows everything.

Example: graphpac reproduce table2 --datasets pendigits --runs 5
"""


def reproduce(
    names: Annotated[list[str], typer.Argument(help="Tables and figures, or all.")],
    *,
    runs: Annotated[
        int | None, typer.Option(min=1, help="Seeds, instead of those defined.")
    ] = None,
    datasets: Annotated[
        list[str] | None, typer.Option(help="Data sets instead of those defined; repeatable.")
    ] = None,
    methods: Annotated[
        list[str] | None, typer.Option(help="Only these methods; repeatable.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="Threads of a fit. Default: all cores.")] = None,
    output: Annotated[Path, typer.Option(help="Folder of everything written.")] = Path(
        "reproduced"
    ),
    features: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FILE.npz with arrays X and y, to be used as that data set."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Parts of the data and few runs: minutes, not hours.")
    ] = False,
) -> None:
    """Run, write and print; the help of the command is `HELP`."""
    from rich.console import Console

    from graphpac.experiments.config import experiment_names, load_experiment
    from graphpac.experiments.reproduce import PAGE, Request
    from graphpac.experiments.reproduce import reproduce as reproduce_all

    if [name.lower() for name in names] == ["all"]:
        names = experiment_names()
    experiments = [load_experiment(name) for name in names]
    request = Request(
        runs=runs,
        datasets=tuple(datasets or ()),
        methods=tuple(methods or ()),
        quick=quick,
        n_jobs=jobs,
        features=_parse_features(features or []),
    )
    with _progress() as progress:
        done = reproduce_all(experiments, output, request, progress)
    console = Console()
    for item in done:
        console.print(f"\n[bold]{item.experiment.title}[/bold]")
        _print_table(console, item)
    console.print(f"\nEverything is in {output}, to be looked at in {output / PAGE}")


def _parse_features(given: list[str]) -> dict[str, Path]:
    found = {}
    for item in given:
        name, separator, path = item.partition("=")
        if not (name and separator and path):
            msg = f"--features {item} must be NAME=FILE, such as CIFAR-10=features.npz"
            raise typer.BadParameter(msg)
        found[name] = Path(path)
    return found


@contextmanager
def _progress() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import (
        Progress as Bar,
    )

    columns = (
        TextColumn("runs"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("runs", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print_table(console: Console, item: Reproduced) -> None:
    from rich.table import Table

    from graphpac.experiments.tables import table_of

    head, rows = table_of(item.cells)
    table = Table(box=None, header_style="bold")
    for place, name in enumerate(head):
        table.add_column(name, justify="left" if place == 0 else "right", no_wrap=place > 0)
    for row in rows:
        table.add_row(*row)
    console.print(table)
