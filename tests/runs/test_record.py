"""run.json: written whole, read with suspicion."""

import hashlib

import pytest

from graphpac.exceptions import FileFormatError
from graphpac.runs.folder import RECORD, RunFolder
from graphpac.runs.record import FORMAT, describe_file, read_record, write_record


def test_a_record_is_read_as_it_was_written(tmp_path):
    record = {"format": FORMAT, "input": {"name": "größe.csv"}, "seconds": 0.5}
    write_record(tmp_path / RECORD, record)
    assert read_record(RunFolder(tmp_path)) == record


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"{}", b"\xff"])
def test_something_else_is_refused(tmp_path, text):
    (tmp_path / RECORD).write_bytes(text)
    with pytest.raises(FileFormatError, match="is damaged, or not the record of a run"):
        read_record(RunFolder(tmp_path))


def test_another_format_is_refused(tmp_path):
    write_record(tmp_path / RECORD, {"format": FORMAT + 1})
    with pytest.raises(FileFormatError, match="has the format 2, but this graphpac knows 1 only"):
        read_record(RunFolder(tmp_path))


def test_a_file_is_described_by_size_and_checksum(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    expected = {"bytes": 3, "sha256": hashlib.sha256(b"abc").hexdigest()}
    assert describe_file(path) == expected
