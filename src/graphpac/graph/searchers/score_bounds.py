"""What a matrix product of float32 rows says for certain about the keys of exact search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphpac._typing import FloatVector, Metric

_ROUNDING = 2.0**-24


@dataclass(frozen=True, slots=True)
class ScoreBounds:
    """Bounds of what pairs are ranked by: factor * product + a term of each of both rows.

    Under "euclidean" that is the square of the key, otherwise the key itself.
    """

    metric: Metric
    n_features: int

    @property
    def factor(self) -> float:
        """What products are multiplied with."""
        return -2.0 if self.metric == "euclidean" else -1.0

    def lower_terms(self, squares: FloatVector) -> FloatVector:
        """Terms of rows of these squared lengths, with which no key is less."""
        return self._terms(squares) - self._slack * squares

    def upper_terms(self, squares: FloatVector) -> FloatVector:
        """Terms with which no key is more."""
        return self._terms(squares) + self._slack * squares

    def limits(self, keys: FloatVector) -> FloatVector:
        """Return what bounds are compared with in place of keys."""
        if self.metric != "euclidean":
            return keys.copy()
        # Keys are roots; the factor covers the rounding of the root.
        return keys * (keys * np.float32(1.0 + 8.0 * _ROUNDING))

    @property
    def _slack(self) -> np.float32:
        # A sum of d rounded products is off by at most d roundings of |x| |y|, which is at most
        # (|x|^2 + |y|^2) / 2; the exact kernel and the squared lengths add as much again.
        slack = np.float32(2.0 * (self.n_features + 16) * _ROUNDING)
        return slack * np.float32(2.0) if self.metric == "euclidean" else slack

    def _terms(self, squares: FloatVector) -> FloatVector:
        if self.metric == "euclidean":
            return squares
        # Of the one that products are taken from, each row has a half.
        return np.full_like(squares, 0.5 if self.metric == "cosine" else 0.0)
