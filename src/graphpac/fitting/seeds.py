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

    @classmethod
    def from_seeds(cls, seeds: list[int]) -> Streams:
        """Begin each stream at the seed that `draw_seeds` drew for it."""
        graph, start, optimize = seeds
        return cls(graph, np.random.default_rng(start), np.random.default_rng(optimize))


def draw_seeds(random_state: RandomState) -> list[int]:
    """Draw the seeds of a fit from what scikit-learn calls a random state."""
    seeds: list[int] = as_generator(random_state).integers(np.iinfo(np.int64).max, size=3).tolist()
    return seeds
