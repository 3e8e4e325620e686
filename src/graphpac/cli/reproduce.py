"""``graphpac reproduce``: the paper's tables and figures, the printed numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphpac.cli._completion import dataset_names, experiment_names, method_names
from graphpac.cli._output import print_table, say

HELP = """Run the experiments of the paper again.

Names: table2 to table6, figure2 to figure8, choices (readings of the paper), all.

Finished runs are kept in OUTPUT/records.jsonl: a run that was ended goes on where it stopped, and
more runs are added to those that are there. OUTPUT/index.html shows everything.

Example: graphpac reproduce table2 --datasets pendigits --runs 5
"""


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAMES...",
            help="Tables and figures, or all.",
            autocompletion=experiment_names,
            show_default=False,
        ),
    ],
    *,
    runs: Annotated[
        int | None, typer.Option(min=1, help="Seeds, instead of those defined.")
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            help="Data sets instead of those defined; repeatable.", autocompletion=dataset_names
        ),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(help="Only these methods; repeatable.", autocompletion=method_names),
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
    from graphpac._bars import bar_of
    from graphpac.experiments.config import experiment_names as all_names
    from graphpac.experiments.config import load_experiment
    from graphpac.experiments.reproduce import PAGE, Request
    from graphpac.experiments.reproduce import reproduce as reproduce_all
    from graphpac.experiments.tables import table_of

    if [name.lower() for name in names] == ["all"]:
        names = all_names()
    experiments = [load_experiment(name) for name in names]
    request = Request(
        runs=runs,
        datasets=tuple(datasets or ()),
        methods=tuple(methods or ()),
        quick=quick,
        n_jobs=jobs,
        features=_parse_features(features or []),
    )
    with bar_of("runs") as progress:
        done = reproduce_all(experiments, output, request, progress)
    for item in done:
        say(f"\n{item.experiment.title}")
        print_table(*table_of(item.cells))
    say(f"\nEverything is in {output}, to be looked at in {output / PAGE}")


def _parse_features(given: list[str]) -> dict[str, Path]:
    found = {}
    for item in given:
        name, separator, path = item.partition("=")
        if not (name and separator and path):
            msg = f"--features {item} must be NAME=FILE, such as CIFAR-10=features.npz"
            raise typer.BadParameter(msg)
        found[name] = Path(path)
    return found
