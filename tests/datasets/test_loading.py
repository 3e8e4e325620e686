"""Loading by name, from scikit-learn, from disk and from OpenML; the network is never used."""

import logging

import numpy as np
import pytest
import sklearn.datasets

from graphpac.datasets import available, load, loading, storage
from graphpac.datasets.registry import EMBEDDED, FILES, FileRecord, OpenMLSource
from graphpac.exceptions import DatasetError

TOY_X = np.arange(12, dtype=np.float16).reshape(4, 3)
TOY_Y = np.array([0, 1, 1, 0], dtype=np.uint8)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder."""
    monkeypatch.setenv("GRAPHPAC_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def register(monkeypatch):
    """Put a toy data set into the table of files."""

    def add(**changes):
        record = FileRecord(
            **{
                "name": "toy",
                "sha256": "0" * 64,
                "shape": TOY_X.shape,
                "n_classes": 2,
                "description": "Four rows.",
            }
            | changes
        )
        monkeypatch.setitem(FILES, "toy", record)
        return record

    return add


@pytest.fixture
def toy_file(folder, register):
    """A toy data set on disk, with its true checksum in the table."""
    path = folder / "toy.npz"
    np.savez(path, X=TOY_X, y=TOY_Y)
    status = path.stat()
    register(sha256=storage._sha256(path, status.st_mtime_ns, status.st_size))
    return path


@pytest.fixture
def openml(monkeypatch):
    """Stand in for OpenML: returns what the test puts in, counts how often it is asked."""

    class FakeOpenML:
        X = np.array([[1.0, -1.0, 0.0]] * 4)
        labels = np.array(["10", "2", "2", "10"], dtype=object)
        requests: list = []  # noqa: RUF012 - one instance per test

        def __call__(self, **request):
            self.requests.append(request)
            if isinstance(self.X, Exception):
                raise self.X
            return self.X, self.labels

    fake = FakeOpenML()
    fake.requests = []
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fake)
    return fake


@pytest.mark.parametrize("name", sorted(EMBEDDED))
def test_embedded_data_sets_always_load(name, folder):
    data = load(name, download=False)
    assert data.X.dtype == np.float32
    assert data.y.dtype == np.int32
    assert len(np.unique(data.y)) == data.n_classes
    assert "scikit-learn" in data.source


def test_names_ignore_case(folder):
    assert load("DIGITS").name == "digits"


def test_short_representation(folder):
    assert repr(load("digits")) == "Dataset('digits', 1797 x 64 float32, 10 classes)"


def test_unknown_name_is_answered_with_the_nearest(folder):
    with pytest.raises(
        DatasetError, match=r"no data set 'minst': did you mean 'mnist'\? known are"
    ):
        load("minst")


def test_float16_becomes_float32_and_labels_int32(toy_file):
    data = load("toy")
    assert data.X.dtype == np.float32
    assert data.y.dtype == np.int32
    np.testing.assert_array_equal(data.X, TOY_X)
    np.testing.assert_array_equal(data.y, TOY_Y)
    assert data.source == str(toy_file)


def test_divisor_is_applied(toy_file, register):
    register(sha256=FILES["toy"].sha256, divisor=4)
    np.testing.assert_array_equal(load("toy").X, TOY_X.astype(np.float32) / 4)


def test_whole_numbers_stay_as_stored(folder, register):
    path = folder / "toy.npz"
    np.savez(path, X=TOY_X.astype(np.uint8), y=TOY_Y)
    register(sha256=storage._sha256(path, 0, 0))
    assert load("toy").X.dtype == np.uint8


def test_a_changed_file_is_refused_even_after_a_good_load(toy_file):
    load("toy")
    np.savez(toy_file, X=TOY_X + 1, y=TOY_Y)
    with pytest.raises(DatasetError, match="instead of .* damaged or another version"):
        load("toy")


def test_the_checksum_is_computed_once(toy_file, monkeypatch):
    load("toy")
    monkeypatch.setattr(storage.hashlib, "file_digest", None)
    load("toy")


def test_pickles_are_never_read(folder, register):
    path = folder / "toy.npz"
    np.savez(path, X=TOY_X.astype(object), y=TOY_Y)
    register(sha256=storage._sha256(path, 1, 1))
    with pytest.raises(DatasetError, match="cannot be read as an .npz file"):
        load("toy")


def test_a_file_of_other_shape_is_refused(toy_file, register):
    register(sha256=FILES["toy"].sha256, shape=(5, 3))
    with pytest.raises(DatasetError, match="toy has 5 rows of 3 features"):
        load("toy")


def test_missing_file_says_what_to_put_where(folder, register):
    register()
    with pytest.raises(DatasetError) as caught:
        load("toy")
    message = str(caught.value)
    for part in ("put toy.npz", "X of 4 x 3", "sha256 000", str(folder), "GRAPHPAC_DATA"):
        assert part in message


def test_download_is_scaled_numbered_and_kept(folder, register, openml):
    register(openml=OpenMLSource(7, rescale=True))
    first, second = load("toy"), load("toy")

    assert len(openml.requests) == 1
    assert openml.requests[0]["data_id"] == 7
    np.testing.assert_array_equal(first.X, [[1.0, 0.0, 0.5]] * 4)
    np.testing.assert_array_equal(first.y, [1, 0, 0, 1])  # as numbers, 2 comes before 10
    np.testing.assert_array_equal(second.X, first.X)
    np.testing.assert_array_equal(second.y, first.y)
    assert first.source == "OpenML data set 7"
    assert "earlier download from OpenML" in second.source
    assert [path.name for path in folder.iterdir()] == ["toy.openml.npz"]


def test_our_own_file_is_preferred_to_openml(toy_file, register, openml):
    register(sha256=FILES["toy"].sha256, openml=OpenMLSource(7))
    assert load("toy").source == str(toy_file)
    assert not openml.requests


@pytest.mark.parametrize(
    ("values", "dtype"), [(255.0, np.uint8), (256.0, np.float32), (0.5, np.float32)]
)
def test_downloaded_bytes_stay_bytes(folder, register, openml, values, dtype):
    register(openml=OpenMLSource(7))
    openml.X = np.full((4, 3), values)
    data = load("toy")
    assert data.X.dtype == dtype
    assert (data.X == values).all()


def test_download_can_be_forbidden(folder, register, openml):
    register(openml=OpenMLSource(7))
    with pytest.raises(DatasetError, match="or allow the download"):
        load("toy", download=False)
    assert not openml.requests


@pytest.mark.parametrize(
    ("X", "labels", "message"),
    [
        (ConnectionError("no route"), None, "could not be downloaded .* no route; try again"),
        (np.zeros((3, 3)), ["1", "2", "2"], "has 4 rows of 3 features"),
        (np.zeros((4, 3)), ["1", "2", "3", "4"], "has 4 classes, but toy has 2"),
    ],
)
def test_a_bad_download_is_refused_and_not_kept(folder, register, openml, X, labels, message):
    register(openml=OpenMLSource(7))
    openml.X, openml.labels = X, labels
    with pytest.raises(DatasetError, match=message):
        load("toy")
    assert not list(folder.iterdir())


def test_an_unwritable_folder_costs_only_the_copy(folder, register, openml, monkeypatch, caplog):
    def refuse(*_):
        raise PermissionError("read-only")

    register(openml=OpenMLSource(7))
    monkeypatch.setattr(loading, "write_arrays", refuse)
    with caplog.at_level(logging.WARNING):
        assert load("toy").X.shape == (4, 3)
    assert "could not be kept" in caplog.text


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="disk full"):
        storage.write_arrays(tmp_path / "new" / "toy.npz", TOY_X, TOY_Y)
    assert not list((tmp_path / "new").iterdir())


def test_available_tells_where_each_comes_from(toy_file):
    status = available()
    assert list(status) == sorted(status)
    assert status["digits"] == "embedded"
    assert status["toy"] == "on disk"
    assert status["mnist"] == "on OpenML"
    assert status["coil20"] == "missing"


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "chosen/graphpac"),
        ("linux", None, "home/.cache/graphpac"),
        ("darwin", None, "home/Library/Caches/graphpac"),
        ("win32", "LOCALAPPDATA", "chosen/graphpac"),
        ("win32", None, "home/AppData/Local/graphpac"),
    ],
)
def test_default_folder_follows_the_platform(tmp_path, monkeypatch, platform, variable, expected):
    for name in ("GRAPHPAC_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "chosen"))
    monkeypatch.setattr(storage.sys, "platform", platform)
    monkeypatch.setattr(storage.Path, "home", lambda: tmp_path / "home")
    assert storage.data_folder() == tmp_path / expected


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_file_on_this_machine_is_as_recorded(name, dataset):
    data = dataset(name)
    record = FILES[name]
    assert data.X.shape == record.shape
    assert data.X.dtype in (np.float32, np.uint8)
    assert np.array_equal(np.unique(data.y), np.arange(record.n_classes))
