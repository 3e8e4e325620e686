"""Arrays on disk are mapped to memory, whatever their order and type."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from graphpac.exceptions import FileFormatError
from graphpac.io.readers import describe_table, read_table
from tests.io.readers.damage import count_refusals

MATRICES = hnp.arrays(
    hnp.boolean_dtypes()
    | hnp.integer_dtypes(endianness="?")
    | hnp.unsigned_integer_dtypes(endianness="?")
    | hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
    hnp.array_shapes(min_dims=2, max_dims=2),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("npy") / "rows.npy"


def save(path, array):
    path.unlink(missing_ok=True)
    np.save(path, array)


@given(X=MATRICES)
def test_what_is_saved_is_read(X, path):
    for layout in (X, np.asfortranarray(X)):
        save(path, layout)
        table = read_table(path)
        assert table.X.dtype == X.dtype
        np.testing.assert_array_equal(table.X, X)
        assert (table.ids, table.texts, table.columns) == (None, None, None)
        shape = describe_table(path)
        assert (shape.n_rows, shape.n_columns) == X.shape
        assert shape.dtype == X.dtype


def test_it_stays_on_disk_and_cannot_be_changed(path):
    save(path, np.eye(4))
    calls = []
    X = read_table(path, progress=lambda done, total: calls.append((done, total))).X
    assert isinstance(X, np.memmap)
    assert not X.flags.writeable
    assert describe_table(path).is_memory_map
    assert calls == [(1, 1)]


@pytest.mark.parametrize("ask", [read_table, describe_table])
@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(4), r"has the shape \(4,\), but one row per sample is needed: save X.reshape"),
        (np.zeros((2, 3, 4)), r"has the shape \(2, 3, 4\), but"),
        (np.array([["a", "b"]]), "has the dtype <U1, but real numbers are needed"),
        (np.zeros((2, 2), dtype=complex), "has the dtype complex128, but"),
        (np.array([[1, "a"]], dtype=object), "has the dtype object, but"),
        (np.zeros((2, 2), dtype=[("a", int)]), "has the dtype .*, but"),
    ],
    ids=lambda value: None if isinstance(value, str) else str(value.dtype),
)
def test_arrays_that_are_no_rows_of_numbers(ask, array, message, path):
    path.unlink(missing_ok=True)
    np.save(path, array, allow_pickle=True)
    with pytest.raises(FileFormatError, match=f"rows.npy {message}"):
        ask(path)


def test_a_file_that_ends_too_early(path):
    save(path, np.eye(40))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FileFormatError, match="cannot be read as an .npy file .*: it is damaged"):
        read_table(path)


@pytest.mark.parametrize("raw", [b"PK\x03\x04", b"\x93NUMPY", b"1,2\n3,4\n", bytes(500)])
def test_other_files(raw, path):
    path.unlink(missing_ok=True)
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match="cannot be read as an .npy file"):
        read_table(path)


@pytest.mark.parametrize("shape", [b"(-4, 4)", b"((((, 4)", b"(4.5,4)"])
def test_headers_that_make_no_sense(shape, path):
    save(path, np.zeros((4, 4)))
    path.write_bytes(path.read_bytes().replace(b"(4, 4) ", shape[:7]).replace(b"(4, 4)", shape))
    for ask in (read_table, describe_table):
        with pytest.raises(FileFormatError, match="rows.npy cannot be read as an .npy file"):
            ask(path)


def test_any_damage(path, seed):
    save(path, np.arange(60.0).reshape(20, 3))
    assert count_refusals(path, 300, seed) > 50
