"""Memberships of any rows: an average over the nearest training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, FloatMatrix, GraphKind, LocalKernel
from graphpac.graph import NeighborGraph
from graphpac.graph.searchers import Neighbors
from graphpac.graph.weights import local_scale, query_weights
from graphpac.prediction.training import TrainingData, search_blocks
from graphpac.solvers.memberships import average_memberships

# Up to this distance two rows are the same one: the product of a unit row with itself is 1 up to
# the rounding of a float32 sum.
_SAME_ROW: dict[GraphKind, float] = {"cosine": 2e-6, "euclidean": 0.0}


@dataclass(frozen=True)
class NeighborAverage:
    """Averages the memberships of the nearest training rows, weighted as in the fit.

    A row that is a training row has that row's memberships, and so has one that is at the distance
    zero from it, as rows of the same direction are under "cosine".
    """

    training: TrainingData
    memberships: sp.csr_matrix
    kind: GraphKind
    scale: float
    kernel: LocalKernel

    @classmethod
    def of(
        cls,
        training: TrainingData,
        memberships: sp.csr_matrix,
        graph: NeighborGraph,
        kernel: LocalKernel = "auto",
    ) -> NeighborAverage:
        """Weigh training rows as the local average of GPAC does in their graph."""
        return cls(training, memberships, graph.kind, local_scale(graph), kernel)

    def predict(self, X: Any) -> sp.csr_matrix:
        """Return the memberships of rows that were checked."""
        blocks = [self._place(block) for block in search_blocks(X)]
        return blocks[0] if len(blocks) == 1 else sp.vstack(blocks, format="csr")

    def _place(self, X: Any) -> sp.csr_matrix:
        known = self.training.known(X)
        old, new = np.flatnonzero(known >= 0), np.flatnonzero(known < 0)
        if not old.size:
            return self.average(self.training.neighbors(X))
        if not new.size:
            return self.memberships[known]
        averages = self.average(self.training.neighbors(X[new]))
        both = sp.vstack((self.memberships[known[old]], averages), format="csr")
        return both[np.argsort(np.concatenate((old, new)))]

    def average(self, found: Neighbors) -> sp.csr_matrix:
        """Return the memberships of rows whose nearest training rows were found."""
        return average_memberships(found.indices, self._weights(found.values), self.memberships)

    def _weights(self, values: FloatMatrix) -> FloatMatrix:
        weights = query_weights(values, self.kind, self.scale, self.kernel)
        same = same_rows(values, self.kind)
        known = same.any(axis=1)
        weights[known] = same[known] / same[known].sum(axis=1, keepdims=True, dtype=np.float32)
        return weights


def same_rows(values: FloatMatrix, kind: GraphKind) -> AnyArray:
    """Tell which of the training rows found are the new row itself, as far as it can be known."""
    if kind not in _SAME_ROW:
        return np.zeros(values.shape, dtype=np.bool_)
    return values <= _SAME_ROW[kind]
