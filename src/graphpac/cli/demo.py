"""``graphpac demo``: the embedded digits, clustered and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphpac.cli._options import Overwrite

HELP = """Cluster the embedded handwritten digits: tables, a picture and a report.

Example: graphpac demo --output graphpac-demo
"""


def demo(
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder, made if need be.")
    ] = Path("graphpac-demo"),
    overwrite: Overwrite = False,
) -> None:
    """Run the demo; the help of the command is `HELP`."""
    from graphpac.demo import PICTURE, REPORT, run
    from graphpac.runs.outputs import check_folder

    check_folder(output, "--output", names=(PICTURE, REPORT), overwrite=overwrite)
    run(output)
