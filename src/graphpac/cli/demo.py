"""``graphpac demo``: the embedded digits, clustered and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HELP = """Cluster the embedded handwritten digits: tables, a picture and a report.

Example: graphpac demo --output graphpac-demo
"""


def demo(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder, made if need be.")] = Path(
        "graphpac-demo"
    ),
) -> None:
    """Run the demo; the help of the command is `HELP`."""
    from graphpac.demo import main

    main(["--output", str(output)])
