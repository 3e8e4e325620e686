"""Columns that are carried into the tables, and folders of Parquet parts as the input."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from graphpac.runs.folder import LABELS, RECORD, REPORT


@pytest.fixture
def parts(rows, tmp_path):
    """The rows in three files of a folder, with what is known about them."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for part, some in enumerate(np.array_split(np.arange(len(rows)), 3)):
        table = {
            "name": [f"row-{i}" for i in some],
            "vector": list(rows[some]),
            "text": [f"digit {i}" for i in some],
            "label": pa.array(some % 7, pa.int8()),
            "when": pa.array(some, pa.timestamp("ms")),
        }
        pq.write_table(pa.table(table), folder / f"part-{part}.parquet")
    return folder


@pytest.fixture
def run(graphpac, parts, tmp_path):
    options = ("--id-column", "name", "--text-column", "text", "--keep-columns", "la*,when")
    done = graphpac("fit", parts, "-c", "10", "-o", tmp_path / "run", *options, "--quiet")
    assert done == (0, "", "")
    return tmp_path / "run"


def test_a_folder_is_fitted_and_its_columns_are_kept(run, fitted, rows):
    table = pq.read_table(run / LABELS)
    assert table["label"].to_pylist() == fitted.labels_.tolist()
    assert table["id"].to_pylist() == [f"row-{i}" for i in range(len(rows))]
    assert table["label_input"].to_pylist() == [i % 7 for i in range(len(rows))]
    assert table["label_input"].type == pa.int8()
    assert table["when"].type == pa.timestamp("ms")
    stored = json.loads((run / RECORD).read_text())["input"]
    assert stored["n_rows"] == len(rows)
    assert stored["path"] == "../parts"
    assert stored["source"]["keep_columns"] == ["la*", "when"]


def test_a_finished_run_of_a_folder_notices_changes_of_parts(graphpac, run, parts, tmp_path):
    options = ("--id-column", "name", "--keep-columns", "la*,when", "--resume")
    again = ("fit", parts, "-c", "10", "-o", run, *options)
    assert graphpac(*again).code == 0
    moved = parts.rename(tmp_path / "elsewhere")
    page = (run / REPORT).read_text()
    assert graphpac("report", run, "--data", moved, "--quiet") == (0, "", "")
    assert (run / REPORT).read_text() == page
    (moved / "part-1.parquet").rename(moved / "part-3.parquet")
    failed = graphpac("report", run, "--data", moved)
    assert f"{moved} is not what was clustered, or has changed since" in failed.err
    moved.rename(parts)
    assert "the data have changed" in graphpac(*again).err


def test_nothing_is_written_into_the_folder_that_is_read(graphpac, run, parts):
    before = sorted(parts.rglob("*"))
    for command in (
        ("fit", parts, "-c", "10", "-o", parts / "deep" / "run"),
        ("predict", run, parts, "-o", parts / "new.parquet"),
    ):
        failed = graphpac(*command)
        assert failed.code == 2
        assert f"is inside {parts}, all of which is read: name another place" in failed.err
    assert sorted(parts.rglob("*")) == before


def test_predict_keeps_texts_and_columns(graphpac, run, parts, tmp_path):
    new = tmp_path / "new.csv"
    options = ("--text-column", "text", "--keep-columns", "label", "--quiet")
    assert graphpac("predict", run, parts, "-o", new, *options) == (0, "", "")
    table = pyarrow.csv.read_csv(new)
    assert table.column_names[-2:] == ["text", "label_input"]
    assert table["text"].to_pylist()[:2] == ["digit 0", "digit 1"]
    assert table["label_input"].to_pylist()[:8] == [0, 1, 2, 3, 4, 5, 6, 0]


def test_predict_tells_what_cannot_be_kept(graphpac, run, parts, rows_file, tmp_path):
    for data, column, message in (
        (parts, "vector", "--keep-columns: the column 'vector' has the type"),
        (parts, "town", "has no column 'town'"),
        (rows_file, "town", "--keep-columns town has no meaning for .npy files such as"),
    ):
        failed = graphpac(
            "predict", run, data, "-o", tmp_path / "new.csv", "--keep-columns", column
        )
        assert failed.code == 2
        assert message in failed.err
        assert failed.err.count("\n") == 1
        assert not (tmp_path / "new.csv").exists()


def test_a_folder_is_described(graphpac, parts):
    told = json.loads(graphpac("estimate", parts, "-c", "10", "--json").out)
    assert (told["n_rows"], told["n_features"]) == (400, 64)
