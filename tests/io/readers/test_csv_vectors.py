"""Vectors written as text into one cell of a CSV file, and columns that are kept."""

import csv
import io
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphpac.exceptions import FileFormatError, NotInFileError
from graphpac.io.readers import csv_stream, csv_table, describe_table, read_table

BOTH = pytest.mark.parametrize("ask", [read_table, describe_table])
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
MATRICES = hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2), elements=FLOATS)

WRITE = {
    "a list": lambda row: str(row.tolist()),
    "no spaces": lambda row: str(row.tolist()).replace(" ", ""),
    "numpy": lambda row: np.array2string(row, floatmode="unique", max_line_width=30),
    "a database": lambda row: "{" + ",".join(map(repr, row.tolist())) + "}",
    "numbers of NumPy": lambda row: (
        "[" + ", ".join(f"np.float32({x!r})" for x in row.tolist()) + "]"
    ),
    "one row": lambda row: str([row.tolist()]),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("csv") / "rows.csv"


def write(path, rows, **options):
    text = io.StringIO()
    csv.writer(text, **options).writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


# ---- vectors


@given(X=MATRICES, style=st.sampled_from(sorted(WRITE)), delimiter=st.sampled_from(",;\t"))
def test_vectors_are_read_however_they_are_written(X, style, delimiter, path):
    rows = [(i, WRITE[style](row), "text") for i, row in enumerate(X)]
    write(path, [("number", "vector", "text"), *rows], delimiter=delimiter)
    table, shape = read_table(path, text_column="text"), describe_table(path)
    np.testing.assert_array_equal(table.X, X)
    assert (shape.n_rows, shape.n_columns, shape.dtype) == (*X.shape, table.X.dtype)
    assert table.columns is None
    assert table.texts == ["text"] * len(X)


def test_many_blocks(path, monkeypatch):
    monkeypatch.setattr(csv_stream, "BLOCK_BYTES", 256)
    monkeypatch.setattr(csv_table, "BLOCK_BYTES", 256)
    X = np.arange(300, dtype=np.float32).reshape(100, 3)
    write(path, [("v",), *((str(row.tolist()),) for row in X)])
    np.testing.assert_array_equal(read_table(path).X, X)
    assert describe_table(path).n_rows == 100


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_without_a_line_of_names_no_row_is_lost(delimiter, path):
    write(path, [("a", "[0.5, 1, 2]"), ("b", "[3, 4, 5]")], delimiter=delimiter)
    table = read_table(path, id_column="1")
    np.testing.assert_array_equal(table.X, [[0.5, 1, 2], [3, 4, 5]])
    assert table.ids == ["a", "b"]


def test_vectors_longer_than_the_standard_library_takes(path):
    X = np.random.default_rng(0).normal(size=(3, 15_000)).astype(np.float32)
    write(path, [("v",), *((str(row.tolist()),) for row in X)])
    np.testing.assert_array_equal(read_table(path).X, X)


def test_one_of_several_columns_is_chosen_by_name(path):
    write(path, [("a", "v", "w"), (1, "[1, 2]", "[3]"), (2, "[4, 5]", "[6]")])
    with pytest.raises(NotInFileError, match="several columns of vectors .'v', 'w'.: choose one"):
        read_table(path)
    np.testing.assert_array_equal(read_table(path, columns=["w"]).X, [[3], [6]])
    np.testing.assert_array_equal(read_table(path, columns=["a"]).X, [[1], [2]])


@pytest.mark.parametrize("text", ["[citation needed]", "[1] and [2]", "(1,234)", "[]", "{a: 1}"])
def test_what_only_looks_like_a_vector(text, path):
    write(path, [("a", "text"), (1, text), (2, text)])
    assert read_table(path).columns == ("a",)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("[1, 2, 3]", "has 3 numbers in line 4, column 'v', but 2 in the first row: make all"),
        ("[1]", "has 1 numbers in line 4, column 'v', but 2 in the first row"),
        ("[1, 2", "has '[1, 2' instead of a vector such as [0.1, 0.2] in line 4, column 'v'"),
        ("1, 2", "has '1, 2' instead of a vector such as [0.1, 0.2] in line 4"),
        ("", "has a missing value in line 4, column 'v'"),
        ("nan", "has a missing value in line 4, column 'v'"),
        ("[1, x]", "has 'x' in line 4, column 'v', number 2 of the vector"),
        ("[1, , 2]", "has a missing value in line 4, column 'v', number 2 of the vector"),
        ("[np.float32(1), np.float32(nan)]", "has NaN in line 4, column 'v', number 2 of the"),
        ("[np.float32(1), np.int32]", "has 'np.int32' in line 4, column 'v', number 2 of the vec"),
        ("[1, None]", "has a missing value in line 4, column 'v', number 2 of the vector"),
        ("[1, nan]", "has NaN in line 4, column 'v', number 2 of the vector"),
        ("[1, 1e999]", "has infinity, or a number too large for float64, in line 4, column 'v'"),
        ("[1 ... 2]", "has a vector in line 4, column 'v' of which NumPy left out the middle"),
        ("[1, 2][3, 4]", "has '2][3' in line 4, column 'v', number 2 of the vector"),
    ],
)
def test_broken_vectors_are_told_with_their_line(cell, message, path):
    write(path, [("v", "text"), ("[1,\n2]", "a"), (cell, "b"), ("[5, 6]", "c"), ("[7, 8]", "d")])
    with pytest.raises(FileFormatError, match=re.escape(f"{path} {message}")) as refused:
        read_table(path)
    assert "\n" not in str(refused.value)


# ---- columns that are kept


def test_kept_columns_have_the_type_they_are_written_in(path):
    columns = {
        "x": ["1", "2", "3"],
        "whole": ["10", "", "-3"],
        "decimal": ["1.5", "NA", "2"],
        "padded": ["007", "8", "9"],
        "long": ["12345678901234567890", "1", "2"],
        "text": ["a", "", "1"],
        "nothing": ["", "", ""],
        "spaces": [" 1", "2 ", "3"],
    }
    write(path, [columns, *zip(*columns.values(), strict=True)])
    kept = read_table(path, columns=["x"], keep_columns=["*"]).kept
    assert list(kept) == list(columns)
    expected = {
        "x": ("int64", [1, 2, 3]),
        "whole": ("int64", [10, None, -3]),
        "decimal": ("double", [1.5, None, 2.0]),
        "padded": ("string", columns["padded"]),
        "long": ("string", columns["long"]),
        "text": ("string", columns["text"]),
        "nothing": ("string", columns["nothing"]),
        "spaces": ("int64", [1, 2, 3]),
    }
    assert {k: (str(v.type), v.to_pylist()) for k, v in kept.items()} == expected


def test_a_kept_column_is_a_feature_as_before(path):
    write(path, [("a", "b"), (1, 2), (3, 4)])
    table = read_table(path, keep_columns=["b"])
    assert table.columns == ("a", "b")
    assert table.kept["b"].equals(pa.chunked_array([[2, 4]]))


def test_a_kept_column_that_is_not_there(path):
    write(path, [("a", "place"), (1, 2), (3, 4)])
    with pytest.raises(NotInFileError, match="has no column 'places' .did you mean 'place'?"):
        read_table(path, keep_columns=["places"])
