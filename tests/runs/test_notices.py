"""Warnings of the library become lines that are told and kept."""

import logging
import warnings

from graphpac.runs.notices import collecting_warnings


def test_raised_and_logged_warnings_are_told_once_each():
    told = []
    with collecting_warnings(told.append) as collected:
        warnings.simplefilter("always")
        for _ in range(2):
            warnings.warn("only 3 of 4\nclusters have samples", UserWarning, stacklevel=1)
        logging.getLogger("graphpac.io").warning("ids are not %s", "unique")
        logging.getLogger("graphpac").info("not a warning")
    assert told == collected == ["only 3 of 4 clusters have samples", "ids are not unique"]


def test_everything_is_put_back():
    shown, handlers = warnings.showwarning, list(logging.getLogger("graphpac").handlers)
    with collecting_warnings(lambda _: None):
        pass
    assert warnings.showwarning is shown
    assert logging.getLogger("graphpac").handlers == handlers


def test_only_the_innermost_is_told():
    outer, inner = [], []
    with collecting_warnings(outer.append):
        with collecting_warnings(inner.append):
            logging.getLogger("graphpac").warning("within")
        logging.getLogger("graphpac").warning("after")
    assert (outer, inner) == (["after"], ["within"])
