"""The rows a command is given: a file, and which part of it is meant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphpac._typing import Progress

if TYPE_CHECKING:
    from graphpac.io.readers import Table, TableShape

STANDARD_INPUT = "-"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file of rows and how to read it; the fields are the arguments of `read_table`."""

    name: str
    columns: tuple[str, ...] | None = None
    id_column: str | None = None
    text_column: str | None = None
    key: str | None = None

    @property
    def title(self) -> str:
        """What to call the rows: the name of the file, not where it is."""
        return "standard input" if self.name == STANDARD_INPUT else Path(self.name).name

    @property
    def inputs(self) -> tuple[Path, ...]:
        """What is read, and so must not be written: the file, none for standard input."""
        return () if self.name == STANDARD_INPUT else (Path(self.name),)

    def read(self, progress: Progress | None = None) -> Table:
        """Read the rows, their ids and their texts."""
        from graphpac.io.readers import read_table

        return read_table(
            self.name,
            columns=self.columns,
            id_column=self.id_column,
            text_column=self.text_column,
            key=self.key,
            progress=progress,
        )

    def describe(self) -> TableShape:
        """Find out how large the rows are, reading as little as possible."""
        from graphpac.io.readers import describe_table

        return describe_table(
            self.name, columns=self.columns, id_column=self.id_column, key=self.key
        )
