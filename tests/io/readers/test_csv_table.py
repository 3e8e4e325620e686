"""CSV: numbers, ids and texts in any form people write them, and where a fault is."""

import csv
import gzip
import io
import re
import sys
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphpac.exceptions import FileFormatError, NotInFileError
from graphpac.io.readers import csv_stream, csv_table, describe_table, read_table
from tests.io.readers.damage import count_refusals

BOTH = pytest.mark.parametrize("ask", [read_table, describe_table])
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
# A zero byte would make any file look like something else than text.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("csv") / "rows.csv"


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(csv_table, "BLOCK_BYTES", 200)
    monkeypatch.setattr(csv_stream, "BLOCK_BYTES", 200)


@pytest.fixture
def standard_input(monkeypatch):
    def fill(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return fill


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# ---- what is read


@given(data=st.data(), delimiter=st.sampled_from(",;\t"), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_is_written_is_read(data, delimiter, end, path):
    shape = data.draw(hnp.array_shapes(min_dims=2, max_dims=2))
    X = data.draw(hnp.arrays(np.float32, shape, elements=FLOATS))
    texts = data.draw(st.lists(TEXTS, min_size=shape[0], max_size=shape[0]))
    ids = data.draw(st.lists(TEXTS.filter(bool), min_size=shape[0], max_size=shape[0]))
    with path.open("w", encoding="utf-8", newline="") as file:
        # Without quotes, a carriage return in a text would end the row.
        writer = csv.writer(
            file, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_NONNUMERIC
        )
        writer.writerow(["text", *(f"c{j}" for j in range(shape[1])), "id"])
        writer.writerows(
            [text, *row, i] for text, row, i in zip(texts, X.tolist(), ids, strict=True)
        )
    table = read_table(path, id_column="id", text_column="text")
    assert table.X.dtype == np.float32
    np.testing.assert_array_equal(table.X, X)
    assert table.texts == texts
    assert [str(i) for i in table.ids] == ids
    assert table.columns == tuple(f"c{j}" for j in range(shape[1]))
    described = describe_table(path, id_column="id", text_column="text")
    assert (described.n_rows, described.n_columns, described.dtype) == (*shape, np.float32)


def test_reading_goes_by_blocks(path, small_blocks):
    X = np.arange(900.0).reshape(300, 3) / 8
    lines = [",".join(map(str, row)) for row in X]
    write(path, "\n".join(["a,b,c", *lines]))
    calls = []
    table = read_table(path, progress=lambda *counts: calls.append(counts))
    np.testing.assert_array_equal(table.X, X)
    size = path.stat().st_size
    assert len(calls) > 10
    assert calls == sorted(calls)
    assert calls[-1] == (size, size)
    assert describe_table(path).n_rows == 300


def test_integers_first_and_fractions_much_later(path, small_blocks):
    write(path, "a,b\n" + "1,2\n" * 200 + "1.5,2e-3\n")
    np.testing.assert_allclose(read_table(path).X[-1], [1.5, 0.002], rtol=1e-6)


@pytest.mark.parametrize("source", ["file", "standard input"])
def test_memory_is_that_of_the_rows_and_some_blocks(source, path, monkeypatch, standard_input):
    monkeypatch.setattr(csv_table, "BLOCK_BYTES", 1 << 16)
    monkeypatch.setattr(csv_stream, "BLOCK_BYTES", 1 << 16)
    text = "a,b,c,d,e,f,g,h\n" + "1,2,3,4,5,6,7,8\n" * 200_000
    write(path, text)
    describe_table(path)  # what is imported the first time does not count
    standard_input(text)
    pool = pa.default_memory_pool()
    before, n_bytes = pool.bytes_allocated(), 200_000 * 8 * 4
    peaks = [0]
    tracemalloc.start()
    try:
        table = read_table(
            path if source == "file" else "-",
            progress=lambda *_: peaks.append(pool.bytes_allocated() - before),
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert table.X.nbytes == n_bytes
    assert peak < 1.3 * n_bytes + 40 * csv_table.BLOCK_BYTES
    assert max(peaks) < 2e6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n3,4", [[1, 2], [3, 4]]),
        ("a,b\r\n1,2\r\n", [[1, 2]]),
        ("\ufeffa,b\n1,2\n", [[1, 2]]),
        ("\n\na,b\n\n1,2\n\n\n3,4\n\n", [[1, 2], [3, 4]]),
        ("a, b\n1, 2\n 3 ,4 \n", [[1, 2], [3, 4]]),
        ("a;b\n1;2\n", [[1, 2]]),
        ("a\tb\n1\t2\n", [[1, 2]]),
        ('"a","b"\n"1","2"\n', [[1, 2]]),
        ('"a\nlong name",b\n1,2\n', [[1, 2]]),
        ("a,b\n1e3,-.5\n+2,3.\n", [[1000, -0.5], [2, 3]]),
        ("a\n1\n2\n", [[1], [2]]),
    ],
)
def test_forms_people_write(text, expected, path):
    write(path, text)
    assert read_table(path).X.tolist() == expected
    assert describe_table(path).n_rows == len(expected)


@pytest.mark.parametrize("ending", [".tsv", ".TSV", ".csv.gz", ".tsv.gz"])
def test_other_endings(ending, tmp_path):
    delimiter = "\t" if "tsv" in ending.lower() else ","
    text = "a,b|c\n1|2\n3|4\n".replace("|", delimiter).encode()
    path = tmp_path / f"rows{ending}"
    path.write_bytes(gzip.compress(text) if ending.endswith(".gz") else text)
    if delimiter == "\t":
        table = read_table(path)
        assert table.columns == ("a,b", "c")
    else:
        path.write_bytes(gzip.compress(b"a,b\n1,2\n3,4\n"))
        calls = []
        table = read_table(path, progress=lambda *counts: calls.append(counts))
        assert calls[-1] == (path.stat().st_size,) * 2
    assert table.X.tolist() == [[1, 2], [3, 4]]
    assert describe_table(path).n_rows == 2


def test_standard_input(standard_input):
    standard_input("id,a,b\nx,1,2\ny,3,4\n")
    calls = []
    table = read_table("-", id_column="id", progress=lambda *counts: calls.append(counts))
    assert table.X.tolist() == [[1, 2], [3, 4]]
    assert (table.ids, table.source, calls) == (["x", "y"], "standard input", [])


def test_standard_input_that_is_empty_or_wrong(standard_input):
    standard_input("")
    with pytest.raises(FileFormatError, match="standard input is empty"):
        read_table("-")
    standard_input("a,b\n1,2\n3,x\n")
    with pytest.raises(FileFormatError, match="standard input has 'x' .* in row 1, column 'b'"):
        read_table("-")


@pytest.mark.parametrize("with_index", [True, False])
@pytest.mark.parametrize("names", [None, ["a", "b"]])
def test_files_of_pandas(names, with_index, path):
    """Also those whose columns have no names but numbers."""
    frame = pd.DataFrame([[0.5, 1.5], [2.5, 3.5]], columns=names)
    frame.to_csv(path, index=with_index)
    table = read_table(path)
    np.testing.assert_array_equal(table.X, frame.to_numpy())
    assert table.columns == tuple(map(str, frame.columns))


def test_files_of_polars(path):
    pl.DataFrame({"text": ["a, b", 'c "d"'], "x": [1, 2]}).write_csv(path)
    assert read_table(path, text_column="text").texts == ["a, b", 'c "d"']


# ---- names and types


def test_a_file_without_names(path):
    write(path, "5,0.1,0.2\n7,0.3,0.4\n")
    table = read_table(path)
    assert (table.X.shape, table.columns) == ((2, 3), None)
    table = read_table(path, id_column="1", columns=["3", "2"])
    assert (table.ids, table.columns) == ([5, 7], None)
    np.testing.assert_allclose(table.X, [[0.2, 0.1], [0.4, 0.3]])
    write(path, "1.5,2\n3,x\n")
    with pytest.raises(FileFormatError, match="has 'x' instead of a number in line 2, column 2:"):
        read_table(path)


@pytest.mark.parametrize("first", ["0,1,2", "1,2,3", ",0,1", "id,0,1"])
def test_names_that_are_numbers(first, path):
    write(path, f"{first}\n4,5,6\n")
    assert describe_table(path).n_rows == 1


def test_a_first_line_that_is_probably_no_names(path, caplog):
    write(path, "doc1,0.5,0.25\ndoc2,0.5,0.5\n")
    read_table(path)
    assert "the first line is taken for the names of the columns, although" in caplog.text


def test_columns_of_texts_are_left_out(path, caplog):
    write(path, "text,a,kind,b\nx,1,p,2\ny,3,q,4\n")
    assert read_table(path).columns == ("a", "b")
    assert "left out the columns 'text', 'kind'" in caplog.text


def test_columns_that_are_kept_are_not_left_out(path, caplog):
    write(path, "text,a,kind,b\nx,1,p,2\ny,3,q,4\n")
    read_table(path, keep_columns=["text"])
    assert "left out the columns 'kind'" in caplog.text


def test_one_wrong_cell_does_not_make_a_column_a_text(path):
    write(path, "a,b\nx,1\n2,3\n4,5\n")
    with pytest.raises(FileFormatError, match="has 'x' instead of a number in line 2, column 'a'"):
        read_table(path)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["3", "-1"], [3, -1]),
        (["03", "1"], ["03", "1"]),
        (["3", "a"], ["3", "a"]),
        (["3", "1.0"], ["3", "1.0"]),
        (["3", " 1"], ["3", " 1"]),
        (["3", str(2**63)], ["3", str(2**63)]),
        (["1_0", "1"], ["1_0", "1"]),
    ],
)
def test_ids_are_integers_only_if_nothing_is_lost(cells, expected, path):
    write(path, f"id,a\n{cells[0]},1\n{cells[1]},2\n")
    assert read_table(path, id_column="id").ids == expected


def test_ids_that_are_not_unique_are_warned_of(path, caplog):
    write(path, "id,a\nx,1\ny,2\nx,3\n")
    assert read_table(path, id_column="id").ids == ["x", "y", "x"]
    assert "the ids in 'id' are not unique, 3 rows share 2 of them" in caplog.text


# ---- faults, and where they are


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3,x\n", "has 'x' instead of a number in line 3, column 'b': correct"),
        ("a,b\n1,2\n\n\n3,x\n", "has 'x' instead of a number in line 5, column 'b'"),
        ('t,a\n"p\nq",1\nr,x\n', "has 'x' instead of a number in line 4, column 'a'"),
        ("\ufeffa,b\r\n1,2\r\n3,1.5.2\r\n", "has '1.5.2' instead of a number in line 3, col"),
        ("a,b\n1,2\n3,'4,5'\n", "has 3 instead of 2 cells in line 3 "),
        ("a,b\n1,2\n3\n", r"has 1 instead of 2 cells in line 3 .'3'.: give every row as many"),
        ("a,b\n1,2\n\n3,4,5\n", "has 3 instead of 2 cells in line 4 .'3,4,5'.: give"),
        ("a,b\n1,2\n3,\n", "has a missing value in line 3, column 'b'"),
        ("a,b\n1,2\n3,NA\n", "has a missing value in line 3, column 'b'"),
        ("a,b\n1,2\n3,nan\n", "has NaN in line 3, column 'b'"),
        ("a,b\n1,2\n-inf,3\n", "has infinity, or .* float64, in line 3, column 'a'"),
        ("a,b\n1,2\n1e309,3\n", "has infinity, or .* float64, in line 3, column 'a'"),
        ("a,a\n1,2\n", "has 2 columns called 'a'"),
        ("t,u\nx,y\n", "has no columns of numbers, but 't', 'u': write the vectors into it"),
        ("a,b\n", "has 0 rows and 2 columns of numbers"),
        ("a,b", "has 0 rows and 2 columns of numbers"),
        ("\n \n", "is empty: a line of names and at least one row"),
        ("t,a\n1,2\ncaf\u00e9,3\n".encode("latin-1"), "is not UTF-8 text in line 3: save it"),
        ("a,b\n1,2\n".encode("utf-16"), "is not UTF-8 text: it has zero bytes"),
        (b"a,b\n1,2\n3,\xc3", "is not UTF-8 text in line 3"),
    ],
)
def test_faults(text, message, path):
    write(path, text)
    with pytest.raises(FileFormatError, match=message):
        read_table(path)


@BOTH
def test_uneven_rows_are_found_by_counting_too(ask, path, small_blocks):
    write(path, "a,b\n" + "1,2\n" * 500 + "3\n")
    with pytest.raises(FileFormatError, match="has 1 instead of 2 cells in line 502"):
        ask(path)


def test_a_fault_far_down(path, small_blocks):
    write(path, "a,b\n" + "1,2\n" * 500 + "3,x\n")
    with pytest.raises(FileFormatError, match="has 'x' instead of a number in line 502, column"):
        read_table(path)


@BOTH
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["emb_0", "embed"]}, "has no column 'embed' .did you mean 'emb_"),
        ({"id_column": "key"}, "has no column 'key': it has 'id', 'emb_0', 'emb_1'"),
    ],
)
def test_columns_that_are_not_there(ask, options, message, path):
    write(path, "id,emb_0,emb_1\n1,2,3\n")
    with pytest.raises(FileFormatError, match=message):
        ask(path, **options)


def test_a_column_may_be_a_feature_and_the_id(path):
    write(path, "id,a\n5,1\n7,2\n")
    table = read_table(path, columns=["a", "id"], id_column="id", text_column="id")
    assert table.X.tolist() == [[1, 5], [2, 7]]
    assert (table.ids, table.texts) == ([5, 7], ["5", "7"])


def test_columns_that_are_no_numbers(path):
    write(path, "id,a,when,b,c\nx,1,2020-01-01,y,z\n")
    message = "rows.csv has no numbers in the columns 'id', 'when', 'b' and 1 more: choose other"
    with pytest.raises(NotInFileError, match=message):
        read_table(path, columns=["*"])
    with pytest.raises(NotInFileError, match="has no numbers in the column 'when': choose other"):
        read_table(path, columns=["a", "when"])


def test_columns_of_equal_names(path):
    write(path, "a,b,a\n1,2,3\n")
    with pytest.raises(FileFormatError, match="has 2 columns called 'a': give every column a name"):
        read_table(path)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["1,5", "2,25"], "1,5"),
        (["1.234,5", "2.345,5"], "1.234,5"),
        (["1,234", "2,345,678.5"], "1,234"),
        (["1 234", "2 345"], "1 234"),
        (["10%", "20 %"], "10%"),
        (["$3", "€4.50"], "$3"),
    ],
)
def test_numbers_of_another_notation_are_not_left_out_silently(cells, told, path):
    write(path, "a;b\n" + "".join(f"{cell};1\n" for cell in cells))
    message = f"has numbers such as {told!r} in the column 'a': write them with a decimal point"
    for options in ({}, {"columns": ["a"]}, {"columns": ["*"]}):
        with pytest.raises(FileFormatError, match=re.escape(message)):
            read_table(path, **options)
    for options in ({"columns": ["b"]}, {"text_column": "a"}, {"keep_columns": ["a"]}):
        assert read_table(path, **options).columns == ("b",)


@pytest.mark.parametrize("text", ["2020-01-02", "1.2.3", "127.0.0.1", "030-12", "12:30", "a 1,5"])
def test_texts_with_digits_are_texts(text, path):
    write(path, f"a;b\n{text};1\n{text};2\n")
    assert read_table(path).columns == ("b",)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (gzip.compress(b"a,b\n1,2\n"), "is not CSV, but compressed by gzip: let its name end in"),
        (b"PK\x03\x04...", "is not CSV, but a spreadsheet or another zip archive: save it"),
        (b"PAR1...", "is not CSV, but a Parquet file: let its name end in .parquet"),
    ],
    ids=["gzip", "zip", "parquet"],  # the bytes of gzip hold the time
)
def test_files_of_another_kind(raw, message, path):
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match=message):
        read_table(path)


def test_a_first_line_that_may_be_a_row_is_told_of(path, caplog):
    write(path, "1\n2\n3\n")
    assert read_table(path).X.tolist() == [[2], [3]]
    assert "is taken for the names of the columns, because it counts them" in caplog.text
    caplog.clear()
    write(path, "0,1,2\n2,3,4\n")
    read_table(path)
    assert caplog.text == ""


def test_columns_between_bars_and_names_in_another_case(path):
    write(path, "Width|b\n1|2\n3|4\n")
    assert read_table(path).X.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(NotInFileError, match="has no column 'width' .did you mean 'Width'?"):
        read_table(path, columns=["width"])


def test_a_missing_id(path):
    write(path, "id,a\nx,1\n,2\n")
    with pytest.raises(FileFormatError, match="has no id in line 3 .column 'id'.: give every row"):
        read_table(path, id_column="id")


def test_a_row_without_end(path, small_blocks):
    write(path, 't,a\n"' + "x" * 1000 + '",1\n')
    with pytest.raises(FileFormatError, match="cannot be read as a CSV file"):
        read_table(path, text_column="t")


def test_a_text_longer_than_the_standard_library_takes_by_default(path):
    limit = csv.field_size_limit()
    write(path, f"t,a\n{'x' * 200_000},1\ny,z\n")
    with pytest.raises(FileFormatError, match="has 'z' instead of a number in line 3, column 'a'"):
        read_table(path, columns=["a"])
    assert csv.field_size_limit() == limit


# ---- damage


@pytest.mark.parametrize("length", [5, 20, -9, -4, -1])
def test_compressed_files_that_end_too_early(length, tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n" * 20)[:length])
    with pytest.raises(FileFormatError, match="rows.csv.gz cannot be read as a CSV file"):
        read_table(path)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_any_damage(ending, tmp_path, seed):
    X = np.random.default_rng(seed).normal(size=(40, 3))
    lines = [f'"row, {i}",' + ",".join(map(str, row)) for i, row in enumerate(X)]
    text = "\n".join(["id,a,b,c", *lines]).encode()
    path = tmp_path / f"rows{ending}"
    path.write_bytes(gzip.compress(text) if ending == ".csv.gz" else text)
    assert count_refusals(path, 200, seed, id_column="id") > 100
