"""Labels of any rows: a vote of the nearest training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphpac._typing import AnyArray, IntVector
from graphpac.graph import NeighborGraph
from graphpac.prediction.average import NeighborAverage
from graphpac.prediction.training import TrainingData
from graphpac.solvers.memberships import certain_memberships, largest_membership


@dataclass(frozen=True)
class NeighborVote:
    """Gives a row the label most of its nearest training rows have, weighted by their nearness.

    A row that is a training row keeps that row's label.
    """

    averages: NeighborAverage

    @classmethod
    def of(cls, training: TrainingData, labels: AnyArray, graph: NeighborGraph) -> NeighborVote:
        """Let the training rows vote with the kernel of GPAC's local weights."""
        memberships = certain_memberships(labels, int(labels.max()) + 1)
        return cls(NeighborAverage.of(training, memberships, graph))

    def labels(self, X: Any) -> IntVector:
        """Return a cluster for each row."""
        return largest_membership(self.averages.predict(X))[0]
