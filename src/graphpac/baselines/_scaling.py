"""Features brought to one scale: learned from the training rows, applied to any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias, get_args

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix
from graphpac.graph.rows import prepare_rows
from graphpac.graph.values import row_blocks

Scaling: TypeAlias = Literal["min-max", "standardize", "unit", "none"]
SCALINGS: tuple[str, ...] = get_args(Scaling)

# Values of this size need no other unit: even their fourth powers are numbers of float32, which
# RCC makes of rows that stay as they are.
_LARGEST_EXPONENT = 24
_SMALLEST_EXPONENT = -30


@dataclass(frozen=True)
class FeatureScaling:
    """Subtracts a shift from every feature and divides by a spread, or gives rows one length.

    Both are in units of the feature, powers of two that keep sums and squares of huge and tiny
    values inside the range of float64.
    """

    unit: AnyArray
    shift: AnyArray
    spread: AnyArray
    row_length: float | None = None

    @classmethod
    def learned(cls, X: AnyArray, scaling: Scaling) -> Self:
        """Measure the training rows.

        Features become 0 to 1 ("min-max"), of mean 0 and standard deviation 1 ("standardize"), rows
        of length sqrt(n_features) ("unit"), or all stays. A feature with one value only becomes
        zero.
        """
        n_samples, n_features = X.shape
        zeros, ones = np.zeros(n_features), np.ones(n_features)
        if scaling == "unit":
            return cls(ones, zeros, ones, row_length=float(np.sqrt(n_features)))
        lowest, highest = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
        peaks = np.maximum(np.abs(lowest), np.abs(highest))
        if scaling == "none":
            return cls(np.full(n_features, _unit_of(peaks.max())), zeros, ones)
        unit = _unit_of(peaks)
        if scaling == "min-max":
            lowest, highest = lowest / unit, highest / unit
            return cls(unit, lowest, _or_one(highest - lowest))
        mean = _sum_rows(X, lambda block: block / unit) / n_samples
        variance = _sum_rows(X, lambda block: np.square(block / unit - mean)) / n_samples
        return cls(unit, mean, _or_one(np.sqrt(variance)))

    def apply(self, X: AnyArray, n_jobs: int) -> FloatMatrix:
        """Copy rows to float32, scaled."""
        if self.row_length is not None:
            rows: FloatMatrix = prepare_rows(X, "cosine", n_jobs=n_jobs)
            rows *= np.float32(self.row_length)
            return rows
        scaled = np.empty(X.shape, dtype=np.float32)
        for start, block in row_blocks(X):
            scaled[start : start + block.shape[0]] = (block / self.unit - self.shift) / self.spread
        return scaled


def _unit_of(peaks: AnyArray) -> AnyArray:
    exponents = np.frexp(peaks)[1]
    ordinary = (peaks == 0.0) | (
        (exponents >= _SMALLEST_EXPONENT) & (exponents <= _LARGEST_EXPONENT)
    )
    return np.ldexp(1.0, np.where(ordinary, 0, exponents - 1))


def _sum_rows(X: AnyArray, function: Callable[[AnyArray], AnyArray]) -> AnyArray:
    total = np.zeros(X.shape[1])
    for _, block in row_blocks(X):
        # In one order in memory, so that the bits do not depend on that of X.
        total += function(np.array(block, dtype=np.float64, order="C")).sum(axis=0)
    return total


def _or_one(spreads: AnyArray) -> AnyArray:
    return np.where(spreads > 0.0, spreads, 1.0)
