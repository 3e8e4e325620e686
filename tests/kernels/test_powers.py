"""Polynomial powers against numpy's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from graphpac.kernels.powers import (
    NEGLIGIBLE,
    fuzzy_power,
    largest_ratio,
    unnormalized_membership,
)


@given(
    p=st.floats(float(np.float32(1e-7)), 1.0, width=32),
    excess=st.floats(0.0, 2.0, width=32),
)
def test_powers_match_numpy(p, excess):
    power = fuzzy_power(np.float32(p), np.float32(excess))

    assert_allclose(power, np.float64(p) ** (1.0 + np.float64(excess)), rtol=1.2e-5)


@given(p=st.floats(float(np.float32(1e-4)), 1.0, width=32))
def test_powers_near_one_are_good_to_a_part_in_a_million(p):
    """The default fuzziness, for memberships that carry weight."""
    power = fuzzy_power(np.float32(p), np.float32(0.05))

    assert_allclose(power, np.float64(p) ** (1.0 + np.float64(np.float32(0.05))), rtol=1e-6)


@pytest.mark.parametrize("excess", [0.0, 0.001, 0.05, 1.0, 2.0, 50.0, 1000.0])
def test_ends_are_exact_and_nothing_overflows(excess):
    assert fuzzy_power(np.float32(0.0), np.float32(excess)) == 0.0
    assert fuzzy_power(np.float32(1.0), np.float32(excess)) == 1.0
    tiny = fuzzy_power(np.float32(NEGLIGIBLE), np.float32(excess))
    assert 0.0 <= tiny <= np.float32(NEGLIGIBLE)


def test_no_excess_changes_no_bit():
    """Without V plain P is summed through the same code."""
    for p in np.random.default_rng(0).random(200, dtype=np.float32):
        assert fuzzy_power(p, np.float32(0.0)) == p


@given(ratio=st.floats(1.0, 1e6), exponent=st.floats(0.01, 1000.0))
def test_a_membership_is_negligible_exactly_beyond_the_largest_ratio(ratio, exponent):
    share = unnormalized_membership(ratio, exponent)

    assert_allclose(share, math.exp(-exponent * math.log(ratio)), rtol=1e-12)
    if not math.isclose(share, NEGLIGIBLE, rel_tol=1e-6):
        assert (ratio < largest_ratio(exponent)) == (share > NEGLIGIBLE)


def test_exponent_zero_makes_all_memberships_equal():
    """The truncated exponent of m > 2."""
    assert largest_ratio(0.0) == np.inf
    assert unnormalized_membership(5.0, 0.0) == 1.0
