"""The command ``graphpac``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from graphpac.cli import reproduce

app = typer.Typer(
    help="Graph Probability Aggregation Clustering: fuzzy clusters on a nearest-neighbor graph.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.command(help=reproduce.HELP)(reproduce.reproduce)


@app.callback()
def _options(
    context: typer.Context,
    *,
    debug: Annotated[bool, typer.Option(help="Show the whole trace of an error.")] = False,
    version: Annotated[bool, typer.Option(help="Show the version and end.")] = False,
) -> None:
    context.obj = {"debug": debug}
    if version:
        from graphpac import __version__

        typer.echo(f"graphpac {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command; an error is one sentence on stderr and the exit code 1."""
    debug = "--debug" in sys.argv
    try:
        app()
    except (ValueError, TypeError, OSError, MemoryError, ImportError) as error:
        if debug:
            raise
        typer.echo(f"graphpac: {error}", err=True)
        sys.exit(1)
