"""Folders of Parquet files: read as one table, part after part."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graphpac.exceptions import FileFormatError
from graphpac.io.readers import describe_table, parquet, read_table

BOTH = pytest.mark.parametrize("ask", [read_table, describe_table])
X = np.arange(24, dtype=np.float32).reshape(12, 2)


@pytest.fixture
def folder(tmp_path):
    """Three parts, one of them without rows, the last in a folder, and what is no part."""
    place = tmp_path / "rows"
    (place / "more").mkdir(parents=True)
    (place / "_SUCCESS").touch()
    (place / ".crc").write_bytes(b"not Parquet")
    (place / "notes.txt").write_text("not Parquet either")
    pq.write_table(pa.table({"vector": []}), place / "a.parquet")  # as pandas writes an empty frame
    write(place / "more" / "part-9.PARQUET", 0, 7)
    write(place / "part-1.parquet", 7, 12)
    return place


def write(path, first, stop, **changed):
    columns = {
        "name": [f"row-{i}" for i in range(first, stop)],
        "vector": pa.array(list(X[first:stop]), pa.list_(pa.float32())),
        "text": pa.array([f"text {i}" for i in range(first, stop)]),
        "year": pa.array(range(first, stop), pa.int16()),
    }
    columns |= changed
    pq.write_table(pa.table({k: v for k, v in columns.items() if v is not None}), path)


def test_parts_are_read_in_the_order_of_their_names(folder):
    options = {"id_column": "name", "text_column": "text", "keep_columns": ["year"]}
    table, shape = read_table(folder, **options), describe_table(folder)
    np.testing.assert_array_equal(table.X, X)
    assert (shape.n_rows, shape.n_columns, shape.dtype) == (12, 2, np.float32)
    assert table.ids == [f"row-{i}" for i in range(12)]
    assert table.texts == [f"text {i}" for i in range(12)]
    assert table.kept["year"].to_pylist() == list(range(12))
    assert table.kept["year"].type == pa.int16()
    assert table.source == str(folder)


def test_parts_of_columns_of_numbers(tmp_path):
    for part in range(3):
        rows = X[4 * part : 4 * part + 4]
        columns = {f"c{j}": rows[:, j] for j in range(2)}
        # The order of the columns is that of the first part.
        pq.write_table(
            pa.table(columns if part < 2 else dict(reversed(columns.items()))),
            tmp_path / f"{part}.parquet",
        )
    table = read_table(tmp_path)
    np.testing.assert_array_equal(table.X, X)
    assert table.columns == ("c0", "c1")


def test_progress_is_that_of_all_parts(folder, monkeypatch):
    monkeypatch.setattr(parquet, "BLOCK_BYTES", 64)
    told = []
    read_table(folder, progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {total for _, total in told} == {12}
    assert told[-1] == (12, 12)


@BOTH
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"year": None}, "lacks 'year', unlike part-9.PARQUET: all parts"),
        ({"month": [1]}, "also has 'month', unlike part-9"),
        ({"text": None, "texts": ["a"]}, "lacks 'text' and also has 'texts', unlike"),
        (
            {"vector": pa.array([[1.0, 2.0]], pa.list_(pa.float64()))},
            "has list<element: double> instead of list<element: float> in the column 'vector'",
        ),
    ],
)
def test_a_part_that_differs_is_named(ask, changed, message, folder):
    path = folder / "part-5.parquet"
    write(path, 0, 1, **changed)
    with pytest.raises(FileFormatError, match=re.escape(f"{path} {message}")):
        ask(folder)


def test_other_columns_do_not_matter_to_those_that_are_chosen(folder):
    write(folder / "part-5.parquet", 0, 1, year=None, month=[1])
    assert read_table(folder, columns=["vector"], id_column="name").X.shape == (13, 2)


def test_a_wrong_row_is_told_in_its_part(folder):
    path = folder / "part-5.parquet"
    for vectors, message in (
        ([[0.0, 1.0], [0.0]], "has 1 numbers in row 1, column 'vector', but 2 in the first row"),
        ([[0.0, 1.0], [0.0, np.nan]], "has NaN in row 1, number 1 of the column 'vector'"),
    ):
        write(path, 0, 2, vector=pa.array(vectors, pa.list_(pa.float32())))
        with pytest.raises(FileFormatError, match=re.escape(f"{path} {message}")):
            read_table(folder)


@BOTH
def test_a_damaged_part_is_named(ask, folder):
    (folder / "part-5.parquet").write_bytes(b"PAR1 but no more")
    with pytest.raises(FileFormatError, match="part-5.parquet cannot be read as a Parquet file"):
        ask(folder)


def test_columns_of_equal_names(tmp_path):
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    pq.write_table(table, tmp_path / "rows.parquet")
    with pytest.raises(FileFormatError, match="has 2 columns called 'a': give every column a name"):
        read_table(tmp_path / "rows.parquet")
