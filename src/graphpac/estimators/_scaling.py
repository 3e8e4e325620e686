"""Features brought to one scale: learned from the training rows, applied to any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias, get_args

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix
from graphpac.graph.rows import prepare_rows, row_scale
from graphpac.graph.values import row_blocks

Scaling: TypeAlias = Literal["min-max", "standardize", "unit", "none"]
SCALINGS: tuple[str, ...] = get_args(Scaling)


@dataclass(frozen=True)
class FeatureScaling:
    """Subtracts a shift from every feature and divides by a unit, or gives rows one length."""

    shift: AnyArray
    unit: AnyArray
    row_length: float | None = None

    @classmethod
    def learned(cls, X: AnyArray, scaling: Scaling) -> Self:
        """Measure the training rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Finite numbers of any real dtype.
        scaling : {"min-max", "standardize", "unit", "none"}
            Features from 0 to 1, features of mean 0 and standard deviation 1, rows of length
            sqrt(n_features), or all as it is. A feature with one value only becomes zero.
        """
        n_samples, n_features = X.shape
        zeros = np.zeros(n_features)
        if scaling == "unit":
            return cls(zeros, np.ones(n_features), row_length=float(np.sqrt(n_features)))
        if scaling == "none":
            return cls(zeros, np.full(n_features, row_scale(X, "euclidean")))
        if scaling == "min-max":
            lowest = X.min(axis=0).astype(np.float64)
            return cls(lowest, _or_one(X.max(axis=0) - lowest))
        mean = _sum_rows(X, lambda block: block) / n_samples
        variance = _sum_rows(X, lambda block: np.square(block - mean)) / n_samples
        return cls(mean, _or_one(np.sqrt(variance)))

    def apply(self, X: AnyArray, n_jobs: int) -> FloatMatrix:
        """Copy rows to float32, scaled."""
        if self.row_length is not None:
            rows: FloatMatrix = prepare_rows(X, "cosine", n_jobs=n_jobs)
            rows *= np.float32(self.row_length)
            return rows
        scaled = np.empty(X.shape, dtype=np.float32)
        for start, block in row_blocks(X):
            scaled[start : start + block.shape[0]] = (block - self.shift) / self.unit
        return scaled


def _sum_rows(X: AnyArray, function: Callable[[AnyArray], AnyArray]) -> AnyArray:
    total = np.zeros(X.shape[1])
    for _, block in row_blocks(X):
        # In one order in memory, so that the bits do not depend on that of X.
        total += function(np.array(block, dtype=np.float64, order="C")).sum(axis=0)
    return total


def _or_one(units: AnyArray) -> AnyArray:
    return np.where(units > 0.0, units, 1.0)
