"""One round of a layout, sample by sample, in float64 and Python's own whole numbers."""

import numpy as np

CLOSENESS = 0.3
_WORD = 2**64


def draw_number(seed, number, n):
    state = (seed + (number + 1) * 0x9E3779B97F4A7C15) % _WORD
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % _WORD
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB % _WORD
    state ^= state >> 31
    return (state >> 32) * n >> 32


def move_samples(neighbors, points, speeds, seed, *, n_strangers, push, gravity, momentum, fastest):
    """Return the new speeds; a round of length one adds them to the coordinates, the points."""
    n_samples = len(points)
    moved = np.empty_like(speeds)
    for i, mine in enumerate(neighbors):
        pulls = [(points[j] - points[i]) / (1.0 + _square(points, i, j)) for j in mine]
        strangers = [draw_number(seed, i * n_strangers + k, n_samples) for k in range(n_strangers)]
        pushes = [
            (points[i] - points[j])
            / (CLOSENESS + _square(points, i, j))
            / (1.0 + _square(points, i, j))
            for j in strangers
        ]
        force = push * np.mean(pushes, axis=0) - gravity * points[i]
        if pulls:
            force = force + np.mean(pulls, axis=0)
        moved[i] = np.clip(momentum * speeds[i] + force, -fastest, fastest)
    return moved


def _square(points, i, j):
    return np.sum((points[i] - points[j]) ** 2)
