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


def move_samples(neighbors, places, speeds, seed, *, n_strangers, push, gravity, momentum, longest):
    """Return the new speeds; a round of length one adds them to the places."""
    n_samples = len(places)
    moved = np.empty_like(speeds)
    for i, mine in enumerate(neighbors):
        pulls = [(places[j] - places[i]) / (1.0 + _square(places, i, j)) for j in mine]
        strangers = [draw_number(seed, i * n_strangers + k, n_samples) for k in range(n_strangers)]
        pushes = [
            (places[i] - places[j])
            / (CLOSENESS + _square(places, i, j))
            / (1.0 + _square(places, i, j))
            for j in strangers
        ]
        force = push * np.mean(pushes, axis=0) - gravity * places[i]
        if pulls:
            force = force + np.mean(pulls, axis=0)
        moved[i] = np.clip(momentum * speeds[i] + force, -longest, longest)
    return moved


def _square(places, i, j):
    return np.sum((places[i] - places[j]) ** 2)
