"""What a run leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import scipy.sparse as sp

from graphpac._typing import IntVector


@dataclass(frozen=True, slots=True)
class IterationRecord:
    """One pass over all samples.

    ``change`` is the mean L1 change of a row of memberships, ``cluster_sizes`` counts the samples
    whose largest membership is in each cluster, ``dropped_mass`` is the mean share of a row that
    was too small to keep. A callback may call ``labels()`` for the cluster of each sample as it is
    then; in the history it is None.
    """

    iteration: int
    local_weight: float
    change: float
    seconds: float
    cluster_sizes: tuple[int, ...]
    dropped_mass: float
    labels: Callable[[], IntVector] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SolverResult:
    """Memberships (rows sum to one), hard labels V, and how they came about."""

    memberships: sp.csr_matrix
    hard_labels: IntVector
    history: tuple[IterationRecord, ...]
    converged: bool
    n_hops: int
    batch_size: int
    dropped_mass: float
    objective: float
