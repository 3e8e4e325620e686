"""What parameters may be."""

from types import SimpleNamespace

import numpy as np
import pytest

from graphpac._constraints import (
    check_parameters,
    check_value,
    has_method,
    instance_of,
    named,
    no_less_than,
    no_more_than,
    none,
    one_of,
    real_number,
    switch,
    thread_count,
    whole_number,
)


@pytest.mark.parametrize(
    ("constraint", "accepted", "refused"),
    [
        (whole_number(at_least=1), [1, np.int64(3)], [0, 1.0, True, "1", None]),
        (whole_number(at_least=1, at_most=9), [1, 9], [0, 10, 10**5000]),
        (real_number(at_most=9), [-(10**300), 9], [9.1, -(10**400), -np.inf]),
        (thread_count(), [1, -1, np.int8(2)], [0, 1.0, False]),
        (real_number(above=1.0), [1.1, 2, np.float32(3)], [1, 1.0, np.nan, np.inf, True, "2"]),
        (real_number(at_least=0.0, below=1.0), [0, 0.5], [-0.1, 1.0]),
        (whole_number(), [-1, np.int64(3)], [1.0, True, "1", None]),
        (no_less_than(1), [1, 1.5, np.int64(3)], [0, 0.9, True, "1", None]),
        (no_more_than(1), [1, -1.5], [2, 10**5000, None]),
        (switch(), [True, False], [1, None, "yes"]),
        (one_of("a", "b"), ["a"], ["c", None, ["a"]]),
        (named("a", "b"), ["a"], ["c", None, ["a"]]),
        (none() | one_of("a"), [None, "a"], ["b", 0]),
        (instance_of(dict, set), [{}, set()], [[], dict]),
        (has_method("items"), [{}], [dict, "items", 3]),
    ],
)
def test_constraints(constraint, accepted, refused):
    assert all(constraint.accepts(value) for value in accepted)
    assert not any(constraint.accepts(value) for value in refused)


def test_one_message_for_all():
    estimator = SimpleNamespace(size=1.5, kind="c")
    constraints = {"kind": one_of("a", "b") | none(), "size": real_number(above=2)}
    with pytest.raises(ValueError, match=r"^kind='c' must be one of 'a', 'b' or None\.$"):
        check_parameters(estimator, constraints)
    estimator.kind = "a"
    with pytest.raises(ValueError, match=r"^size=1\.5 must be a number above 2\.$"):
        check_parameters(estimator, constraints)


def test_a_value_is_named_with_the_reason_and_the_error_asked_for():
    with pytest.raises(TypeError, match=r"^Options: fast=1 must be True or False\.$"):
        check_value("Options: fast", 1, switch(), error=TypeError)
    with pytest.raises(ValueError, match=r"^kind='c' must be one of a, b: others are slow\.$"):
        check_value("kind", "c", named("a", "b"), reason="others are slow")
