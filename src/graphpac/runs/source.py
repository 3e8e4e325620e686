"""The rows a command is given: a file or folder, and which part of it is meant."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphpac._typing import Progress

if TYPE_CHECKING:
    from graphpac.io.readers import Table, TableShape

STANDARD_INPUT = "-"


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where rows are and how to read them; the fields are the arguments of `read_table`."""

    name: str
    columns: tuple[str, ...] | None = None
    id_column: str | None = None
    text_column: str | None = None
    key: str | None = None
    keep_columns: tuple[str, ...] | None = None

    @property
    def title(self) -> str:
        """What to call the rows: the name of the file, not where it is."""
        if self.name == STANDARD_INPUT:
            return "standard input"
        return Path(self.name).name or Path(self.name).resolve().name  # "." has no name

    @property
    def inputs(self) -> tuple[Path, ...]:
        """What is read, and so must not be written: a file or folder, or standard input: none."""
        return () if self.name == STANDARD_INPUT else (Path(self.name),)

    def read(self, progress: Progress | None = None) -> Table:
        """Read the rows, their ids and their texts."""
        from graphpac.io.readers import read_table

        arguments = asdict(self)
        return read_table(arguments.pop("name"), **arguments, progress=progress)

    def describe(self) -> TableShape:
        """Find out how large the rows are, reading as little as possible."""
        from graphpac.io.readers import describe_table

        return describe_table(
            self.name, columns=self.columns, id_column=self.id_column, key=self.key
        )
