"""The edges that hold representatives together, and their matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import (
    connected_components,
    minimum_spanning_tree,
    reverse_cuthill_mckee,
)

from graphpac._threads import Workers
from graphpac._typing import AnyArray, BoolVector, FloatMatrix, IntVector
from graphpac.graph import NeighborGraph
from graphpac.kernels.distances import EUCLIDEAN, measure_pairs
from graphpac.solvers.row_blocks import map_blocks

_STORED_ZERO = 1e-12  # scipy's spanning trees take a distance of zero for no edge


class Edges(NamedTuple):
    """Pairs of samples, each pair once and with the smaller number first."""

    first: IntVector
    second: IntVector
    n_samples: int

    @property
    def weights(self) -> AnyArray:
        """w_pq = mean(N) / sqrt(N_p N_q), with N the number of edges of a sample."""
        ends = np.concatenate((self.first, self.second))
        degrees = np.bincount(ends, minlength=self.n_samples).astype(np.float64)
        weights: AnyArray = degrees.mean() / np.sqrt(degrees[self.first] * degrees[self.second])
        return weights

    def lengths(self, rows: FloatMatrix, workers: Workers) -> AnyArray:
        """Euclidean distance of the two rows of every edge."""
        out = np.empty((self.first.size, 1), dtype=np.float32)

        def measure_block(block: slice) -> None:
            ends = self.second[block, np.newaxis]
            measure_pairs(rows, rows[self.first[block]], ends, EUCLIDEAN, out[block])

        map_blocks(measure_block, self.first.size, rows.shape[1], workers)
        return out[:, 0].astype(np.float64)

    def laplacian(self, weights: AnyArray) -> sp.csr_array:
        """Degrees on the diagonal minus the weights of the edges, so that rows sum to zero."""
        adjacency = self._adjacency(weights)
        return sp.csr_array(sp.diags_array(adjacency.sum(axis=1)) - adjacency)

    def order(self) -> IntVector:
        """Order samples so that connected ones are close to each other."""
        adjacency = self._adjacency(np.ones(self.first.size, dtype=np.int8))
        found: IntVector = reverse_cuthill_mckee(adjacency, symmetric_mode=True)
        return found

    def components(self, chosen: BoolVector) -> tuple[int, IntVector]:
        """Count and number the parts that the chosen edges connect."""
        some = Edges(self.first[chosen], self.second[chosen], self.n_samples)
        adjacency = some._adjacency(np.ones(some.first.size, dtype=np.int8))
        n_parts, parts = connected_components(adjacency, directed=False)
        return int(n_parts), parts.astype(np.int32)

    def _adjacency(self, values: AnyArray) -> sp.csr_array:
        shape = (self.n_samples, self.n_samples)
        half = sp.csr_array((values, (self.first, self.second)), shape=shape)
        return sp.csr_array(half + half.T)


def find_edges(graph: NeighborGraph) -> Edges:
    """Join samples that are neighbors of each other, and those of a minimum spanning forest.

    Many samples are nobody's mutual neighbor; the forest gives each of them an edge at least.
    """
    distances = graph.to_scipy().astype(np.float64)
    distances.data += _STORED_ZERO
    mutual = distances.minimum(distances.T)
    forest = minimum_spanning_tree(distances)
    either = sp.triu(mutual + forest + forest.T, k=1, format="coo")
    order = np.lexsort((either.col, either.row))
    return Edges(
        either.row[order].astype(np.int32), either.col[order].astype(np.int32), graph.n_samples
    )
