"""``graphpac report``: the page of a run, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphpac.cli import _options as option
from graphpac.cli._options import READING, parse_image_shape, valued
from graphpac.cli._output import say, warn, watch_unless

HELP = """Write the report of a run again, without fitting again.

What is not given is as it was for fit. The data are read for texts and images only.

Example: graphpac report run/ --text-column text --title "Questions of customers"
"""


def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)
    ],
    *,
    output: Annotated[
        Path | None, valued("FILE", "The page; default RUN/report.html.", "--output", "-o")
    ] = None,
    overwrite: option.Overwrite = False,
    text_column: option.TextColumn = None,
    image_shape: option.ImageShape = None,
    title: option.Title = None,
    data: Annotated[
        str | None, valued("FILE", "Where the data are, if they were moved.", panel=READING)
    ] = None,
    quiet: option.Quiet = False,
) -> None:
    """Write the page and print where it is; the help of the command is `HELP`."""
    shape = parse_image_shape(image_shape)

    from graphpac.runs.folder import RunFolder
    from graphpac.runs.reporting import report_again

    page = report_again(
        RunFolder(run),
        output=output,
        overwrite=overwrite,
        title=title,
        text_column=text_column,
        image_shape=shape,
        data=data,
        watch=watch_unless(quiet),
        tell=warn,
    )
    if not quiet:
        say(f"The report is {page}")
