"""What a balanced cut divides: the samples themselves, or anchors that stand for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, Metric
from graphpac.fitting.run import Connected
from graphpac.prediction.average import NeighborAverage
from graphpac.prediction.predictors import MembershipPredictor
from graphpac.prediction.training import TrainingRows, neighbors_in_blocks
from graphpac.solvers.anchors import anchor_graph, spread_to_anchors
from graphpac.solvers.balanced import BalancedCut


@dataclass(frozen=True)
class SampleGraph:
    """A cut of the graph of all samples."""

    cut: BalancedCut
    connected: Connected

    def start(self, memberships: AnyArray) -> AnyArray:
        """Turn memberships of samples into those of what is cut."""
        return memberships

    def finish(self, memberships: sp.csr_matrix) -> tuple[sp.csr_matrix, MembershipPredictor]:
        """Turn memberships of what is cut into those of samples, of the fit and new."""
        graph, _, training = self.connected
        return memberships, NeighborAverage.of(training, memberships, graph)


@dataclass(frozen=True)
class AnchorGraph:
    """A cut of the graph of anchors, linked by the samples that are mixtures of both."""

    cut: BalancedCut
    anchors: TrainingRows
    metric: Metric
    mixtures: sp.csr_array

    def start(self, memberships: AnyArray) -> AnyArray:
        """Turn memberships of samples into those of what is cut."""
        return spread_to_anchors(self.mixtures, memberships)

    def finish(self, memberships: sp.csr_matrix) -> tuple[sp.csr_matrix, MembershipPredictor]:
        """Turn memberships of what is cut into those of samples, of the fit and new."""
        predictor = AnchorMixture(self.anchors, memberships, self.metric)
        return predictor.memberships_of(self.mixtures), predictor


@dataclass(frozen=True)
class AnchorMixture:
    """Gives a row the memberships of its nearest anchors, mixed as the row is mixed of them."""

    anchors: TrainingRows
    memberships: sp.csr_matrix
    metric: Metric

    def predict(self, X: Any) -> sp.csr_matrix:
        """Return the memberships of rows that were checked."""
        n_anchors = self.memberships.shape[0]
        return self.memberships_of(mix_anchors(self.anchors, X, self.metric, n_anchors))

    def memberships_of(self, mixtures: sp.csr_array) -> sp.csr_matrix:
        """Return the memberships of mixtures of anchors."""
        mixed = sp.csr_matrix(mixtures @ self.memberships)
        mixed.sort_indices()
        return mixed.astype(np.float32)


def mix_anchors(anchors: TrainingRows, X: Any, metric: Metric, n_anchors: int) -> sp.csr_array:
    """Write every row as a mixture of its nearest anchors."""
    blocks = [anchor_graph(found, metric, n_anchors) for found in neighbors_in_blocks(anchors, X)]
    return sp.vstack(blocks, format="csr")
