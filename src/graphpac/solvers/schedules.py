"""How a coefficient changes over the iterations."""

from __future__ import annotations

from typing import Literal, TypeAlias

Ramp: TypeAlias = Literal["weight", "beta", "eased"]

HELD = 0.4  # of an eased ramp: how long the weight stays at 0


def local_weight_at(
    iteration: int,
    max_iter: int,
    local_weight: float | Literal["ramp"],
    ramp: Ramp = "weight",
) -> float:
    """Weight lam = beta / (1 + beta) of the local average in iteration 0, 1, ...

    Under "ramp" one of the two rises by equal steps from 0 to just below 1: the weight, that is
    beta from 0 to max_iter - 1, as in the authors' code; or beta, as the text has it, and then the
    weight ends at 1/2 and most of the method's effect is lost. An eased ramp begins with iterations
    at 0, in which clusters find their classes, and rises ever more slowly then, while samples at
    the borders settle: 30 such iterations are as good as 50 equal steps (docs/decisions.md).
    """
    if local_weight != "ramp":
        return local_weight
    risen = iteration / max_iter
    if ramp == "eased":
        held = int(HELD * max_iter)
        left = (max_iter - iteration) / (max_iter - held)
        return 1.0 - min(left, 1.0) ** 2
    return risen if ramp == "weight" else risen / (1.0 + risen)
