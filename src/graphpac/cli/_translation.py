"""The command's words for the library's: options where its messages name parameters.

A parameter is recognized as ``name=value``, and by its bare name if that is no word of a sentence.
Which option it is, the command tells by its declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# What the library calls an option that has another name there.
_PARAMETERS = {
    "clusters": "n_clusters",
    "features": "n_features",
    "jobs": "n_jobs",
    "neighbors": "n_neighbors",
    "rows": "n_samples",
    "seed": "random_state",
    "seeds": "n_seeds",
    "threads": "n_jobs",
}
_ASSIGNED = re.compile(r"""(?<![\w./\\'"-])(of )?([a-z]\w*)=("[^"]*"|'[^']*'|[^\s,;:()]+)""")
_BARE = re.compile(
    r"""(?<![\w./\\'"-])([a-z]+(?:_[a-z]+)+|alpha|fuzziness|metric(?= was ))(?![\w/\\'"-]|\.\w)"""
)

_options: dict[str, str] = {}


@contextmanager
def options_of(declared: Iterable[Any]) -> Iterator[None]:
    """Know the options of a command, as typer holds them, while it runs."""
    _options.update(
        {
            _PARAMETERS.get(item.name, item.name): next(
                name for name in item.opts if name.startswith("--")
            )
            for item in declared
            if item.param_type_name == "option"
        }
    )
    try:
        yield
    finally:
        _options.clear()


def in_options(message: str, options: Mapping[str, str] = _options) -> str:
    """Name options where a message names parameters that the command has.

    >>> in_options("n_clusters=9 is above 5: lower n_clusters", {"n_clusters": "--clusters"})
    '--clusters 9 is above 5: lower --clusters'
    """

    def assigned(match: re.Match[str]) -> str:
        quantity, name, value = match.groups()
        if name not in options:
            return match[0]
        shown = value.strip("\"'")
        return f"{quantity}{shown}" if quantity else f"{options[name]} {shown}"  # 3 of 10 clusters

    message = _ASSIGNED.sub(assigned, message.replace("must be None or ", "must be "))
    return _BARE.sub(lambda match: options.get(match[1], match[0]), message)
