"""What a fitted estimator asks for the clusters of new rows."""

from __future__ import annotations

from typing import Any, Protocol

import scipy.sparse as sp

from graphpac._typing import IntVector


class LabelPredictor(Protocol):
    """Assigns rows that were checked to clusters, each independently of the others."""

    def labels(self, X: Any) -> IntVector:
        """Return a cluster for each row."""


class MembershipPredictor(Protocol):
    """Gives rows that were checked memberships, each independently of the others."""

    def predict(self, X: Any) -> sp.csr_matrix:
        """Return float32 memberships; rows sum to one and clusters ascend in a row."""
