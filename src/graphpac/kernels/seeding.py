"""Distances in hops to a growing set of seeds."""

from __future__ import annotations

import numpy as np

from graphpac._typing import IntVector, OffsetVector
from graphpac.kernels._jit import kernel


@kernel
def lower_hop_distances(
    indptr: OffsetVector,
    indices: IntVector,
    seed: int,
    label: int,
    distances: IntVector,
    labels: IntVector,
) -> None:
    """Give every sample that is nearer to a new seed than to all before its distance and label.

    Walks outward from the seed and turns back wherever an earlier seed is as near, so the work
    shrinks with every seed.
    """
    queue = np.empty(distances.size, np.int32)
    queue[0] = seed
    distances[seed] = 0
    labels[seed] = label
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            if distances[i] + 1 < distances[j]:
                distances[j] = distances[i] + 1
                labels[j] = label
                queue[tail] = j
                tail += 1
