"""Choosing columns by their names."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import NoReturn

from graphpac._wording import columns_called, listing, short_name
from graphpac.exceptions import FileFormatError, NotInFileError
from graphpac.io.readers.table import TableRequest

logger = logging.getLogger("graphpac")

_MOST_NAMES = 3
_NO_FEATURES = {"class", "cluster", "id", "index", "label", "target", "y"}


def chosen_columns(request: TableRequest, names: Sequence[str]) -> list[str]:
    """Find the columns of the features that a request names; patterns pass over ids and texts."""
    features = [name for name in names if name not in request.about_rows]
    return _found(request, request.columns or (), names, features)


def kept_columns(request: TableRequest, names: Sequence[str]) -> list[str]:
    """Find the columns that a request wants to be kept."""
    kept = _found(request, request.keep_columns or (), names, names)
    _check_are_unique(request, kept, names)
    return kept


def _found(
    request: TableRequest, entries: Sequence[str], names: Sequence[str], offered: Sequence[str]
) -> list[str]:
    """Find columns by their names, or by patterns such as ``emb_*`` if no column is called that.

    A pattern gives those that are offered, in the order of the file.
    """
    found: dict[str, None] = {}
    for entry in entries:
        if entry in names:
            found[entry] = None
            continue
        matching = [name for name in offered if fnmatchcase(name, entry)]
        if not matching:
            _refuse_unknown(request, entry, names)
        found.update(dict.fromkeys(matching))
    return list(found)


def check_names(request: TableRequest, chosen: Sequence[str], names: Sequence[str]) -> None:
    """Refuse columns of ids or texts that are not there, and names that fit two columns."""
    for column in request.about_rows:
        if column not in names:
            _refuse_unknown(request, column, names)
    _check_are_unique(request, (*request.about_rows, *chosen), names)


def _check_are_unique(request: TableRequest, columns: Sequence[str], names: Sequence[str]) -> None:
    counts = Counter(names)
    for column in columns:
        if counts[column] > 1:
            msg = (
                f"{request.name} has {counts[column]} columns called {short_name(column)}: give "
                "every column a name of its own (a CSV file begins with a line of names)."
            )
            raise FileFormatError(msg)


def warn_of_no_features(request: TableRequest, chosen: Sequence[str]) -> None:
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


def tell_left_out(request: TableRequest, chosen: Sequence[str], names: Sequence[str]) -> None:
    """Log the columns that are neither features nor about the rows nor kept."""
    used = {*chosen, *request.about_rows, *kept_columns(request, names)}
    left_out = [name for name in names if name not in used]
    if left_out:
        logger.info("%s: left out the columns %s", request.name, listing(left_out))


def refuse_no_numbers(request: TableRequest, names: Sequence[str]) -> NoReturn:
    """Refuse columns that somebody chose although they hold texts, dates or the like."""
    msg = (
        f"{request.name} has no numbers in the {columns_called(names, _MOST_NAMES)}: choose other "
        "columns, or turn them into numbers, for example dates into days and texts into embeddings."
    )
    raise NotInFileError(msg)


def _refuse_unknown(request: TableRequest, entry: str, names: Sequence[str]) -> None:
    same = [name for name in names if name.strip().lower() == entry.strip().lower()]
    close = same or get_close_matches(entry, names, n=1)
    hint = f" (did you mean {short_name(close[0])}?)" if close else ""
    msg = f"{request.name} has no column {short_name(entry)}{hint}: it has {listing(list(names))}."
    raise NotInFileError(msg)
