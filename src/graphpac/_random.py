"""What scikit-learn calls a random state, as a generator."""

from __future__ import annotations

import numpy as np

from graphpac._typing import RandomState


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Turn what scikit-learn calls a random state into a generator."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(np.iinfo(np.int32).max))
    return np.random.default_rng(random_state)
