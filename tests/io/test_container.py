"""One file for arrays: what goes in comes out, and nothing but that comes out."""

import errno
import json
import os
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphpac.exceptions import FileFormatError
from graphpac.io import blocks
from graphpac.io.container import DTYPES, MAGIC, Contents, read_file, write_file
from tests.io.files import join, overwrite, split

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ARRAYS = st.sampled_from(sorted(DTYPES)).flatmap(
    lambda name: hnp.arrays(name, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
)


@pytest.fixture
def contents(seed):
    rng = np.random.default_rng(seed)
    arrays = {
        "values": rng.normal(size=(7, 3)).astype(np.float32),
        "nothing": np.empty((0, 4), dtype=np.int64),
        "flags": rng.integers(0, 2, 5).astype(bool),
        "scalar": np.array(3.5),
    }
    return Contents(arrays, {"name": "a Ü b", "numbers": [1, 2.5, None], "large": 2**127 + 1})


def assert_same(found, expected):
    assert found.metadata == expected.metadata
    assert list(found.arrays) == list(expected.arrays)
    for name, array in expected.arrays.items():
        assert found.arrays[name].dtype == array.dtype.newbyteorder("=")
        assert found.arrays[name].shape == array.shape
        assert found.arrays[name].tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()
        assert found.arrays[name].flags.writeable


@given(st.dictionaries(st.text(), ARRAYS, max_size=4), st.dictionaries(st.text(), JSON, max_size=3))
def test_what_goes_in_comes_out(tmp_path_factory, arrays, metadata):
    path = tmp_path_factory.mktemp("file") / "x.gpac"
    write_file(path, "test", Contents(arrays, metadata))
    assert_same(read_file(path, "test"), Contents(arrays, metadata))
    assert [file.name for file in path.parent.iterdir()] == ["x.gpac"]


def test_memory_order_and_byte_order_are_not_kept(tmp_path, contents):
    values = contents.arrays["values"]
    odd = {"F": np.asfortranarray(values), "big": values.astype(">f4"), "strided": values[::2]}
    write_file(tmp_path / "x", "test", Contents(odd, {}))
    assert_same(read_file(tmp_path / "x", "test"), Contents(odd, {}))


def test_arrays_begin_at_multiples_of_64_bytes(tmp_path, contents):
    write_file(tmp_path / "x", "test", contents)
    raw = (tmp_path / "x").read_bytes()
    header, data = split(raw)
    assert (len(raw) - len(data)) % 64 == 0
    for entry in header["arrays"]:
        assert entry["offset"] % 64 == 0
        array = contents.arrays[entry["name"]]
        assert data[entry["offset"] :].startswith(array.tobytes())
        assert int(entry["crc32"], 16) == zlib.crc32(array.tobytes())
    assert header["kind"] == "test"
    assert isinstance(header["graphpac"], str)


@pytest.mark.parametrize("order", ["C", "F"])
def test_large_arrays_are_not_copied(tmp_path, monkeypatch, order):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1 << 18)
    array = np.ones((2048, 2048), dtype=np.float32, order=order)
    tracemalloc.start()
    try:
        write_file(tmp_path / "x", "test", Contents({"array": array}, {}))
        assert tracemalloc.get_traced_memory()[1] < array.nbytes / 8
        tracemalloc.reset_peak()
        read_file(tmp_path / "x", "test")
        assert tracemalloc.get_traced_memory()[1] < array.nbytes * 1.2
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "array", [np.array([{}]), np.array(["text"]), np.array([1j]), np.zeros(2, dtype="f4,i4")]
)
def test_only_plain_numbers_are_written(tmp_path, array):
    with pytest.raises(TypeError, match="^the array 'bad' has dtype .*, which the file format"):
        write_file(tmp_path / "x", "test", Contents({"bad": array}, {}))
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch, contents):
    path = tmp_path / "x"
    write_file(path, "test", contents)
    before = path.read_bytes()

    def fail(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_file(path, "test", Contents({}, {}))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


# ---- what is refused


def test_another_kind_of_file(tmp_path, contents):
    write_file(tmp_path / "x", "model", contents)
    with pytest.raises(FileFormatError, match="x is a file of the kind 'model' instead of 'graph'"):
        read_file(tmp_path / "x", "graph")


@pytest.mark.parametrize("raw", [b"", b"PK\x03\x04", b"\x93NUMPY" + bytes(100), MAGIC[:7]])
def test_foreign_files(tmp_path, raw):
    (tmp_path / "x").write_bytes(raw)
    with pytest.raises(FileFormatError, match="x is not a file of graphpac"):
        read_file(tmp_path / "x", "test")


def test_a_later_version_of_the_format(tmp_path):
    (tmp_path / "x").write_bytes(join({"anything": True}, b"", version=2))
    message = "x has the format version 2, but this graphpac knows versions up to 1: read it with"
    with pytest.raises(FileFormatError, match=message):
        read_file(tmp_path / "x", "test")


def test_any_damage(tmp_path, contents, seed):
    """Thousands of changed files: each is refused, or what changed was between the arrays."""
    path = tmp_path / "x"
    write_file(path, "test", contents)
    raw = path.read_bytes()
    rng = np.random.default_rng(seed)
    refusals = []
    for _ in range(5000):
        damaged = bytearray(raw)
        kind = rng.integers(5)
        if kind == 0:
            del damaged[rng.integers(len(raw)) :]
        elif kind == 1:
            damaged += rng.bytes(rng.integers(1, 100))
        elif kind == 2:  # the first bytes: lengths, versions and checksums
            damaged[rng.integers(24)] = rng.integers(256)
        else:
            for place in rng.integers(len(raw), size=rng.integers(1, 4)):
                damaged[place] = rng.integers(256)
        overwrite(path, damaged)
        try:
            assert_same(read_file(path, "test"), contents)
        except FileFormatError as error:
            refusals.append(str(error))
    assert len(refusals) > 3000
    assert all(refusal.startswith(f"{path} ") for refusal in refusals)


def test_any_damage_of_the_header_whose_checksum_was_made_anew(tmp_path, contents, seed):
    path = tmp_path / "x"
    write_file(path, "test", contents)
    header, data = split(path.read_bytes())
    raw = json.dumps(header).encode()
    rng = np.random.default_rng(seed)
    for _ in range(5000):
        damaged = bytearray(raw)
        for place in rng.integers(len(raw), size=rng.integers(1, 3)):
            damaged[place] = rng.choice(list(b'0123456789-.eE"{}[],:anu'))
        overwrite(path, join(bytes(damaged), data))
        try:
            read_file(path, "test")
        except FileFormatError:
            continue


ENTRY = {"name": "a", "dtype": "float32", "shape": [4], "offset": 0, "crc32": "ecbb4b55"}


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [2**33]},
        {"shape": [2**62, 2**62]},
        {"shape": [0, 2**62, 2**62]},
        {"shape": [-4]},
        {"shape": [-2, -2]},
        {"shape": [4.0]},
        {"shape": [True, 4]},
        {"shape": 4},
        {"shape": [1] * 100},
        {"shape": "4"},
        {"dtype": "object"},
        {"dtype": "complex64"},
        {"dtype": None},
        {"dtype": ["float32"]},
        {"offset": 64},
        {"offset": -64},
        {"offset": 0.0},
        {"offset": None},
        {"name": None},
        {"name": ["a"]},
        {"crc32": None},
        {"crc32": "xyz"},
        {"crc32": "00000000"},
    ],
    ids=str,
)
def test_headers_that_lie(tmp_path, changes):
    """With checksums made anew, so that only the meaning is wrong."""
    path = tmp_path / "x"
    header = {"kind": "test", "metadata": {}, "arrays": [ENTRY]}
    path.write_bytes(join(header, bytes(16)))
    assert read_file(path, "test").arrays["a"].tolist() == [0.0] * 4
    path.write_bytes(join({**header, "arrays": [{**ENTRY, **changes}]}, bytes(16)))
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError, match="x is damaged: "):
            read_file(path, "test")
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"kind": "test", "arrays": []}',
        b'{"kind": "test", "metadata": [], "arrays": []}',
        b'{"kind": ["test"], "metadata": {}, "arrays": []}',
        b'{"kind": "test", "metadata": {}, "arrays": 5}',
        b'{"kind": "test", "metadata": {}, "arrays": [5]}',
        b'{"kind": "test", "metadata": {"n": ' + b"9" * 5000 + b'}, "arrays": []}',
        json.dumps({"kind": "test", "metadata": {}, "arrays": [ENTRY, ENTRY]}).encode(),
    ],
)
def test_headers_that_are_none(tmp_path, header):
    (tmp_path / "x").write_bytes(join(header, bytes(80)))
    with pytest.raises(FileFormatError, match="x is damaged: "):
        read_file(tmp_path / "x", "test")
