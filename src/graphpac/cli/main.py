"""The command ``graphpac``."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from graphpac._wording import short_path
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
from graphpac.cli._options import flag
from graphpac.cli._output import fail, say
from graphpac.exceptions import CheckpointError

FAILED = 1
STOPPED = 130  # what a shell reports after Ctrl-C
DEBUG = "--debug"

# What the library raises with a sentence for its user.
_EXPECTED = (ValueError, TypeError, OSError, MemoryError, ImportError, CheckpointError)


class Commands(TyperGroup):
    """The commands; Ctrl-C ends each of them with one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            fail(f"stopped{f': {stop}' if stop.args else ''}")
            raise typer.Exit(STOPPED) from stop


app = typer.Typer(
    cls=Commands,
    help="Graph Probability Aggregation Clustering: fuzzy clusters on a nearest-neighbor graph.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_CLUSTER, _LOOK, _MEASURE = "Cluster", "Look around", "Measure"
app.command(help=fit.HELP, rich_help_panel=_CLUSTER)(fit.fit)
app.command(help=predict.HELP, rich_help_panel=_CLUSTER)(predict.predict)
app.command(help=report.HELP, rich_help_panel=_CLUSTER)(report.report)
app.command(help=sweep.HELP, rich_help_panel=_CLUSTER)(sweep.sweep)
app.command(help=estimate.HELP, rich_help_panel=_CLUSTER)(estimate.estimate)
app.command(help=demo.HELP, rich_help_panel=_LOOK)(demo.demo)
app.add_typer(datasets.app, name="datasets", help=datasets.HELP, rich_help_panel=_LOOK)
app.command(help=info.HELP, rich_help_panel=_LOOK)(info.info)
app.command(help=bench.HELP, rich_help_panel=_MEASURE)(bench.bench)
app.command(help=reproduce.HELP, rich_help_panel=_MEASURE)(reproduce.reproduce)


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
    """Run the command; an error is one sentence on stderr and the exit code 1."""
    arguments = sys.argv[1:]
    try:
        # Typer would take it before a command only.
        app([word for word in arguments if word != DEBUG], prog_name="graphpac")
    except Exception as error:
        if DEBUG in arguments:
            raise
        fail(_sentence(error))
        sys.exit(FAILED)
    finally:
        _flush()


def _sentence(error: Exception) -> str:
    if not isinstance(error, _EXPECTED):
        return (
            f"this should not have happened ({type(error).__name__}: {error}): please report it, "
            f"with what {DEBUG} shows."
        )
    if isinstance(error, OSError) and error.filename is not None:
        return f"{short_path(error.filename)}: {error.strerror}"
    if isinstance(error, MemoryError) and not error.args:
        return "there is not enough memory."
    return str(error)


def _flush() -> None:
    """Write out what is left, quietly if nobody reads it any more."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still there would fail again when Python ends, and not quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
