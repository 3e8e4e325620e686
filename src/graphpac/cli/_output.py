"""What the commands print: sentences, tables, JSON; the result to stdout, all else to stderr."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from graphpac._wording import escaped
from graphpac.cli._translation import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from graphpac.planning import Estimate
    from graphpac.runs.watch import Watch

WIDTH_OF_A_FILE = 160  # what is not a terminal has no width, and would get that of an old one


def say(text: str) -> None:
    """Print a sentence, or lines, to stdout, however long, at once."""
    # Not by typer, which would write past a bar that is being shown and into its line.
    sys.stdout.write("\n".join(map(escaped, text.split("\n"))) + "\n")
    sys.stdout.flush()


def warn(text: str) -> None:
    """Print a warning as one line to stderr."""
    fail(f"warning: {text}")


def fail(text: str) -> None:
    """Print an error as one line to stderr."""
    sys.stderr.write(f"graphpac: {escaped(in_options(' '.join(text.split())))}\n")


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object to stdout."""
    typer.echo(json.dumps(value, indent=2))


def print_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, words: Container[int] = (0,)
) -> None:
    """Print a table to stdout; ``words`` are the columns whose cells stand at the left."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for place, name in enumerate(head):
        table.add_column(name, justify="left" if place in words else "right", overflow="fold")
    for row in rows:
        # Names from files are no markup, and no commands for the terminal.
        table.add_row(*(Text(escaped(cell)) for cell in row))
    console().print(table)


def print_plan(plan: Estimate, *, json: bool) -> None:
    """Print what a fit would take; end with the code of failed work if there is no room for it."""
    from graphpac.runs.plan import fits, plan_facts, plan_verdict

    if json:
        print_json(plan_facts(plan))
    else:
        head, *lines = plan.to_table()
        say(f"{plan.title}\n")
        print_table(head, lines, words=(0, 3))
        say(f"\n{plan_verdict(plan)}")
    if not fits(plan):
        raise typer.Exit(1)


def watch_unless(quiet: bool) -> Watch:
    """Return what shows the stages of some work: bars on a terminal, unless asked to be quiet."""
    from graphpac._bars import bar_of
    from graphpac.runs.watch import unwatched

    return unwatched if quiet else bar_of


@contextmanager
def lines_unless(quiet: bool, package: str) -> Iterator[None]:
    """Print what a package logs to stderr where nobody sees bars, unless asked to be quiet."""
    from graphpac._bars import make_bar

    if quiet or make_bar() is not None:
        yield
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("graphpac: %(message)s"))
    handler.addFilter(lambda record: record.levelno < logging.WARNING)  # warnings have their way
    logger = logging.getLogger(package)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


def console() -> Console:
    """Return rich's console on stdout."""
    from rich.console import Console

    wide = not (sys.stdout.isatty() or os.environ.get("COLUMNS"))
    return Console(width=WIDTH_OF_A_FILE if wide else None)
