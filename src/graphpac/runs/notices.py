"""Warnings of the library, collected so that a run can tell and record them."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Tell = Callable[[str], None]


@contextmanager
def collecting_warnings(tell: Tell) -> Iterator[list[str]]:
    """Tell every warning as one line as it comes, raised or logged, and gather them in a list.

    Of several inside each other the innermost hears them, and nobody else.
    """
    collected: list[str] = []

    def add(text: str) -> None:
        line = " ".join(text.split())
        if line not in collected:
            collected.append(line)
            tell(line)

    def show(message: Any, *_: Any, **__: Any) -> None:
        add(str(message))

    handler = _Passing(add)
    logger = logging.getLogger("graphpac")
    outer = [other for other in logger.handlers if isinstance(other, _Passing)]
    for other in outer:
        logger.removeHandler(other)
    logger.addHandler(handler)
    try:
        # Puts the filters and the function that shows warnings back at the end.
        with warnings.catch_warnings():
            warnings.showwarning = show
            yield collected
    finally:
        logger.removeHandler(handler)
        for other in outer:
            logger.addHandler(other)


class _Passing(logging.Handler):
    def __init__(self, add: Tell) -> None:
        super().__init__(logging.WARNING)
        self._add = add

    def emit(self, record: logging.LogRecord) -> None:
        self._add(record.getMessage())
