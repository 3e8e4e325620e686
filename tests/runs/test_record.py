"""run.json: written whole, read with suspicion."""

import hashlib
import json

import numpy as np
import pytest

from graphpac.exceptions import FileFormatError
from graphpac.runs.folder import RECORD, RunFolder
from graphpac.runs.record import FORMAT, describe_file, read_record, write_record
from graphpac.runs.reporting import about_lines
from tests.io.mutations import mutate_tree


def make_record():
    source = {"name": "größe.csv", "columns": ["a", "b"], "key": None}
    return {
        "format": FORMAT,
        "created": "2026-11-18T02:00:00+00:00",
        "versions": {"graphpac": "0.1.0"},
        "input": {
            "source": source,
            "path": "../größe.csv",
            "sha256": "12ab",
            "n_rows": 3,
            "n_columns": 2,
            "dtype": "float32",
            "columns": ["a", "b"],
        },
        "parameters": {"n_clusters": 2},
        "fit": {"n_clusters": 2},
        "page": {"title": "größe.csv", "image_shape": [1, 2]},
        "outputs": {},
        "seconds": 0.5,
    }


def test_a_record_is_read_as_it_was_written(tmp_path):
    write_record(tmp_path / RECORD, make_record())
    assert read_record(RunFolder(tmp_path)) == make_record()


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"{}", b"\xff"])
def test_something_else_is_refused(tmp_path, text):
    (tmp_path / RECORD).write_bytes(text)
    with pytest.raises(FileFormatError, match="is damaged, or not the record of a run"):
        read_record(RunFolder(tmp_path))


def test_what_is_wrong_anywhere_is_refused(tmp_path, seed):
    """Mutants are refused, or hold what is read from a record."""
    rng = np.random.default_rng(seed)
    folder = RunFolder(tmp_path)
    refusals = []
    for _ in range(500):
        record = make_record()
        mutate_tree(record, rng)
        (tmp_path / RECORD).write_text(json.dumps(record))
        try:
            about_lines(read_record(folder))
        except FileFormatError as error:
            refusals.append(str(error))
    assert 200 < len(refusals) < 500
    assert all(refusal.isprintable() and len(refusal) < 300 for refusal in refusals)


def test_another_format_is_refused(tmp_path):
    write_record(tmp_path / RECORD, {"format": FORMAT + 1})
    with pytest.raises(FileFormatError, match="has the format 2, but this graphpac knows 1 only"):
        read_record(RunFolder(tmp_path))


def test_a_file_is_described_by_size_and_checksum(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    expected = {"bytes": 3, "sha256": hashlib.sha256(b"abc").hexdigest()}
    assert describe_file(path) == expected
