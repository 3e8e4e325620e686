"""The weight of the local average over the iterations."""

import pytest
from numpy.testing import assert_allclose

from graphpac.solvers.schedules import local_weight_at


def test_the_ramp_rises_by_equal_steps_to_just_below_one():
    weights = [local_weight_at(t, 50, "ramp") for t in range(50)]

    assert_allclose(weights, [0.02 * t for t in range(50)], atol=1e-15)


def test_read_literally_it_is_beta_that_rises_to_one():
    weights = [local_weight_at(t, 50, "ramp", ramp="beta") for t in range(50)]

    betas = [0.02 * t for t in range(50)]
    assert_allclose(weights, [beta / (1.0 + beta) for beta in betas], atol=1e-15)


@pytest.mark.parametrize("iteration", [0, 7, 49])
def test_a_number_is_honored_in_every_iteration(iteration):
    assert local_weight_at(iteration, 50, 0.3) == 0.3
