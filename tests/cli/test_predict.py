"""graphpac predict: the same columns, the same labels, one sentence for what does not fit."""

import csv
import json

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from graphpac.runs.folder import LABELS, MODEL


@pytest.fixture
def run(graphpac, rows_csv, tmp_path):
    folder = tmp_path / "run"
    options = ("--id-column", "name", "--no-report", "--quiet")
    assert graphpac("fit", rows_csv, "-c", "10", "-o", folder, *options).code == 0
    return folder


@pytest.fixture
def new(tmp_path):
    return tmp_path / "new.parquet"


def write_csv(path, columns):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def test_training_rows_get_their_labels(graphpac, run, rows_csv, new, monkeypatch):
    monkeypatch.setattr("graphpac.runs.predicting.BLOCK_ROWS", 150)
    done = graphpac("predict", run, rows_csv, "--output", new, "--id-column", "name")
    assert done.code == 0, done.err
    assert done.out.startswith(f"400 rows in 10 of 10 clusters, written to {new}; ")
    found, known = pq.read_table(new), pq.read_table(run / LABELS)
    assert found.schema == known.schema
    assert found["id"] == known["id"]
    assert np.mean(np.array(found["label"]) == np.array(known["label"])) >= 0.99


def test_a_model_file_and_csv(graphpac, run, rows_file, rows, tmp_path):
    np.save(rows_file, rows[:3])
    output = tmp_path / "new.csv"
    told = json.loads(graphpac("predict", run / MODEL, rows_file, "-o", output, "--json").out)
    assert told["n_rows"] == sum(told["cluster_sizes"]) == 3
    table = pyarrow.csv.read_csv(output)
    assert table["id"].to_pylist() == [0, 1, 2]
    assert table["label"].to_pylist() == pq.read_table(run / LABELS)["label"].to_pylist()[:3]


def test_columns_are_found_by_their_names(graphpac, run, rows, new, tmp_path):
    path = tmp_path / "shuffled.csv"
    columns = {f"pixel_{place}": rows[:20, place] for place in reversed(range(64))}
    write_csv(path, {"price": range(20), **columns})
    assert graphpac("predict", run, path, "-o", new, "--quiet") == (0, "", "")
    labels = pq.read_table(run / LABELS)["label"].to_pylist()[:20]
    assert pq.read_table(new)["label"].to_pylist() == labels


def test_missing_columns_are_named(graphpac, run, rows, new, tmp_path):
    path = tmp_path / "few.csv"
    write_csv(path, {f"pixel_{place}": rows[:5, place] for place in range(60)})
    failed = graphpac("predict", run, path, "-o", new)
    assert failed.code == 2
    assert failed.err == (
        f"graphpac: {path} lacks 4 of the 64 columns the model was fitted on ('pixel_60', "
        "'pixel_61', 'pixel_62' and 1 more).\n"
    )
    assert not new.exists()


def test_a_wrong_number_of_columns_is_one_sentence(graphpac, run, rows_file, rows, new):
    np.save(rows_file, rows[:, :10])
    failed = graphpac("predict", run, rows_file, "-o", new)
    assert failed.code == 2
    assert "has 10 columns of numbers, but the model was fitted on 64: choose" in failed.err
    assert failed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("model", "output", "code", "message"),
    [
        ("nowhere", "new.parquet", 2, "nowhere"),
        ("rows.csv", "new.parquet", 1, "is not a file of graphpac"),
        (".", "new.parquet", 2, "is not the folder of a finished run"),
        ("run", "new.txt", 2, "must end in .parquet or .csv"),
    ],
)
def test_wrong_names_are_one_sentence(
    graphpac, run, rows_csv, tmp_path, model, output, code, message
):
    failed = graphpac("predict", tmp_path / model, rows_csv, "-o", tmp_path / output)
    assert failed.code == code
    assert message in failed.err
    assert failed.err.count("\n") == 1


def test_the_rows_to_predict_are_never_replaced(graphpac, run, rows_csv):
    before = rows_csv.read_bytes()
    for options in ((), ("--overwrite",)):
        refused = graphpac("predict", run, rows_csv, "-o", rows_csv, *options)
        assert refused.code == 2
        assert "would replace what is read" in refused.err
    assert rows_csv.read_bytes() == before


def test_files_of_the_run_are_never_replaced(graphpac, run, rows_csv):
    refused = graphpac("predict", run, rows_csv, "-o", run / LABELS, "--overwrite")
    assert refused.code == 2
    assert "would replace what is read" in refused.err


def test_a_table_is_replaced_when_asked_only(graphpac, run, rows_csv, new):
    new.write_bytes(b"mine")
    refused = graphpac("predict", run, rows_csv, "-o", new)
    assert (refused.code, new.read_bytes()) == (2, b"mine")
    assert refused.err == (
        f"graphpac: --output {new} exists: add --overwrite to replace it, or name another.\n"
    )
    assert graphpac("predict", run, rows_csv, "-o", new, "--overwrite").code == 0
    assert pq.read_table(new).num_rows == 400
