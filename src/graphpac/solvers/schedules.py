"""How a coefficient changes over the iterations."""

from __future__ import annotations

from typing import Literal


def local_weight_at(iteration: int, max_iter: int, local_weight: float | Literal["ramp"]) -> float:
    """Weight lam = beta / (1 + beta) of the local average in iteration 0, 1, ...

    "ramp" rises by equal steps from 0 to just below 1, that is beta from 0 to max_iter - 1. Read
    literally, the paper's "beta from 0 to 1" would end at 1/2 and lose most of the method's effect.
    """
    return iteration / max_iter if local_weight == "ramp" else local_weight
