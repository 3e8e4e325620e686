"""Parquet: columns of lists and of numbers, of all types, and what no vector may hold."""

import tracemalloc
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from packaging.version import Version

from graphpac.exceptions import FileFormatError
from graphpac.io.readers import describe_table, parquet, read_table
from tests.io.readers.damage import count_refusals

BOTH = pytest.mark.parametrize("ask", [read_table, describe_table])
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
MATRICES = hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2), elements=FLOATS)
LIST_TYPES = {
    "list": lambda item, n: pa.list_(item),
    "large list": lambda item, n: pa.large_list(item),
    "fixed-size list": pa.list_,
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("parquet") / "rows.parquet"


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(parquet, "BLOCK_BYTES", 64)


def write(path, columns, **options):
    pq.write_table(pa.table(columns), path, **options)


def as_column(numbers, kind):
    # Arrow itself does not always know how to make float16 from integers.
    return (
        pa.array(numbers.astype(np.float16))
        if kind == pa.float16()
        else pa.array(numbers).cast(kind)
    )


# ---- what is read


@given(X=MATRICES, kind=st.sampled_from(sorted(LIST_TYPES)), rows_in_group=st.integers(1, 9))
def test_columns_of_lists(X, kind, rows_in_group, path):
    lists = pa.array(X.tolist(), LIST_TYPES[kind](pa.float32(), X.shape[1]))
    write(path, {"name": ["a"] * len(X), "vector": lists}, row_group_size=rows_in_group)
    table, shape = read_table(path), describe_table(path)
    assert table.X.dtype == shape.dtype == np.float32
    assert (shape.n_rows, shape.n_columns) == X.shape
    np.testing.assert_array_equal(table.X, X)
    assert (table.ids, table.texts, table.columns) == (None, None, None)


@given(X=MATRICES, rows_in_group=st.integers(1, 9))
def test_columns_of_numbers(X, rows_in_group, path):
    columns = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    write(path, {"name": ["a"] * len(X), **columns}, row_group_size=rows_in_group)
    table, shape = read_table(path), describe_table(path)
    assert table.X.dtype == shape.dtype == np.float32
    assert (shape.n_rows, shape.n_columns) == X.shape
    np.testing.assert_array_equal(table.X, X)
    assert table.columns == tuple(columns)


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ([pa.float32()], np.float32),
        ([pa.float64()], np.float32),
        ([pa.float16()], np.float16),
        ([pa.uint8(), pa.uint8()], np.uint8),
        ([pa.int16()], np.int16),
        ([pa.int64()], np.float32),
        ([pa.uint8(), pa.int8()], np.float32),
        ([pa.float16(), pa.float32()], np.float32),
        ([pa.int32(), pa.float64(), pa.uint16()], np.float32),
        ([pa.decimal128(21, 2), pa.int8()], np.float32),
    ],
    ids=str,
)
def test_types_are_kept_if_small_and_else_become_float32(types, expected, path):
    numbers = np.array([3, 0, 100])
    write(path, {str(j): as_column(numbers, kind) for j, kind in enumerate(types)})
    table = read_table(path)
    assert table.X.dtype == describe_table(path).dtype == expected
    np.testing.assert_array_equal(table.X, np.repeat(numbers[:, None], len(types), axis=1))


@pytest.mark.parametrize("item", [pa.float16(), pa.float64(), pa.int8(), pa.int64(), pa.bool_()])
@pytest.mark.parametrize("kind", sorted(LIST_TYPES))
def test_lists_of_other_numbers(item, kind, path):
    items = as_column(np.array([0, 1, 1, 1]), item)
    offsets = pa.array([0, 2, 4], pa.int64() if kind == "large list" else pa.int32())
    make = {
        "list": lambda: pa.ListArray.from_arrays(offsets, items),
        "large list": lambda: pa.LargeListArray.from_arrays(offsets, items),
        "fixed-size list": lambda: pa.FixedSizeListArray.from_arrays(items, 2),
    }
    write(path, {"vector": make[kind]()})
    table = read_table(path)
    assert table.X.dtype == describe_table(path).dtype
    np.testing.assert_array_equal(table.X, [[0, 1], [1, 1]])


def test_tensors_are_lists_of_their_numbers(path):
    X = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    write(path, {"image": pa.FixedShapeTensorArray.from_numpy_ndarray(X)})
    assert describe_table(path).n_columns == 6
    np.testing.assert_array_equal(read_table(path).X, X.reshape(2, 6))


@pytest.mark.parametrize("kind", ["list", "columns"])
def test_reading_goes_by_blocks(kind, path, small_blocks):
    X = np.arange(90, dtype=np.float32).reshape(30, 3)
    columns = {"v": list(X)} if kind == "list" else {str(j): X[:, j] for j in range(3)}
    write(path, {"id": np.arange(30), **columns}, row_group_size=7)
    calls = []
    table = read_table(path, id_column="id", progress=lambda *counts: calls.append(counts))
    np.testing.assert_array_equal(table.X, X)
    assert table.ids == list(range(30))
    assert len(calls) > 10
    assert calls[-1] == (30, 30)


def test_more_columns_than_are_read_at_once(path, small_blocks):
    X = np.arange(50 * 20, dtype=np.float32).reshape(20, 50)
    write(path, {f"c{j}": X[:, j] for j in range(50)}, row_group_size=7)
    calls = []
    table = read_table(path, columns=["c4*", "*"], progress=lambda *counts: calls.append(counts))
    order = [int(name[1:]) for name in table.columns]
    assert sorted(order) == list(range(50))
    assert order[:3] == [4, 40, 41]
    np.testing.assert_array_equal(table.X, X[:, order])
    assert calls == sorted(calls)
    assert calls[-1] == (80, 80)
    X[13, 44] = np.nan
    write(path, {f"c{j}": X[:, j] for j in range(50)}, row_group_size=7)
    with pytest.raises(FileFormatError, match="has NaN in row 13, column 'c44'"):
        read_table(path)


@pytest.mark.parametrize("kind", ["list", "columns"])
def test_memory_is_that_of_the_rows_and_some_blocks(kind, path, monkeypatch, seed):
    monkeypatch.setattr(parquet, "BLOCK_BYTES", 1 << 16)
    X = np.random.default_rng(seed).normal(size=(20_000, 160)).astype(np.float32)
    if kind == "list":
        columns = {"v": pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 160)}
    else:
        columns = {str(j): X[:, j] for j in range(160)}
    write(path, columns, row_group_size=1 << 20, use_dictionary=False)
    del columns
    pool = pa.default_memory_pool()
    before = pool.bytes_allocated()
    peaks = []
    tracemalloc.start()
    try:
        table = read_table(path, progress=lambda *_: peaks.append(pool.bytes_allocated() - before))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(table.X, X)
    assert peak < X.nbytes + 1e6
    assert max(peaks) < 6e6  # a page of each column that is read at once, packed and unpacked


@pytest.mark.parametrize("library", ["pandas", "polars", "polars arrays"])
def test_files_of_data_frames(library, path):
    vectors = [[1.0, 2.0], [3.0, 4.0]]
    if library == "pandas":
        pd.DataFrame({"id": ["a", "b"], "v": vectors}).to_parquet(path)
    else:
        kind = pl.List(pl.Float32) if library == "polars" else pl.Array(pl.Float32, 2)
        pl.DataFrame({"id": ["a", "b"], "v": vectors}, schema_overrides={"v": kind}).write_parquet(
            path
        )
    table = read_table(path, id_column="id", text_column="id")
    assert table.X.tolist() == vectors
    assert table.ids == table.texts == ["a", "b"]


# ---- which columns


@pytest.fixture
def mixed(path):
    write(
        path,
        {
            "id": [10, 20],
            "text": ["x", None],
            "flag": [True, False],
            "emb_1": [1.0, 2.0],
            "emb_0": [3, 4],
            "other": pa.array([5, 6], pa.int8()),
            "kind": pa.array(["p", "q"]).dictionary_encode(),
        },
    )
    return path


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (None, ("emb_1", "emb_0", "other")),
        (["other", "emb_0"], ("other", "emb_0")),
        (["emb_*"], ("emb_1", "emb_0")),
        ("emb_?", ("emb_1", "emb_0")),
        (["emb_0", "emb_*"], ("emb_0", "emb_1")),
        (["flag", "id"], ("flag", "id")),
    ],
)
def test_columns_are_chosen_by_name_or_pattern(columns, expected, mixed):
    table = read_table(mixed, columns=columns, id_column="id", text_column="text")
    assert table.columns == expected
    assert table.X.shape == (2, len(expected))
    assert (table.ids, table.texts) == ([10, 20], ["x", ""])
    shape = describe_table(mixed, columns=columns, id_column="id", text_column="text")
    assert shape.n_columns == len(expected)


def test_a_column_of_lists_is_taken_before_numbers(path):
    write(path, {"n": [1, 2], "v": [[1.0, 2.0], [3.0, 4.0]], "names": [["a"], ["b"]]})
    assert read_table(path).X.tolist() == [[1, 2], [3, 4]]
    assert read_table(path, columns=["n"]).X.tolist() == [[1], [2]]


def test_one_of_several_columns_of_lists(path):
    write(path, {"a": [[1.0], [2.0]], "b": [[3.0, 4.0], [5.0, 6.0]]})
    assert read_table(path, columns=["b"]).X.tolist() == [[3, 4], [5, 6]]
    with pytest.raises(FileFormatError, match="has several columns of lists .'a', 'b'.: choose"):
        read_table(path)


@pytest.mark.parametrize("index", [pd.Index([7, 9]), pd.Index([7, 9], name="doc")])
def test_the_index_of_a_frame_is_no_feature(index, path):
    pd.DataFrame({"a": [1.0, 2.0]}, index=index).to_parquet(path)
    assert read_table(path).columns == ("a",)
    if index.name:
        assert read_table(path, id_column="doc").ids == [7, 9]


def test_columns_whose_names_tell_that_they_are_no_features(path, caplog):
    write(path, {"ID": [1, 2], "a": [1.0, 2.0]})
    read_table(path)
    assert "the vectors have 'ID' in them, pass id_column or columns=NAMES" in caplog.text
    caplog.clear()
    read_table(path, id_column="ID")
    read_table(path, columns=["ID", "a"])
    assert not caplog.records


@BOTH
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["emb_2"]}, "has no column 'emb_2' .did you mean 'emb_"),
        ({"columns": ["zzz*"]}, r"has no column 'zzz\*': it has 'id', 'text', "),
        ({"columns": ["text"]}, "has no numbers in the column 'text': choose other"),
        ({"columns": ["*"]}, "has no numbers in the columns 'text', 'kind': "),
        ({"id_column": "nummer"}, "has no column 'nummer'"),
    ],
)
def test_columns_that_are_not_there_or_no_numbers(ask, options, message, mixed):
    with pytest.raises(FileFormatError, match=message):
        ask(mixed, **options)


@BOTH
def test_lists_beside_other_columns(ask, path):
    write(path, {"a": [1.0], "v": [[1.0]], "when": [date(2020, 1, 1)]})
    with pytest.raises(FileFormatError, match="has lists in 'v', which cannot be joined with"):
        ask(path, columns=["a", "v"])
    with pytest.raises(FileFormatError, match="has no numbers in the column 'when': choose other"):
        ask(path, columns=["a", "when"])


@BOTH
def test_nothing_but_texts(ask, path):
    write(path, {"a": ["x"], "b": [["y"]]})
    with pytest.raises(FileFormatError, match="has neither a column of lists .* but 'a' string, "):
        ask(path)


@BOTH
def test_two_columns_of_one_name(ask, path):
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), path)
    with pytest.raises(FileFormatError, match="has 2 columns called 'a': give every column"):
        ask(path)


# ---- what no vector may hold


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (pa.array([1.0, None, 3.0]), "a missing value"),
        (pa.array([1, None, 3], pa.uint8()), "a missing value"),
        (pa.array([1.0, np.nan, 3.0]), "NaN"),
        (pa.array([1.0, np.inf, 3.0]), "infinity, or a number too large for float64,"),
    ],
    ids=str,
)
def test_values_that_are_none(values, problem, path):
    values = pa.concat_arrays([values.slice(0, 1)] * 20 + [values])
    write(path, {"a": values, "b": values})
    with pytest.raises(FileFormatError, match=f"has {problem} in row 21, column 'a': correct"):
        read_table(path)


@pytest.mark.parametrize("kind", sorted(LIST_TYPES))
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (None, "has a missing value in row 21, column 'v'"),
        ([1.0, None], "has a missing value in row 21, number 1 of the column 'v'"),
        ([1.0, np.nan], "has NaN in row 21, number 1 of the column 'v'"),
        ([-np.inf, 1.0], "has infinity, .* in row 21, number 0 of the column 'v'"),
    ],
)
def test_lists_with_values_that_are_none(kind, wrong, message, path, small_blocks):
    if kind == "fixed-size list" and wrong is None and Version(pa.__version__) < Version("26"):
        pytest.skip("Arrow before 26 refuses to write or to read a missing list of fixed size")
    lists = [[0.0, 1.0]] * 21 + [wrong] + [[0.0, 1.0]] * 3
    write(path, {"v": pa.array(lists, LIST_TYPES[kind](pa.float64(), 2))}, row_group_size=8)
    with pytest.raises(FileFormatError, match=message):
        read_table(path)


@pytest.mark.parametrize("wrong", [[1.0], [], [1.0, 2.0, 3.0]])
def test_lists_of_different_lengths(wrong, path, small_blocks):
    write(path, {"v": [[0.0, 1.0]] * 21 + [wrong]}, row_group_size=8)
    message = f"has {len(wrong)} numbers in row 21, column 'v', but 2 in the first row: make"
    with pytest.raises(FileFormatError, match=message):
        read_table(path)


@BOTH
@pytest.mark.parametrize("first", [[], None])
def test_a_first_list_of_nothing(ask, first, path):
    write(path, {"v": pa.array([first, [1.0]], pa.list_(pa.float32()))})
    with pytest.raises(FileFormatError, match="rows.parquet has "):
        ask(path)


@BOTH
def test_no_rows(ask, path):
    for columns in ({"a": pa.array([], pa.float32())}, {"v": pa.array([], pa.list_(pa.float32()))}):
        write(path, columns)
        with pytest.raises(FileFormatError, match="has 0 rows and"):
            ask(path)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", None], "has no id in row 1 .column 'id'.: give every row an id"),
        ([1.0, 2.0], "has values of type float in the column 'id', but ids are strings or integ"),
        ([True, False], "has values of type bool in the column 'id'"),
    ],
)
def test_ids_that_are_none(ids, message, path):
    write(path, {"id": ids, "a": [1.0, 2.0]})
    with pytest.raises(FileFormatError, match=message):
        read_table(path, id_column="id")


def test_texts_that_are_none(path):
    write(path, {"text": [1, 2], "a": [1.0, 2.0]})
    with pytest.raises(FileFormatError, match="has values of type int in the column 'text', but t"):
        read_table(path, text_column="text")


# ---- damage


@BOTH
@pytest.mark.parametrize("raw", [b"PAR1", b"PAR1" * 5, b"a,b\n1,2\n", bytes(1000)])
def test_other_files(ask, raw, path):
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match="cannot be read as a Parquet file .*: it is damaged"):
        ask(path)


def test_a_file_that_ends_too_early(path):
    write(path, {"a": np.arange(1000.0)})
    raw = path.read_bytes()
    for length in (len(raw) - 1, len(raw) // 2, 100):
        path.write_bytes(raw[:length])
        with pytest.raises(FileFormatError, match="cannot be read as a Parquet file"):
            read_table(path)


def test_checksums_are_compared_where_there_are_some(path):
    numbers = np.arange(1000.0)
    write(path, {"a": numbers}, write_page_checksum=True, compression="none", use_dictionary=False)
    raw = path.read_bytes()
    place = raw.index(numbers[:100].tobytes())
    path.write_bytes(raw[:place] + b"\x01" + raw[place + 1 :])
    with pytest.raises(FileFormatError, match="cannot be read as a Parquet file"):
        read_table(path)


@pytest.mark.parametrize("compression", ["none", "snappy"])
@pytest.mark.parametrize("kind", ["list", "fixed-size list", "columns"])
def test_any_damage(kind, compression, path, seed):
    X = np.random.default_rng(seed).normal(size=(60, 3)).astype(np.float32)
    columns = {str(j): X[:, j] for j in range(3)}
    if kind != "columns":
        columns = {"v": pa.array(list(X), LIST_TYPES[kind](pa.float32(), 3))}
    ids = [f"row {i}" for i in range(60)]
    write(path, {"id": ids, **columns}, compression=compression, row_group_size=25)
    assert count_refusals(path, 100, seed, id_column="id") > 50
