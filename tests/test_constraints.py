"""Rules for parameters."""

from types import SimpleNamespace

import numpy as np
import pytest

from graphpac._constraints import (
    check_parameters,
    has_method,
    instance_of,
    none,
    one_of,
    real_number,
    thread_count,
    whole_number,
)


@pytest.mark.parametrize(
    ("rule", "accepted", "refused"),
    [
        (whole_number(at_least=1), [1, np.int64(3)], [0, 1.0, True, "1", None]),
        (whole_number(at_least=1, at_most=9), [1, 9], [0, 10, 10**5000]),
        (real_number(at_most=9), [-(10**300), 9], [9.1, -(10**400), -np.inf]),
        (thread_count(), [1, -1, np.int8(2)], [0, 1.0, False]),
        (real_number(above=1.0), [1.1, 2, np.float32(3)], [1, 1.0, np.nan, np.inf, True, "2"]),
        (real_number(at_least=0.0, below=1.0), [0, 0.5], [-0.1, 1.0]),
        (one_of("a", "b"), ["a"], ["c", None, ["a"]]),
        (none() | one_of("a"), [None, "a"], ["b", 0]),
        (instance_of(dict, set), [{}, set()], [[], dict]),
        (has_method("items"), [{}], [dict, "items", 3]),
    ],
)
def test_rules(rule, accepted, refused):
    assert all(rule.accepts(value) for value in accepted)
    assert not any(rule.accepts(value) for value in refused)


def test_one_message_for_all_rules():
    estimator = SimpleNamespace(size=1.5, kind="c")
    rules = {"kind": one_of("a", "b") | none(), "size": real_number(above=2)}
    with pytest.raises(ValueError, match=r"^kind='c' must be one of 'a', 'b' or None\.$"):
        check_parameters(estimator, rules)
    estimator.kind = "a"
    with pytest.raises(ValueError, match=r"^size=1\.5 must be a number above 2\.$"):
        check_parameters(estimator, rules)
