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


def _show_version(asked: bool) -> None:
    if asked:
        from graphpac import __version__

        typer.echo(f"graphpac {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show the trace of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command; an error is one sentence on stderr and the exit code 1."""
    try:
        app()
    except (ValueError, TypeError, OSError, MemoryError, ImportError) as error:
        if "--debug" in sys.argv:
            raise
        typer.echo(f"graphpac: {error}", err=True)
        sys.exit(1)
