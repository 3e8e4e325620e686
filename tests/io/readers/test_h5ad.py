"""Without the extra; with it see tests/integrations."""

import sys

import pytest

from graphpac.io.readers import describe_table, read_table


@pytest.mark.parametrize("ask", [read_table, describe_table])
def test_what_to_install(ask, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    path = tmp_path / "cells.h5ad"
    path.write_bytes(b"anything")
    with pytest.raises(ImportError, match=r"reading .h5ad files needs .*'graphpac\[single-cell\]'"):
        ask(path)
