"""Randomness of the stages of a fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphpac._random import as_generator
from graphpac._typing import RandomState


@dataclass(frozen=True)
class Streams:
    """Randomness of each stage of a fit, so that a change to one does not shift the others."""

    graph: int
    start: np.random.Generator
    optimize: np.random.Generator
    seeds: tuple[int, ...]

    @classmethod
    def from_seeds(cls, seeds: list[int]) -> Streams:
        """Begin each stream at the seed that `draw_seeds` drew for it."""
        graph, start, optimize = seeds
        generators = np.random.default_rng(start), np.random.default_rng(optimize)
        return cls(graph, *generators, tuple(seeds))

    def again(self, number: int) -> Streams:
        """Return the streams of another start; those of number 0 are these."""
        if number == 0:
            return self
        start, optimize = (np.random.default_rng([seed, number]) for seed in self.seeds[1:])
        return Streams(self.graph, start, optimize, self.seeds)


def draw_seeds(random_state: RandomState) -> list[int]:
    """Draw the seeds of a fit from what scikit-learn calls a random state."""
    seeds: list[int] = as_generator(random_state).integers(np.iinfo(np.int64).max, size=3).tolist()
    return seeds
