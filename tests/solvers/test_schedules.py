"""The weight of the local average over the iterations."""

from itertools import pairwise

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


def test_an_eased_ramp_waits_and_then_rises_ever_more_slowly():
    weights = [local_weight_at(t, 40, "ramp", ramp="eased") for t in range(40)]

    assert weights[:17] == [0.0] * 17
    steps = [after - before for before, after in pairwise(weights[16:])]
    assert_allclose(steps[0], 1.0 - (23 / 24) ** 2)
    assert all(earlier > later > 0.0 for earlier, later in pairwise(steps))
    assert_allclose(weights[-1], 1.0 - (1 / 24) ** 2)


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_few_iterations_have_an_eased_ramp_too(max_iter):
    weights = [local_weight_at(t, max_iter, "ramp", ramp="eased") for t in range(max_iter)]

    assert weights[0] == 0.0
    assert all(0.0 <= weight < 1.0 for weight in weights)
