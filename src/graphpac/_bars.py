"""Bars that tell how far a stage of work is: on a terminal or in a notebook, nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graphpac._typing import Progress


def make_bar() -> Any:
    """Make rich's progress display on standard error; None where nobody would see it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        return None
    return Bar(
        TextColumn("{task.description:>8}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        speed_estimate_period=3600.0,  # seconds: a step may take minutes
        redirect_stdout=sys.stdout.isatty(),  # what goes to a file must not end up beside the bar
    )


@contextmanager
def bar_of(stage: str) -> Iterator[Progress]:
    """Show the bar of one stage; the function given tells how much of it is done."""
    bar = make_bar()
    if bar is None:
        yield lambda _done, _total: None
        return
    with bar:
        task = bar.add_task(stage, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
        bar.update(task, completed=1, total=1)
