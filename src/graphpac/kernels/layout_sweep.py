"""One round of a layout in the plane: neighbors pull, strangers push, everybody moves at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import FloatMatrix, IntVector, OffsetVector
from graphpac.kernels._jit import kernel

CLOSENESS = 0.3  # keeps the push of samples at the same place finite


class Forces(NamedTuple):
    """What moves a sample.

    ``n_strangers`` random samples push it, with the weight ``push`` against the pull of its
    neighbors; ``gravity`` pulls it to the middle by its distance from there. It keeps the share
    ``momentum`` of its speed from round to round, and in each direction is no faster than
    ``fastest``.
    """

    n_strangers: int
    push: float
    gravity: float
    momentum: float
    fastest: float


@kernel
def move_samples(
    indptr: OffsetVector,
    indices: IntVector,
    coordinates: FloatMatrix,
    forces: Forces,
    seed: int,
    step: float,
    block: tuple[int, int],
    speeds: FloatMatrix,
    out: FloatMatrix,
) -> None:
    """Write into out where the samples of a block, first and end, go from where all samples are.

    Over the distance d to another sample, neighbors pull with d / (1 + d^2) and strangers push
    with d / (CLOSENESS + d^2) / (1 + d^2); both count on average. Strangers follow from the seed of
    the round and from the number of the sample, so that any thread may move any sample. ``step`` is
    the length of the round; speeds of the block are replaced.
    """
    n_strangers, push, gravity, momentum, fastest = forces
    n_samples = coordinates.shape[0]
    one = np.float32(1.0)
    closeness = np.float32(CLOSENESS)
    for i in range(block[0], block[1]):
        x, y = coordinates[i, 0], coordinates[i, 1]
        pull_x, pull_y = np.float32(0.0), np.float32(0.0)
        for entry in range(indptr[i], indptr[i + 1]):
            gap_x = coordinates[indices[entry], 0] - x
            gap_y = coordinates[indices[entry], 1] - y
            factor = one / (one + gap_x * gap_x + gap_y * gap_y)
            pull_x += factor * gap_x
            pull_y += factor * gap_y
        push_x, push_y = np.float32(0.0), np.float32(0.0)
        for k in range(n_strangers):
            stranger = draw_number(seed, i * n_strangers + k, n_samples)
            gap_x = x - coordinates[stranger, 0]
            gap_y = y - coordinates[stranger, 1]
            square = gap_x * gap_x + gap_y * gap_y
            factor = one / ((closeness + square) * (one + square))
            push_x += factor * gap_x
            push_y += factor * gap_y
        neighbor_share = 1.0 / max(indptr[i + 1] - indptr[i], 1)
        stranger_share = push / n_strangers
        speed_x = momentum * speeds[i, 0] + neighbor_share * pull_x + stranger_share * push_x
        speed_y = momentum * speeds[i, 1] + neighbor_share * pull_y + stranger_share * push_y
        speed_x = min(max(speed_x - gravity * x, -fastest), fastest)
        speed_y = min(max(speed_y - gravity * y, -fastest), fastest)
        speeds[i, 0], speeds[i, 1] = speed_x, speed_y
        out[i, 0], out[i, 1] = x + step * speed_x, y + step * speed_y


@kernel
def draw_number(seed: int, number: int, n: int) -> int:
    """Draw a number below n, the same for the same seed and number, by the mixer of splitmix64."""
    state = np.uint64(seed) + (np.uint64(number) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state = state ^ (state >> np.uint64(31))
    return int(np.int64(((state >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)))
