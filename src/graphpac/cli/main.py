"""The command ``graphpac``."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from graphpac.cli import (
    bench,
    datasets,
    demo,
    estimate,
    fit,
    info,
    predict,
    report,
    reproduce,
    sweep,
)
from graphpac.cli._command import DEBUG, WRONG_USE, Command
from graphpac.cli._help import HELP_NAMES, Group, help_asked_for
from graphpac.cli._options import flag
from graphpac.cli._output import say

app = typer.Typer(
    help="Graph Probability Aggregation Clustering: fuzzy clusters on a nearest-neighbor graph.",
    no_args_is_help=True,
    cls=Group,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": [*HELP_NAMES]},
)
PROGRAM = "graphpac"
_COMPLETE = "_GRAPHPAC_COMPLETE"  # set by shells that want to know what may come next
_CLUSTER, _LOOK, _MEASURE = "Cluster", "Look around", "Measure"
app.command(cls=Command, help=fit.HELP, rich_help_panel=_CLUSTER)(fit.fit)
app.command(cls=Command, help=predict.HELP, rich_help_panel=_CLUSTER)(predict.predict)
app.command(cls=Command, help=report.HELP, rich_help_panel=_CLUSTER)(report.report)
app.command(cls=Command, help=sweep.HELP, rich_help_panel=_CLUSTER)(sweep.sweep)
app.command(cls=Command, help=estimate.HELP, rich_help_panel=_CLUSTER)(estimate.estimate)
app.command(cls=Command, help=demo.HELP, rich_help_panel=_LOOK)(demo.demo)
app.add_typer(datasets.app, name="datasets", help=datasets.HELP, rich_help_panel=_LOOK)
app.command(cls=Command, help=info.HELP, rich_help_panel=_LOOK)(info.info)
app.command(cls=Command, help=bench.HELP, rich_help_panel=_MEASURE)(bench.bench)
app.command(cls=Command, help=reproduce.HELP, rich_help_panel=_MEASURE)(reproduce.reproduce)


def _show_version(asked: bool) -> None:
    if asked:
        from graphpac import __version__

        say(f"graphpac {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    debug: Annotated[
        bool, flag(DEBUG, about="Show the trace of an error; also after a command.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            metavar="",
            help="Show the version.",
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command."""
    arguments = [word for word in sys.argv[1:] if word != DEBUG]
    if arguments and DEBUG in sys.argv:
        arguments.insert(0, DEBUG)  # typer would not take it after a command
    try:
        shown = None if _COMPLETE in os.environ else help_asked_for(app, arguments, PROGRAM)
        if shown is None:
            app(arguments, prog_name=PROGRAM)
        else:
            _show(shown)
            sys.exit(WRONG_USE if set(HELP_NAMES).isdisjoint(arguments) else 0)
    finally:
        _flush()


def _show(text: str) -> None:
    with suppress(BrokenPipeError):
        sys.stdout.write(f"{text}\n")


def _flush() -> None:
    """Write out what is left, quietly if nobody reads it any more."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still there would fail again when Python ends, and not quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
