"""Powers of memberships and scores: the only transcendental functions of a sweep."""

from __future__ import annotations

import math

import numpy as np

from graphpac.kernels._jit import kernel

NEGLIGIBLE = 1e-7  # memberships below this are not told apart from zero
SCORE_FLOOR = 1e-6  # scores are positive in the paper's derivation; this keeps them so

_SMALLEST = np.float32(1e-30)
_ONE = np.float32(1.0)


@kernel
def fuzzy_power(p: np.float32, excess: np.float32) -> np.float32:
    """p^m for a membership p, with excess = m - 1, to about one part in a million.

    p * 2^(excess * log2 p), both functions by polynomials on the bits of a float32: unlike calls of
    the mathematical library, a loop over this becomes vector instructions.
    """
    bits = np.float32(max(p, _SMALLEST)).view(np.int32)
    power = np.float32((bits >> 23) - 127)
    f = np.int32((bits & 0x007FFFFF) | 0x3F800000).view(np.float32) - _ONE
    # log2(1 + f) = f * polynomial, Chebyshev fit on [0, 1], error 3e-7
    log = np.float32(-0.012370643)
    log = log * f + np.float32(0.063787594)
    log = log * f + np.float32(-0.15559997)
    log = log * f + np.float32(0.25617969)
    log = log * f + np.float32(-0.35345468)
    log = log * f + np.float32(0.48007375)
    log = log * f + np.float32(-0.72131073)
    log = log * f + np.float32(1.4426948)
    # 2^-126 is the smallest normal number: below, the bits would no longer be an exponent.
    y = max(excess * (power + log * f), np.float32(-126.0))
    whole = np.floor(y)
    f = y - whole
    # 2^f = 1 + f * polynomial, error 3e-7
    exp = np.float32(0.0017896651)
    exp = exp * f + np.float32(0.009196802)
    exp = exp * f + np.float32(0.055658665)
    exp = exp * f + np.float32(0.24020687)
    exp = exp * f + np.float32(0.6931476)
    exp = _ONE + exp * f
    scale = np.int32((np.int32(whole) + 127) << 23).view(np.float32)
    return p * (exp * scale)  # type: ignore[no-any-return]


@kernel
def largest_ratio(exponent: float) -> float:
    """How many times the best score another may be before its membership is negligible."""
    ratio: float = np.exp(
        -np.log(NEGLIGIBLE) / np.float64(exponent)
    )  # infinite for exponents near 0
    return ratio


@kernel
def unnormalized_membership(ratio: float, exponent: float) -> float:
    """Eq. 25 before normalization, (s / s_best)^(-1/(m-1)), in the log domain."""
    return math.exp(-exponent * math.log(ratio))
