"""How a coefficient changes over the iterations."""

from __future__ import annotations

from typing import Literal, TypeAlias

Ramp: TypeAlias = Literal["weight", "beta"]


def local_weight_at(
    iteration: int,
    max_iter: int,
    local_weight: float | Literal["ramp"],
    ramp: Ramp = "weight",
) -> float:
    """Weight lam = beta / (1 + beta) of the local average in iteration 0, 1, ...

    Under "ramp" one of the two rises by equal steps from 0 to just below 1: the weight, that is
    beta from 0 to max_iter - 1, as in the authors' code; or beta, as the text has it, and then the
    weight ends at 1/2 and most of the method's effect is lost.
    """
    if local_weight != "ramp":
        return local_weight
    risen = iteration / max_iter
    return risen if ramp == "weight" else risen / (1.0 + risen)
