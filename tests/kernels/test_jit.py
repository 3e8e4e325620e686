"""Kernels wait for their first call, and are then what numba makes of them."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from graphpac.kernels._jit import IS_PLAIN_PYTHON, Deferred, kernel, step

pytestmark = pytest.mark.skipif(IS_PLAIN_PYTHON, reason="kernels run as plain Python")


@step
def doubled(x):
    return 2.0 * x


@kernel
def sum_of_doubles(values):
    total = 0.0
    for value in values:
        total += doubled(value)
    return total


@kernel
def never_called(values):
    return sum_of_doubles(values)


def test_a_kernel_is_built_with_what_it_calls_when_it_is_called():
    assert sum_of_doubles(np.arange(4.0)) == 12.0
    assert not isinstance(doubled, Deferred)  # numba found the built one in its place
    assert sum_of_doubles.built().signatures
    assert isinstance(never_called, Deferred)
    assert not never_called._built


def test_threads_that_call_at_once_share_one():
    n_built = 0

    def build(function):
        nonlocal n_built
        n_built += 1
        return function

    deferred = Deferred(lambda x: x + 1, build)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(deferred, range(100))) == list(range(1, 101))
    assert n_built == 1


def test_a_kernel_keeps_its_name_and_its_words():
    assert sum_of_doubles.__name__ == "sum_of_doubles"
    assert sum_of_doubles.__module__ == __name__
    assert sum_of_doubles.py_func(np.arange(3.0)) == 6.0


def test_importing_the_estimator_does_not_import_the_compiler():
    asked = "import sys; from graphpac import GPAC; print('numba' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"
