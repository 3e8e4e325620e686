"""Public names that are imported when first asked for.

The solver's dependencies take seconds to import, which a program that asks for the version, or for
one estimator of many, should not pay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: dict[str, Any], homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the ``__getattr__`` and ``__dir__`` of a package, given its ``globals()``.

    Values that were asked for are kept there.
    """

    def get(name: str) -> Any:
        if name not in homes:
            offered = ", ".join(package["__all__"])
            msg = f"module {package['__name__']!r} has no attribute {name!r}; it offers: {offered}."
            raise AttributeError(msg)
        value = package[name] = getattr(import_module(homes[name]), name)
        return value

    def names() -> list[str]:
        return sorted(set(package) | set(package["__all__"]))

    return get, names
