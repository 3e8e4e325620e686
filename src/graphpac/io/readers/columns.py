"""Choosing columns by their names."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from graphpac._wording import listing, short_name
from graphpac.exceptions import FileFormatError, NotInFileError
from graphpac.io.readers.table import Request

logger = logging.getLogger("graphpac")

_NO_FEATURES = {"class", "cluster", "id", "index", "label", "target", "y"}


def chosen_columns(request: Request, names: Sequence[str]) -> list[str]:
    """Find the columns that a request names.

    An entry is the name of a column, or a pattern such as ``emb_*`` if no column is called that. A
    pattern gives its columns in the order of the file, without those of ids and texts.
    """
    found: dict[str, None] = {}
    for entry in request.columns or ():
        if entry in names:
            found[entry] = None
            continue
        matching = [
            name for name in names if fnmatchcase(name, entry) and name not in request.about_rows
        ]
        if not matching:
            _refuse_unknown(request, entry, names)
        found.update(dict.fromkeys(matching))
    return list(found)


def check_names(request: Request, chosen: Sequence[str], names: Sequence[str]) -> None:
    """Refuse columns of ids or texts that are not there, and names that fit two columns."""
    for column in request.about_rows:
        if column not in names:
            _refuse_unknown(request, column, names)
    counts = Counter(names)
    for column in (*request.about_rows, *chosen):
        if counts[column] > 1:
            msg = (
                f"{request.name} has {counts[column]} columns called {short_name(column)}: give "
                "every column a name of its own (a CSV file begins with a line of names)."
            )
            raise FileFormatError(msg)


def warn_of_no_features(request: Request, chosen: Sequence[str]) -> None:
    """Log a warning about columns that nobody chose and whose names tell that they are no features.

    They are used all the same: what a column means, its name cannot tell for sure.
    """
    doubtful = [name for name in chosen if name.lower() in _NO_FEATURES]
    if doubtful:
        logger.warning(
            "%s: the vectors have %s in them, pass id_column or columns=NAMES if that is not what "
            "you want",
            request.name,
            listing(doubtful),
        )


def _refuse_unknown(request: Request, entry: str, names: Sequence[str]) -> None:
    close = get_close_matches(entry, names, n=1)
    hint = f" (did you mean {short_name(close[0])}?)" if close else ""
    msg = f"{request.name} has no column {short_name(entry)}{hint}: it has {listing(list(names))}."
    raise NotInFileError(msg)
