"""Rows that arrive in blocks, nobody knows how many."""

from __future__ import annotations

import numpy as np

from graphpac._typing import FloatMatrix
from graphpac.io.readers.faults import allocate

_GROWTH = 1.25


class GrowingRows:
    """A matrix that grows in place; without ``n_columns`` the first of its rows decides.

    Joining blocks at the end would take the memory of all rows twice. An array that is resized
    keeps its pages on most systems, and after a good guess it never has to be: pages nobody has
    written to take no memory.
    """

    def __init__(self, n_columns: int | None, expected_rows: int, name: str) -> None:
        self._rows: FloatMatrix | None = None
        self._expected_rows = expected_rows
        self._name = name
        self.n_columns = n_columns
        self.n_rows = 0

    def add(self, block: FloatMatrix) -> None:
        """Append a copy of some rows."""
        stop = self.n_rows + block.shape[0]
        if self._rows is None:
            self.n_columns = block.shape[1]
            shape = (max(stop, self._expected_rows), self.n_columns)
            self._rows = allocate(shape, block.dtype, self._name)
        elif stop > self._rows.shape[0]:
            _resize(self._rows, max(stop, int(_GROWTH * self._rows.shape[0])), self._name)
        self._rows[self.n_rows : stop] = block
        self.n_rows = stop

    def finish(self) -> FloatMatrix:
        """Give the matrix away, without the room that was left."""
        if self._rows is None:
            return np.empty((0, self.n_columns or 0), dtype=np.float32)
        _resize(self._rows, self.n_rows, self._name)
        return self._rows


def _resize(rows: FloatMatrix, n_rows: int, name: str) -> None:
    try:
        # No view of the array ever leaves the class before it has its final size.
        rows.resize((n_rows, rows.shape[1]), refcheck=False)
    except MemoryError as error:
        msg = (
            f"{name} has more than {rows.shape[0]} rows, for which there is not enough memory: "
            "read fewer columns, or keep the rows in an .npy file, which is not read as a whole."
        )
        raise MemoryError(msg) from error
