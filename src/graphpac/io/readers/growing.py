"""Rows that arrive in blocks, nobody knows how many."""

from __future__ import annotations

import numpy as np

from graphpac._typing import FloatMatrix
from graphpac.io.readers.faults import allocate

_GROWTH = 1.25


class GrowingRows:
    """A matrix that grows in place.

    Joining blocks at the end would take the memory of all rows twice. An array that is resized
    keeps its pages on most systems, and after a good guess it never has to be: pages nobody has
    written to take no memory.
    """

    def __init__(self, n_columns: int, expected_rows: int, name: str) -> None:
        self._rows: FloatMatrix = allocate((expected_rows, n_columns), np.float32, name)
        self._name = name
        self.n_rows = 0

    def add(self, block: FloatMatrix) -> None:
        """Append a copy of some rows."""
        stop = self.n_rows + block.shape[0]
        if stop > self._rows.shape[0]:
            self._resize(max(stop, int(_GROWTH * self._rows.shape[0])))
        self._rows[self.n_rows : stop] = block
        self.n_rows = stop

    def finish(self) -> FloatMatrix:
        """Give the matrix away, without the room that was left."""
        self._resize(self.n_rows)
        return self._rows

    def _resize(self, n_rows: int) -> None:
        try:
            # No view of the array ever leaves this class before it has its final size.
            self._rows.resize((n_rows, self._rows.shape[1]), refcheck=False)
        except MemoryError as error:
            msg = (
                f"{self._name} has more than {self.n_rows} rows, for which there is not enough "
                "memory: read fewer columns, or keep the rows in an .npy file, which is not read "
                "as a whole."
            )
            raise MemoryError(msg) from error
