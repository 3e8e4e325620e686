"""What is asked of a file, and what is found in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from graphpac._typing import Progress
from graphpac._wording import short_path

STANDARD_INPUT = "-"


@dataclass(frozen=True, eq=False)
class Table:
    """Vectors, one per row, and what the file tells about each row.

    Attributes
    ----------
    X : array, memory map or CSR matrix of shape (n_rows, n_columns)
        Real numbers, never objects.
    ids : list of str or list of int, or None
        One per row; None where the file has none or was not asked for them.
    texts : list of str or None
        One per row, of the text column that was asked for.
    columns : tuple of str or None
        Names of the columns of X; None where they have none.
    source : str
        The file as messages name it, or "standard input".
    kept : dict of str to values
        The columns that were asked for to be kept, each a list, array or Arrow column with a value
        for each row, in the type the file has.
    """

    X: Any
    ids: list[str] | list[int] | None
    texts: list[str] | None
    columns: tuple[str, ...] | None
    source: str
    kept: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TableShape:
    """How large a table is, found out with as little reading as its format allows.

    ``is_memory_map`` tells whether `read_table` leaves the rows on disk, ``n_stored`` how many
    numbers a sparse matrix stores.
    """

    n_rows: int
    n_columns: int
    dtype: np.dtype[Any]
    is_memory_map: bool = False
    n_stored: int | None = None


@dataclass(frozen=True)
class TableRequest:
    """Which table is wanted, and which parts of it; see `read_table`."""

    source: str
    columns: tuple[str, ...] | None = None
    id_column: str | None = None
    text_column: str | None = None
    key: str | None = None
    keep_columns: tuple[str, ...] | None = None
    float_type: Any = np.float32  # what numbers become where the file does not tell

    @property
    def path(self) -> Path | None:
        """The file, or None for standard input."""
        return None if self.source == STANDARD_INPUT else Path(self.source)

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.path is None else short_path(self.source)

    @property
    def about_rows(self) -> tuple[str, ...]:
        """Columns that describe the rows and are no features."""
        named = (self.id_column, self.text_column)
        return tuple(column for column in named if column is not None)


class Reader(Protocol):
    """What the module of a format offers."""

    USES: frozenset[str]
    """The options of a request that have a meaning in this format."""

    def read(self, request: TableRequest, progress: Progress | None) -> Table:
        """Read the table."""

    def describe(self, request: TableRequest) -> TableShape:
        """Tell its size."""
