"""The table of model files, on the embedded digits."""

import numpy as np

from benchmarks.models import files_table, split


def test_the_table_of_files():
    head, _, row = files_table(["digits"]).splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    names = [cell.strip() for cell in head.strip("|").split("|")]
    found = dict(zip(names, cells, strict=True))
    assert found["data"] == "digits"
    assert found["rows"] == "1,437"
    assert float(found["compact MB"]) < float(found["file MB"]) < float(found["pickle MB"])
    assert float(found["training rows agree"].rstrip("%")) >= 99.0
    assert float(found["new rows agree"].rstrip("%")) > 90.0


def test_every_row_is_known_or_new():
    known, new = split(np.arange(50)[:, np.newaxis])
    assert sorted([*known.ravel(), *new.ravel()]) == list(range(50))
    assert (known.shape, new.shape) == ((40, 1), (10, 1))
