"""Rows measured from their mean, for methods that form squared distances out of products.

|x|² − 2 x·v + |v|² loses what distances are about as soon as rows lie much farther from zero than
from each other. Distances do not depend on where zero is, so it is moved to the mean, and that in
float64, before rows are rounded to float32.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from graphpac._threads import map_in_threads
from graphpac._typing import AnyArray, Metric
from graphpac.graph.rows import Rows, prepare_rows, row_scale

_BLOCK_ENTRIES = 1 << 16
_LARGEST_SQUARE = 2.0**800  # of a unit: leaves room for sums of the squares of any number of rows


@dataclass(frozen=True)
class RowFrame:
    """Where rows are measured from and in which unit: row = X / scale − origin.

    There is no origin where rows cannot move: unit rows would lose their length, sparse rows their
    zeros.
    """

    metric: Metric
    scale: float
    origin: AnyArray | None

    @classmethod
    def of(cls, X: Any, metric: Metric) -> Self:
        """Choose the frame of training rows; every row compared with them must be put into it."""
        scale = row_scale(X, metric)
        if metric == "cosine" or sp.issparse(X):
            return cls(metric, scale, None)
        total = np.zeros(X.shape[1])
        for first in _block_starts(X):
            total += _exact_block(X, first, scale).sum(axis=0)
        return cls(metric, scale, total / X.shape[0])

    @property
    def squared_unit(self) -> float:
        """What makes squared distances of rows those of X; 1 where float64 could not hold them."""
        square = self.scale * self.scale
        return square if 1.0 / _LARGEST_SQUARE < square < _LARGEST_SQUARE else 1.0

    def rows(self, X: Any, n_jobs: int = 1) -> Rows:
        """Copy rows into the frame, as float32; X is read in blocks and never changed."""
        if self.origin is None:
            return prepare_rows(X, self.metric, scale=self.scale, n_jobs=n_jobs)
        if sp.issparse(X):
            X = X.toarray()
        rows = np.empty(X.shape, dtype=np.float32)

        def fill(first: int) -> None:
            block = _exact_block(X, first, self.scale)
            rows[first : first + len(block)] = block - self.origin

        map_in_threads(fill, _block_starts(X), n_jobs)
        return rows

    def points(self, rows: AnyArray) -> AnyArray:
        """Take rows of the frame, such as centers, back to where X is."""
        moved: AnyArray = rows if self.origin is None else rows + self.origin
        limit = sys.float_info.max / self.scale  # rows next to it are rounded beyond
        return np.clip(moved, -limit, limit) * self.scale


def _block_starts(X: Any) -> range:
    return range(0, X.shape[0], _step(X))


def _step(X: Any) -> int:
    return max(1, _BLOCK_ENTRIES // max(1, int(X.shape[1])))


def _exact_block(X: Any, first: int, scale: float) -> AnyArray:
    # C-ordered, so that a sum over it has the same bits from C or Fortran order.
    return np.array(X[first : first + _step(X)], dtype=np.float64, order="C") / scale
