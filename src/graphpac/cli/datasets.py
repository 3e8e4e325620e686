"""``graphpac datasets``: which data sets are known, whether they are right, and getting them."""

from __future__ import annotations

from typing import Annotated

import typer

from graphpac.cli._command import Command
from graphpac.cli._completion import dataset_names
from graphpac.cli._options import Json
from graphpac.cli._output import fail, print_json, print_table, say

HELP = """List, check and fetch the data sets of the experiments.

Example: graphpac datasets list
"""

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

_NAMES = typer.Argument(
    metavar="NAMES...",
    help="Names, as list shows them.",
    autocompletion=dataset_names,
    show_default=False,
)


@app.command("list", cls=Command)
def list_all(*, json: Json = False) -> None:
    """Show all data sets, and where each would come from now.

    Example: graphpac datasets list
    """
    from graphpac.datasets import available
    from graphpac.datasets.registry import EMBEDDED, FILES, EmbeddedRecord, FileRecord
    from graphpac.datasets.storage import data_folder

    records: dict[str, EmbeddedRecord | FileRecord] = {**EMBEDDED, **FILES}
    statuses = available()
    if json:
        known = [
            {
                "name": name,
                "where": where,
                "shape": records[name].shape,
                "n_classes": records[name].n_classes,
                "description": records[name].description,
            }
            for name, where in statuses.items()
        ]
        print_json({"folder": str(data_folder()), "datasets": known})
        return
    rows = [
        (name, where, "{:,} x {:,}".format(*record.shape), str(record.n_classes))
        for name, where in statuses.items()
        for record in [records[name]]
    ]
    print_table(("name", "where", "rows x features", "classes"), rows, words=(0, 1))
    say(f"\nFiles are looked for in {data_folder()}; set GRAPHPAC_DATA to look elsewhere.")


@app.command(cls=Command)
def check(names: Annotated[list[str] | None, _NAMES] = None) -> None:
    """Compare files with their known checksums, by default all that are on disk.

    Example: graphpac datasets check mnist usps
    """
    from graphpac.datasets import available, load
    from graphpac.datasets.storage import data_folder
    from graphpac.exceptions import DatasetError, UnknownDatasetError

    names = names or [name for name, where in available().items() if where == "on disk"]
    if not names:
        say(f"There are no files of data sets in {data_folder()}")
    wrong = False
    for name in names:
        try:
            say(f"{name}: good, from {load(name, download=False).source}")
        except UnknownDatasetError:
            raise
        except DatasetError as error:
            fail(str(error))
            wrong = True
    if wrong:
        raise typer.Exit(1)


@app.command(cls=Command)
def fetch(names: Annotated[list[str], _NAMES]) -> None:
    """Get data sets that are not on disk from OpenML, where it has them.

    Example: graphpac datasets fetch pendigits
    """
    from graphpac.datasets import load

    for name in names:
        say(f"{name}: {load(name).source}")
