"""Archives: which array is taken, and that every byte of it is checked."""

import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphpac.exceptions import FileFormatError
from graphpac.io.readers import describe_table, npz, read_table
from tests.io.readers.damage import count_refusals
from tests.io.readers.test_npy import MATRICES

BOTH = pytest.mark.parametrize("ask", [read_table, describe_table])


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("npz") / "rows.npz"


@given(X=MATRICES, compressed=st.booleans(), fortran=st.booleans())
def test_what_is_saved_is_read(X, compressed, fortran, path):
    save = np.savez_compressed if compressed else np.savez
    save(path, X=np.asfortranarray(X) if fortran else X)
    table, shape = read_table(path), describe_table(path)
    assert table.X.dtype == shape.dtype == X.dtype
    assert (shape.n_rows, shape.n_columns) == X.shape
    np.testing.assert_array_equal(table.X, X)
    assert not shape.is_memory_map


@given(
    dense=hnp.arrays(
        st.sampled_from([np.float32, np.float64, np.int32]),
        hnp.array_shapes(min_dims=2, max_dims=2),
        elements=st.integers(0, 2),
    ),
    kind=st.sampled_from([sp.csr_matrix, sp.csr_array]),
)
def test_sparse_matrices_as_scipy_saves_them(dense, kind, path):
    sp.save_npz(path, kind(dense))
    table, shape = read_table(path), describe_table(path)
    assert isinstance(table.X, sp.csr_matrix)
    np.testing.assert_array_equal(table.X.toarray(), dense)
    assert (shape.n_rows, shape.n_columns, shape.dtype) == (*dense.shape, dense.dtype)
    assert shape.n_stored == table.X.nnz


def test_reading_goes_by_blocks(path, monkeypatch):
    monkeypatch.setattr(npz, "BLOCK_BYTES", 100)
    X = np.arange(120, dtype=np.float32).reshape(40, 3)
    np.savez(path, X=X)
    calls = []
    table = read_table(path, progress=lambda done, total: calls.append((done, total)))
    np.testing.assert_array_equal(table.X, X)
    assert calls == [(100, 480), (200, 480), (300, 480), (400, 480), (480, 480)]


@pytest.mark.parametrize(
    ("arrays", "key", "expected"),
    [
        ({"X": np.eye(2), "Z": np.eye(3), "y": np.arange(2)}, None, 2),
        ({"embeddings": np.eye(3), "y": np.arange(3)}, None, 3),
        ({"X": np.arange(3), "Z": np.eye(3)}, None, 3),
        ({"X": np.eye(2), "Z": np.eye(3)}, "Z", 3),
        ({"texts": np.array([["a"]]), "arr_0": np.eye(3)}, None, 3),
    ],
)
def test_which_array_is_taken(arrays, key, expected, path):
    np.savez(path, **arrays)
    assert read_table(path, key=key).X.shape[0] == expected
    assert describe_table(path, key=key).n_rows == expected


def test_labels_that_would_have_to_be_unpickled_do_not_matter(path):
    np.savez(path, X=np.eye(2), y=np.array([1, "a"], dtype=object), allow_pickle=True)
    assert read_table(path).X.shape == (2, 2)


@BOTH
@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        (
            {"A": np.eye(2), "B": np.eye(2)},
            {},
            "holds several matrices .'A', 'B'.: choose one with key=NAME",
        ),
        ({"y": np.arange(2)}, {}, r"holds no two-dimensional .* but 'y' int64 \(2,\): save one"),
        ({}, {}, "holds no two-dimensional array of real numbers, but nothing"),
        ({"X": np.eye(2)}, {"key": "Z"}, "has no array 'Z' .it has 'X'."),
        ({"X": np.eye(2), "y": np.arange(2)}, {"key": "y"}, "the array 'y' has the shape"),
        ({"X": np.array([[1, "a"]], dtype=object)}, {"key": "X"}, "'X' has the dtype object"),
    ],
)
def test_arrays_that_are_not_there(ask, arrays, options, message, path):
    np.savez(path, **arrays)
    with pytest.raises(FileFormatError, match=message):
        ask(path, **options)


@BOTH
@pytest.mark.parametrize("kind", [sp.csc_matrix, sp.coo_matrix, sp.dia_matrix])
def test_sparse_matrices_by_columns(ask, kind, path):
    sp.save_npz(path, kind(np.eye(2)))
    with pytest.raises(FileFormatError, match=r"holds a sparse array of the format .*tocsr"):
        ask(path)


def test_ids_and_texts_are_arrays_of_the_archive(path):
    np.savez(path, X=np.eye(2), names=np.array(["a", "b"]), numbers=np.array([7, 2**63], "u8"))
    table = read_table(path, id_column="numbers", text_column="names")
    assert (table.ids, table.texts) == ([7, 2**63], ["a", "b"])


@pytest.mark.parametrize("wrong", [np.eye(2), np.arange(3), np.zeros(2), np.array([b"a", b"b"])])
def test_ids_that_are_none(wrong, path):
    np.savez(path, X=np.eye(2), ids=wrong)
    with pytest.raises(FileFormatError, match="'ids' has the dtype .* for each of 2 rows is neede"):
        read_table(path, id_column="ids")


def test_kept_columns_are_arrays_of_the_archive(path):
    when = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    np.savez(path, X=np.eye(2), place=np.array(["a", "b"]), when=when, size=np.array([1, 2], "u1"))
    kept = read_table(path, keep_columns=["place", "w*", "size"]).kept
    assert list(kept) == ["place", "when", "size"]
    assert [values.dtype.kind for values in kept.values()] == ["U", "M", "u"]


@pytest.mark.parametrize("wrong", [np.eye(2), np.arange(3), np.array([1, "a"], dtype=object)])
def test_what_is_no_column_cannot_be_kept(wrong, path):
    np.savez(path, X=np.eye(2), wrong=wrong)
    with pytest.raises(FileFormatError, match="'wrong' has the dtype .* 2 rows is needed to keep"):
        read_table(path, keep_columns=["wrong"])


def test_a_changed_byte_is_found(path):
    np.savez(path, X=np.zeros((100, 5)))
    raw = bytearray(path.read_bytes())
    raw[2000] ^= 1
    path.write_bytes(raw)
    assert describe_table(path).n_rows == 100
    with pytest.raises(FileFormatError, match="cannot be read as an .npz archive .Bad CRC-32"):
        read_table(path)


def test_a_header_that_tells_of_more_than_there_is(path):
    """The check comes before any memory is taken."""
    array = path.with_name("X.npy")
    np.save(array, np.zeros((4, 5)))
    raw = array.read_bytes().replace(b"(4, 5), }        ", b"(4, 500000000), }")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", raw)
    with pytest.raises(FileFormatError, match="'X' is not as large as its header tells"):
        read_table(path)


def test_no_memory(path, monkeypatch):
    """Which is no fault of the file."""
    np.savez(path, X=np.zeros((4, 5)))

    def refuse(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(np, "empty", refuse)
    with pytest.raises(MemoryError, match=r"rows.npz tells of an array of the shape \(4, 5\), for"):
        read_table(path)


def test_column_numbers_outside_of_the_matrix(path):
    np.savez(path, format=b"csr", shape=[2, 3], data=[1.0, 2.0], indices=[0, 3], indptr=[0, 1, 2])
    with pytest.raises(FileFormatError, match="cannot be read as an .npz archive"):
        read_table(path)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_any_damage(save, path, seed):
    X = np.random.default_rng(seed).normal(size=(50, 3))
    save(path, X=X, y=np.arange(50), ids=np.arange(50))
    assert count_refusals(path, 200, seed, id_column="ids") > 200


def test_any_damage_to_a_sparse_matrix(path, seed):
    sp.save_npz(path, sp.csr_matrix(np.random.default_rng(seed).poisson(0.4, size=(50, 6))))
    assert count_refusals(path, 200, seed) > 200
