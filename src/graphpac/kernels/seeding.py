"""Distances to a growing set of seeds: in hops, and of rows."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix, FloatVector, IntVector, OffsetVector
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


@kernel
def distances_with_seeds(
    products: AnyArray,
    seed_squares: AnyArray,
    squares: AnyArray,
    closest: FloatVector,
    out: FloatMatrix,
) -> None:
    """Write the squared distance of every row to its closest seed, were each of some one more.

    ``products`` are those of the new seeds and all rows, ``squares`` their squared lengths, both in
    float64: differences of float32 would be mostly rounding. ``closest`` are the distances so far.
    """
    for seed in range(out.shape[0]):
        for i in range(out.shape[1]):
            square = np.float32((seed_squares[seed] - 2.0 * products[seed, i]) + squares[i])
            out[seed, i] = min(closest[i], max(square, np.float32(0.0)))
