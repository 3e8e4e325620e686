"""How a long piece of work lets itself be watched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from graphpac._typing import Progress


class Watch(Protocol):
    """Shows the stages of some work, such as `graphpac._bars.bar_of`."""

    def __call__(self, stage: str) -> AbstractContextManager[Progress]:
        """Begin a stage; the function given is told how much is done, and of how much."""


@contextmanager
def unwatched(stage: str) -> Iterator[Progress]:  # noqa: ARG001
    """Show nothing."""
    yield lambda _done, _total: None
