"""What stands in files and in their names is shown on one line, escaped and cut, wherever it is."""

import logging

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graphpac import GPAC, load
from graphpac._wording import escaped, first_few, listing, short_path, short_repr, short_text
from graphpac.exceptions import CheckpointError, FileFormatError
from graphpac.io import Run, open_checkpoint
from graphpac.io.lock import locked
from graphpac.io.parts import Sizes
from graphpac.io.readers import read_table
from tests.io.files import assemble

HOSTILE = "\x1b[2J\n\r\u202e\x07"
LONG = "x" * 5000


def assert_is_harmless(message, longest=1000):
    assert message.isprintable()
    assert len(message) < longest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("größe 日本語 C:\\files", "größe 日本語 C:\\files"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("two\nlines", r"two\nlines"),
        ("right to \u202e left", r"right to \u202e left"),
        ("\udcff", r"\udcff"),
    ],
)
def test_what_cannot_be_printed_is_escaped(text, expected):
    assert escaped(text) == expected


def test_long_values_are_cut():
    assert short_repr("short") == "'short'"
    assert len(short_repr(np.arange(500))) < 90
    assert short_repr(HOSTILE).isprintable()
    assert short_text(LONG, 10) == "xxxxxxx..."
    assert short_text("x" * 10, 10) == "x" * 10
    assert len(short_text(HOSTILE * 1000, 50)) == 50


def test_the_end_of_a_long_path_stays():
    shown = short_path("/" + "folder/" * 200 + "rows.npy")
    assert len(shown) <= 240
    assert shown.startswith("/folder/")
    assert shown.endswith("/folder/rows.npy")


def test_of_many_names_the_first_are_listed():
    assert listing(["a", "b\n"]) == r"'a', 'b\n'"
    assert listing(list("abcd"), 2) == "'a', 'b' and 2 more"
    assert first_few(["a", "b", "c"], 1, "; ") == "a and 2 more"


# ---- names of files


@pytest.mark.parametrize("ending", [".npy", ".npz", ".parquet", ".csv", ".csv.gz", ".xlsx", ""])
def test_names_of_files_in_messages_of_readers(ending, tmp_path):
    path = tmp_path / f"a{HOSTILE}b{ending}"
    for ask in (path.write_bytes, lambda _: path.unlink()):
        ask(b"not at all")
        with pytest.raises((ValueError, OSError)) as refused:
            read_table(path)
        assert_is_harmless(str(refused.value))


def test_names_of_files_in_messages_of_models_and_checkpoints(tmp_path):
    path = tmp_path / HOSTILE
    with pytest.raises(OSError, match="cannot be read") as refused:
        load(path)
    assert_is_harmless(str(refused.value))
    path.mkdir()
    (path / f"foreign{HOSTILE}").touch()
    with pytest.raises(CheckpointError, match="files that are not of a checkpoint") as refused:
        GPAC(2).fit(np.eye(20), checkpoint=path)
    assert_is_harmless(str(refused.value))


# ---- what stands in files


@pytest.mark.parametrize("text", [HOSTILE, LONG], ids=["hostile", "long"])
@pytest.mark.parametrize("place", ["name", "value", "description", "number"])
def test_what_stands_in_a_checkpoint(text, place, tmp_path):
    run = Run({"X": {"is": "an array", "sha256": "12"}, "alpha": 1.0}, [1])
    changed = {
        "name": {**run.identity, text: 3},
        "value": {**run.identity, "alpha": text},
        "description": {**run.identity, "X": {"is": text}},
        "number": {**run.identity, **{f"{text}{i}": i for i in range(100)}},
    }[place]
    metadata = {"identity": changed, "seeds": [1]}
    (tmp_path / "run.gpac").write_bytes(assemble("checkpoint run", {}, metadata))
    with (
        open_checkpoint(tmp_path) as checkpoint,
        pytest.raises(CheckpointError, match="is the checkpoint of another run") as refused,
    ):
        checkpoint.begin(run, Sizes(3, 2))
    assert_is_harmless(str(refused.value), 2000)


@pytest.mark.parametrize("text", [HOSTILE.encode(), b"x" * 5000, b"\xff\xfe"])
def test_what_stands_in_a_lock(text, tmp_path):
    path = tmp_path / "lock"
    with locked(path):
        path.write_bytes(text)
        with pytest.raises(CheckpointError, match="is in use by") as refused, locked(path):
            pass
    assert_is_harmless(str(refused.value))


@pytest.mark.parametrize("text", [HOSTILE, LONG], ids=["hostile", "long"])
def test_what_stands_in_a_model(text, tmp_path):
    path = tmp_path / "model"
    wrong = np.zeros(3)
    for raw in (
        assemble(text, {}, {}),
        assemble("model", {text: wrong}, {}).replace(wrong.tobytes(), b"\1" * wrong.nbytes),
    ):
        path.write_bytes(raw)
        with pytest.raises(FileFormatError) as refused:
            load(path)
        assert_is_harmless(str(refused.value))


@pytest.mark.parametrize("text", [HOSTILE, LONG], ids=["hostile", "long"])
def test_what_stands_in_tables(text, tmp_path, caplog):
    parquet, archive = tmp_path / "rows.parquet", tmp_path / "rows.npz"
    refused = []
    for column in ([None, 1.0], [float("nan"), 1.0], [{text: 1}] * 2, ["a", "b"], [text] * 2):
        pq.write_table(pa.table({text: column}), parquet)
        for options in ({}, {"columns": [text]}, {"columns": ["*"]}, {"id_column": text}):
            with pytest.raises(FileFormatError) as error:
                read_table(parquet, **options)
            refused.append(error)
    np.savez(archive, **{text.replace("\n", ""): np.zeros(3), "one": np.zeros((2, 2, 2))})
    for key in (None, "two", text.replace("\n", "")):
        with pytest.raises(FileFormatError) as error:
            read_table(archive, key=key)
        refused.append(error)
    for error in refused:
        assert_is_harmless(str(error.value))
    with caplog.at_level(logging.INFO):
        pq.write_table(pa.table({text: ["a", "a"], "x": [1.0, 2.0], "y": [0.0, 1.0]}), parquet)
        read_table(parquet, id_column=text)
    assert len(caplog.messages) == 2
    for message in caplog.messages:
        assert_is_harmless(message)
