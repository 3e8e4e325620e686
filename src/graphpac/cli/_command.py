"""How a command ends: warnings as they come, an error as one sentence, and an exit code."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

from graphpac._wording import short_path
from graphpac.cli._help import write_options
from graphpac.cli._output import fail, warn
from graphpac.cli._translation import options_of
from graphpac.exceptions import CheckpointError, ParameterError

FAILED = 1
WRONG_USE = 2
STOPPED = 130  # what a shell reports after Ctrl-C
DEBUG = "--debug"

# What the library raises with a sentence for its user.
_EXPECTED = (ValueError, TypeError, OSError, MemoryError, ImportError, CheckpointError)
# Of these, with a sentence of ours, an argument is the cause: it names what cannot be used.
_WRONG_PATHS = (
    FileExistsError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
)


class Command(TyperCommand):
    """One command."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the part of the help that lists options."""
        write_options(self, ctx, formatter)

    def invoke(self, ctx: Any) -> Any:
        """Run it."""
        from graphpac.runs.notices import collecting_warnings

        with options_of(self.params):
            try:
                with collecting_warnings(warn):
                    return super().invoke(ctx)
            except KeyboardInterrupt as stop:
                fail(f"stopped{f': {stop}' if stop.args else ''}")
                raise typer.Exit(STOPPED) from stop
            except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
                raise
            except Exception as error:
                if ctx.find_root().params["debug"]:
                    raise
                fail(_sentence(error))
                raise typer.Exit(WRONG_USE if _is_wrong_use(error) else FAILED) from error


def _is_wrong_use(error: Exception) -> bool:
    """Tell whether another command line, and not another try, is what helps."""
    if isinstance(error, _WRONG_PATHS):
        return error.errno is None  # else it is the system that speaks, amid the work
    return isinstance(error, ParameterError)


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
