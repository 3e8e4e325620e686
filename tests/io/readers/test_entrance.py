"""Which file is read by which reader, and what is refused before any of them."""

import errno
from pathlib import Path

import numpy as np
import pytest

from graphpac.exceptions import FileFormatError
from graphpac.io.readers import TableShape, describe_table, read_table

BOTH = pytest.mark.parametrize("ask", [read_table, describe_table])


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.eye(3))
    return path


def test_the_ending_may_be_in_capitals(saved, tmp_path):
    path = saved.rename(tmp_path / "ROWS.NPY")
    assert read_table(path).X.shape == (3, 3)


def test_names_of_files_may_be_text_or_paths(saved):
    assert read_table(str(saved)).source == read_table(saved).source == str(saved)


@BOTH
def test_there_is_no_such_file(ask, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file .*nothing.npy: check its name"):
        ask(tmp_path / "nothing.npy")


@BOTH
def test_a_folder_without_parts(ask, tmp_path):
    (tmp_path / "_temporary").mkdir()
    for name in ("rows.npy", ".part-0.parquet", "_temporary/part-0.parquet"):
        (tmp_path / name).touch()
    with pytest.raises(IsADirectoryError, match="is a folder without .parquet files: pass one"):
        ask(tmp_path)


@BOTH
def test_an_unknown_ending(ask, tmp_path):
    (tmp_path / "rows.xlsx").write_bytes(b"anything")
    with pytest.raises(ValueError, match="ends in '.xlsx', but graphpac reads .npy, .npz, .*h5ad"):
        ask(tmp_path / "rows.xlsx")


@BOTH
@pytest.mark.parametrize("ending", [".npy", ".npz", ".parquet", ".csv", ".tsv", ".csv.gz", ".h5ad"])
def test_an_empty_file(ask, ending, tmp_path):
    path = tmp_path / f"rows{ending}"
    path.touch()
    with pytest.raises(FileFormatError, match=f"rows{ending} is empty"):
        ask(path)


@BOTH
def test_a_file_that_may_not_be_read(ask, saved, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(
        PermissionError, match="rows.npy cannot be opened .Permission denied.: check"
    ):
        ask(saved)


@BOTH
def test_no_name_of_a_file(ask):
    with pytest.raises(TypeError, match="source is of type ndarray, but the name of a file"):
        ask(np.eye(3))


@BOTH
@pytest.mark.parametrize("option", ["columns", "id_column", "text_column", "key"])
def test_options_without_a_meaning_for_the_format(ask, option, saved):
    message = f"{option}=.* has no meaning for .npy files such as .*rows.npy"
    with pytest.raises(ValueError, match=message):
        ask(saved, **{option: "a"})


@BOTH
def test_a_key_for_a_table(ask, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="key='X' has no meaning for .csv files"):
        ask(path, key="X")


@BOTH
def test_no_columns_at_all(ask, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="columns is empty: name at least one column"):
        ask(path, columns=[])


@BOTH
@pytest.mark.parametrize("shape", [(0, 4), (4, 0)])
def test_tables_of_nothing(ask, shape, tmp_path):
    np.save(tmp_path / "rows.npy", np.empty(shape))
    with pytest.raises(FileFormatError, match=f"has {shape[0]} rows and {shape[1]} columns"):
        ask(tmp_path / "rows.npy")


def test_standard_input_cannot_be_described():
    with pytest.raises(ValueError, match="standard input can be read only once"):
        describe_table("-")


def test_shapes_are_values(saved):
    expected = TableShape(3, 3, np.dtype(np.float64), is_memory_map=True)
    assert describe_table(saved) == expected


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e-40, 1e39, 1e200, 1e308])
@pytest.mark.parametrize("ending", [".csv", ".vectors.csv", ".parquet"])
def test_numbers_float32_cannot_hold_are_read_as_float64(ending, size, tmp_path):
    X = size * np.array([[1.0, -0.5], [0.25, 0.0], [0.125, 0.5]])
    path = tmp_path / f"rows{ending}"
    if ending == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        pyarrow = pytest.importorskip("pyarrow")
        parquet.write_table(pyarrow.table({"a": X[:, 0], "b": X[:, 1]}), path)
    elif ending == ".csv":
        path.write_text("a,b\n" + "".join(f"{a!r},{b!r}\n" for a, b in X.tolist()))
    else:
        path.write_text("v\n" + "".join(f'"{row}"\n' for row in X.tolist()))
    np.testing.assert_array_equal(read_table(path).X, X)


def test_a_tiny_number_beside_others_does_not_double_the_memory(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,1e-200\n2,0\n")
    assert read_table(path).X.dtype == np.float32
    path.write_text("a,b\n0,0\n0,0\n")
    assert read_table(path).X.dtype == np.float32
