"""``graphpac reproduce``: the paper's tables and figures, the printed numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphpac.cli._completion import dataset_names, experiment_names, method_names
from graphpac.cli._options import NoBars, Overwrite, split_names
from graphpac.cli._output import lines_unless, print_table, say, watch_unless

if TYPE_CHECKING:
    from graphpac.experiments.reproduced import Reproduced

# A test holds that the list is that of the definitions, which are not read for a help text.
HELP = """Run the experiments of the paper again.

Names, in upper or lower case:

\b
- table2: Pendigits, ISOLET and MNIST
- table3: COIL-100, USPS and EMNIST
- table4: Deep features
- table5: The local constraint in FCM and in GPAC
- table6: Subsets of ImageNet, m = 1.02
- figure2: Accuracy for the exponent m
- figure3: The number of neighbors k
- figure4: The weights alpha and beta / (1 + beta)
- figure5: With and without the hard assignment V
- figure6: Batch size with and without the local constraint
- figure7: The start of V
- figure8: Running time on parts of MNIST
- settings: Settings the paper does not state
- choices: Readings of the paper: one change at a time
- all: everything above

Finished runs are kept in OUTPUT/records.jsonl: a run that was ended goes on where it stopped, and
more runs are added to those that are there. OUTPUT/index.html shows everything that was asked for.

Example: graphpac reproduce table2 --datasets pendigits,isolet --runs 5
"""


Names = Annotated[
    list[str],
    typer.Argument(
        metavar="NAMES...",
        help="Tables and figures, or all.",
        autocompletion=experiment_names,
        show_default=False,
    ),
]
Runs = Annotated[
    int | None,
    typer.Option(min=1, help="Seeds of every method that draws any, instead of those defined."),
]
Datasets = Annotated[
    list[str] | None,
    typer.Option(
        help="Data sets instead of those defined: a,b,... or repeated.",
        autocompletion=dataset_names,
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(help="Only these methods: a,b,... or repeated.", autocompletion=method_names),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Threads of a fit. Default: all cores.")]
Output = Annotated[
    Path | None,
    typer.Option(
        help="Folder of everything written. Default: reproduced, or reproduced-quick.",
        file_okay=False,
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(help="NAME=FILE.npz with arrays X and y, to be used as that data set."),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Parts of the data and few runs: minutes, not hours.")
]


def reproduce(
    names: Names,
    *,
    runs: Runs = None,
    datasets: Datasets = None,
    methods: Methods = None,
    jobs: Jobs = None,
    output: Output = None,
    overwrite: Overwrite = False,
    features: Features = None,
    quick: Quick = False,
    quiet: NoBars = False,
) -> None:
    """Run, write and print; the help of the command is `HELP`."""
    from graphpac.experiments.config import experiment_names as all_names
    from graphpac.experiments.config import load_experiment
    from graphpac.experiments.reproduce import JOURNAL, PAGE
    from graphpac.experiments.reproduce import reproduce as reproduce_all
    from graphpac.experiments.reproduced import file_names
    from graphpac.experiments.requests import Request
    from graphpac.runs.outputs import check_folder

    if "all" in (name.lower() for name in names):
        names = all_names()
    output = output or Path("reproduced-quick" if quick else "reproduced")
    experiments = {item.name: item for item in map(load_experiment, names)}
    request = Request(
        runs=runs,
        datasets=split_names("--datasets", datasets) or (),
        methods=split_names("--methods", methods) or (),
        quick=quick,
        n_jobs=jobs,
        features=_parse_features(features or []),
    )
    if not (output / JOURNAL).exists():  # else the folder is ours, and is to be brought up to date
        written = [name for item in experiments.values() for name in file_names(item)]
        check_folder(output, "--output", names=[PAGE, *written], overwrite=overwrite)
    told = lines_unless(quiet, "graphpac.experiments")
    with told, watch_unless(quiet)("runs") as progress:
        done = reproduce_all(list(experiments.values()), output, request, progress)
    for item in done:
        _print(item)
    say(f"\nEverything is in {output}, to be looked at in {output / PAGE}")
    if not any(cell.values for item in done for cell in item.cells):
        raise typer.Exit(1)


def _print(item: Reproduced) -> None:
    from graphpac.experiments.tables import text_of

    say(f"\n{item.experiment.title}")
    if item.warning:
        say(item.warning)
    for grid in item.grids:
        for part in grid.parts():
            say(f"\n{part.title}")
            print_table(*text_of(part))
    for comparison in item.comparisons:
        if comparison.readings:
            say(f"\n{comparison.title}")
            print_table(*comparison.table())
        say(comparison.sentence())
    for remark in item.remarks:
        say(f"- {remark.subject}: {remark.text}")


def _parse_features(given: list[str]) -> dict[str, Path]:
    found = {}
    for item in given:
        name, separator, path = item.partition("=")
        if not (name and separator and path):
            msg = f"--features {item} must be NAME=FILE, such as CIFAR-10=features.npz"
            raise typer.BadParameter(msg)
        found[name] = Path(path)
    return found
