"""The first hard labels V and memberships P."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Cost
from graphpac._typing import AnyArray, IntVector
from graphpac.graph import NeighborGraph
from graphpac.graph.copies import merge_copies
from graphpac.graph.data_size import DataSize
from graphpac.solvers.memberships import largest_membership
from graphpac.solvers.seeding import (
    hop_seed_labels,
    hop_seeding_cost,
    seed_labels,
    seeding_cost,
    smoothed_seed_labels,
    smoothed_seeding_cost,
)

NamedStart: TypeAlias = Literal["smoothed", "k-means++", "random", "zeros"]


@dataclass(frozen=True, slots=True)
class Start:
    """Hard labels, -1 for none, and memberships, None for the uniform 1/c of Eq. 43."""

    hard_labels: IntVector
    memberships: sp.csr_matrix | None = None

    def of(self, samples: IntVector) -> Start:
        """Return the start of some samples, in their order."""
        memberships = None if self.memberships is None else self.memberships[samples]
        return Start(self.hard_labels[samples], memberships)


def make_start(
    init: NamedStart | AnyArray | sp.csr_matrix,
    n_clusters: int,
    *,
    rows: Any,
    graph: NeighborGraph,
    rng: np.random.Generator,
    n_jobs: int = 1,
) -> Start:
    """Make a start from its name, from labels or from memberships, already checked.

    Parameters
    ----------
    init : str, int array of shape (n_samples,) or CSR matrix of shape (n_samples, n_clusters)
        "k-means++": nearest of the seeds of k-means++, as published. "smoothed": a few steps of
        k-means on rows averaged over the graph, which starts fewer runs off on a bad track.
        "random": any cluster. "zeros": no hard labels. Labels: as given. Memberships: as given,
        with their largest entry as hard label.
    rows : float32 array, CSR matrix or None
        Prepared samples, of equal ones the first; None when only the graph is known, and seeds
        then lie hops apart.
    """
    if sp.issparse(init):
        memberships = sp.csr_matrix(init, dtype=np.float32)
        return Start(largest_membership(memberships)[0], memberships)
    if not isinstance(init, str):
        return Start(np.asarray(init, dtype=np.int32))
    n_samples = graph.n_samples
    if init == "zeros":
        return Start(np.full(n_samples, -1, dtype=np.int32))
    if init == "random":
        return Start(rng.integers(n_clusters, size=n_samples, dtype=np.int32))
    graph, copies = merge_copies(graph)
    if graph.n_samples <= n_clusters:
        labels = np.arange(graph.n_samples, dtype=np.int32)  # more seeds than places for them
    elif rows is None:
        labels = hop_seed_labels(graph, n_clusters, rng)
    elif init == "smoothed":
        labels = smoothed_seed_labels(rows, graph, n_clusters, rng, n_jobs)
    else:
        labels = seed_labels(rows, n_clusters, rng, n_jobs)
    return Start(labels[copies.numbers])


def start_cost(
    init: str, size: DataSize, n_clusters: int, n_within_hop: float, n_jobs: int
) -> Cost:
    """Tell what a start of a name takes; any other name stands for a start that is given."""
    if init not in {"smoothed", "k-means++"}:
        return Cost({}, 0.0)
    if not size.has_rows:
        return hop_seeding_cost(size.n_samples, n_clusters, n_within_hop)
    if init == "smoothed":
        return smoothed_seeding_cost(size, n_clusters, n_within_hop, n_jobs)
    return seeding_cost(size, n_clusters, n_jobs)
