"""Linear heads: maps from rows to logits of clusters, several side by side, improved by Adam.

Logits have the shape (n_heads, n_clusters, n_rows): what is done along the clusters, which are few,
then runs over many rows at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from graphpac._threads import Workers
from graphpac._typing import AnyArray, FloatMatrix, FloatVector
from graphpac.solvers.memberships import sparse_memberships
from graphpac.solvers.row_blocks import exact_block, map_blocks, sum_blocks

_MOMENTUM, _SQUARE_MEMORY, _SMALLEST = 0.9, 0.999, 1e-8  # as the authors of Adam propose
_BIAS_SHARE = 0.1  # of the rate of the logits; from 0.02 to 0.2 results hardly change


@dataclass(frozen=True)
class LinearHead:
    """One head; the memberships of a row x are softmax(W x + b)."""

    weights: FloatMatrix
    biases: FloatVector

    def memberships(self, rows: Any, workers: Workers) -> sp.csr_matrix:
        """Compute the memberships of rows, each independently of the others."""
        # In single precision the sums of a product depend on the number of rows in it.
        weights, biases = self.weights.astype(np.float64), self.biases.astype(np.float64)

        def block_memberships(block: slice) -> sp.csr_matrix:
            logits = exact_block(rows, block) @ weights.T + biases
            return sparse_memberships(softmax(logits, axis=1)[0])

        found = map_blocks(block_memberships, rows.shape[0], max(weights.shape), workers)
        return found[0] if len(found) == 1 else sp.vstack(found, format="csr")


@dataclass(frozen=True)
class RowMoments:
    """The mean of rows, and the mean of sum_f |x_f - mean_f|, or one where rows are all alike."""

    mean: FloatVector
    deviation: float

    @classmethod
    def of(cls, rows: Any, workers: Workers) -> Self:
        """Measure rows, an array or a CSR matrix."""
        n_samples, n_features = rows.shape

        def total(block: slice) -> AnyArray:
            return np.asarray(exact_block(rows, block).sum(axis=0)).ravel()

        mean = sum_blocks(total, n_samples, n_features, workers) / n_samples

        def deviations(block: slice) -> AnyArray:
            chosen = exact_block(rows, block)
            if not sp.issparse(chosen):
                return np.asarray(np.abs(chosen - mean).sum())
            # Each stored entry takes the place of a zero, whose deviation is |mean_f|.
            means = mean[chosen.indices]
            of_zeros = chosen.shape[0] * np.abs(mean).sum()
            return np.asarray(of_zeros + (np.abs(chosen.data - means) - np.abs(means)).sum())

        deviation = float(sum_blocks(deviations, n_samples, n_features, workers)) / n_samples
        of_rounding = np.finfo(np.float32).eps * np.abs(mean).sum()
        return cls(mean.astype(np.float32), deviation if deviation > of_rounding else 1.0)


class HeadTrainer:
    """Heads of one shape under training.

    Rows are seen from their mean, without a copy of them: W (x - mean) + b = W x + (b - W mean).
    Weights are measured against the deviation of the rows, so that a step of rate r moves the
    logits of an average row by about r at most, whatever the scale and number of the features.
    """

    def __init__(
        self, weights: AnyArray, biases: AnyArray, n_heads: int, moments: RowMoments
    ) -> None:
        """Take over weights of shape (n_heads * n_clusters, n_features), and as many biases."""
        self._n_heads = n_heads
        self._row_mean = moments.mean
        # The last column holds the biases.
        self._parameters: FloatMatrix = np.column_stack((weights, biases)).astype(np.float32)
        n_features = weights.shape[1]
        units = np.append(np.full(n_features, 1.0 / moments.deviation), _BIAS_SHARE)
        self._units: FloatVector = units.astype(np.float32)
        self._mean = np.zeros_like(self._parameters)
        self._mean_square = np.zeros_like(self._parameters)
        self._n_steps = 0

    @classmethod
    def at_random(
        cls, generators: list[np.random.Generator], n_clusters: int, moments: RowMoments
    ) -> Self:
        """Begin one head with each generator; its logits are small, so that clusters share rows."""
        shape = (n_clusters, moments.mean.size)
        drawn = [rng.standard_normal(shape) / moments.deviation for rng in generators]
        weights = np.concatenate(drawn)
        return cls(weights, np.zeros(weights.shape[0]), len(generators), moments)

    @classmethod
    def at_head(cls, head: LinearHead, moments: RowMoments) -> Self:
        """Begin at a head that was trained before."""
        # Not by matmul: of rows this short BLAS reads beyond the end, and warns of what is there.
        at_mean = np.sum(head.weights * moments.mean, axis=1)
        return cls(head.weights, head.biases + at_mean, 1, moments)

    def logits(self, rows: Any) -> FloatMatrix:
        """Return logits of shape (n_heads, n_clusters, n_rows)."""
        weights, biases = self._for_rows()
        products = np.ascontiguousarray(weights @ rows.T)
        products += biases[:, np.newaxis]
        return products.reshape(self._n_heads, -1, rows.shape[0])

    def step(self, rows: Any, gradients: FloatMatrix, rate: float) -> None:
        """Make a step of Adam, given the derivatives of a loss by the logits of the rows."""
        slopes = self._units * self._slopes(rows, gradients)
        self._n_steps += 1
        self._mean += (1.0 - _MOMENTUM) * (slopes - self._mean)
        self._mean_square += (1.0 - _SQUARE_MEMORY) * (slopes**2 - self._mean_square)
        # Both averages began at zero, and are too small by these factors still.
        mean = self._mean / (1.0 - _MOMENTUM**self._n_steps)
        mean_square = self._mean_square / (1.0 - _SQUARE_MEMORY**self._n_steps)
        self._parameters -= rate * self._units * mean / (np.sqrt(mean_square) + _SMALLEST)

    def heads(self) -> list[LinearHead]:
        """Return the heads as they are now."""
        weights, biases = self._for_rows()
        return [
            LinearHead(np.ascontiguousarray(own_weights), own_biases)
            for own_weights, own_biases in zip(
                np.split(weights, self._n_heads), np.split(biases, self._n_heads), strict=True
            )
        ]

    def _for_rows(self) -> tuple[FloatMatrix, FloatVector]:
        """Return weights and biases that apply to rows not seen from their mean."""
        weights = self._parameters[:, :-1]
        return weights, self._parameters[:, -1] - weights @ self._row_mean

    def _slopes(self, rows: Any, gradients: FloatMatrix) -> FloatMatrix:
        """dL/dW = sum_i g_i (x_i - mean)', dL/db = sum_i g_i."""
        by_row = gradients.reshape(-1, rows.shape[0])
        totals = by_row.sum(axis=1)
        return np.column_stack((by_row @ rows - np.outer(totals, self._row_mean), totals))


def decayed(rate: float, step: int, n_steps: int) -> float:
    """Lower a rate toward zero along half a wave of the cosine, over steps 0 to n_steps - 1."""
    return rate * 0.5 * (1.0 + float(np.cos(np.pi * step / n_steps)))


def softmax(logits: AnyArray, *, axis: int) -> tuple[AnyArray, AnyArray]:
    """Return exp(z_l) / sum_k exp(z_k), and log sum_k exp(z_k) without the axis of the sum."""
    peaks = logits.max(axis=axis, keepdims=True)
    shares: AnyArray = np.exp(logits - peaks)
    sums = shares.sum(axis=axis, keepdims=True)
    shares /= sums
    log_sums: AnyArray = (peaks + np.log(sums)).squeeze(axis)
    return shares, log_sums
