"""What a parameter may be: constraints to put into a table, and one message for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Any

from graphpac._threads import MOST_THREADS
from graphpac._wording import short_repr
from graphpac.exceptions import ParameterError


@dataclass(frozen=True)
class Constraint:
    """A test of a value, and the words for what passes it; ``a | b`` passes what either does."""

    allowed: str
    accepts: Callable[[Any], bool]

    def __or__(self, other: Constraint) -> Constraint:
        return Constraint(
            f"{self.allowed} or {other.allowed}",
            lambda value: self.accepts(value) or other.accepts(value),
        )


def whole_number(*, at_least: int | None = None, at_most: int | None = None) -> Constraint:
    """Accept integers of Python and NumPy, not booleans; an upper bound needs a lower one."""
    if at_least is None:
        return Constraint("a whole number", lambda value: _is_number(value, Integral))
    return Constraint(
        f"a whole number from {at_least} {'up' if at_most is None else f'to {at_most:,}'}",
        lambda value: (
            _is_number(value, Integral)
            and value >= at_least
            and (at_most is None or value <= at_most)
        ),
    )


def thread_count() -> Constraint:
    """Accept what scikit-learn calls n_jobs: negative numbers count from all cores down."""
    return Constraint(
        f"a whole number other than 0, at most {MOST_THREADS:,}",
        lambda value: _is_number(value, Integral) and value != 0 and value <= MOST_THREADS,
    )


def real_number(
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
) -> Constraint:
    """Accept finite numbers inside the bounds, not booleans."""
    bounds = {"above": above, "at least": at_least, "below": below, "at most": at_most}
    words = " and ".join(f"{word} {bound:g}" for word, bound in bounds.items() if bound is not None)

    def accepts(value: Any) -> bool:
        return (
            _is_number(value, Real)
            and _is_finite(value)
            and (above is None or value > above)
            and (at_least is None or value >= at_least)
            and (below is None or value < below)
            and (at_most is None or value <= at_most)
        )

    return Constraint(f"a number {words}".rstrip(), accepts)


def one_of(*choices: str) -> Constraint:
    """Accept a few names."""
    listed = ", ".join(repr(choice) for choice in choices)
    return Constraint(
        f"one of {listed}" if len(choices) > 1 else listed,
        lambda value: isinstance(value, str) and value in choices,
    )


def named(*choices: str) -> Constraint:
    """Accept a few names, listed without quotes."""
    return Constraint(
        f"one of {', '.join(choices)}", lambda value: isinstance(value, str) and value in choices
    )


def no_less_than(bound: float) -> Constraint:
    """Accept numbers from a bound up."""
    return Constraint(
        f"at least {bound:g}", lambda value: _is_number(value, Real) and value >= bound
    )


def no_more_than(bound: float) -> Constraint:
    """Accept numbers up to a bound."""
    return Constraint(
        f"at most {bound:g}", lambda value: _is_number(value, Real) and value <= bound
    )


def switch() -> Constraint:
    """Accept True and False."""
    return Constraint("True or False", lambda value: isinstance(value, bool))


def none() -> Constraint:
    """Accept None."""
    return Constraint("None", lambda value: value is None)


def instance_of(*types: type) -> Constraint:
    """Accept objects of the given classes."""
    names = " or ".join(f"a {cls.__name__}" for cls in types)
    return Constraint(names, lambda value: isinstance(value, types))


def has_method(name: str) -> Constraint:
    """Accept objects with a method of that name, but not classes, whose methods lack an object."""
    return Constraint(
        f"an object with the method {name}",
        lambda value: callable(getattr(value, name, None)) and not isinstance(value, str | type),
    )


def check_parameters(estimator: Any, constraints: Mapping[str, Constraint]) -> None:
    """Raise ParameterError for the first parameter of an estimator that breaks its constraint.

    Constraints of parameters it does not have are passed over.
    """
    for name, constraint in constraints.items():
        if hasattr(estimator, name):
            check_value(name, getattr(estimator, name), constraint)


def check_value(
    name: str,
    value: Any,
    constraint: Constraint,
    *,
    reason: str = "",
    error: type[Exception] = ParameterError,
) -> None:
    """Raise an error unless a value keeps to a constraint; say why, if that is not plain."""
    if not constraint.accepts(value):
        because = f": {reason}" if reason else ""
        msg = f"{name}={short_repr(value)} must be {constraint.allowed}{because}."
        raise error(msg)


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # an integer beyond the numbers of float64
        return False
