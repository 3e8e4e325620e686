"""Features a user brings: what is refused, and when; how many rows there are."""

import re
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from graphpac.exceptions import FileFormatError
from graphpac.experiments import running
from graphpac.experiments.config import Series, parse_experiment
from graphpac.experiments.data import check_features, count_rows, load_data
from graphpac.experiments.explanations import BROUGHT, explain, remarks_on
from graphpac.experiments.reproduce import reproduce
from graphpac.experiments.requests import Request
from graphpac.experiments.summary import Cell
from graphpac.experiments.trials import Place, Trial

N_ROWS = 60
ROWS = np.random.default_rng(0).normal(size=(N_ROWS, 4))
CLASSES = np.repeat(np.arange(3), 20)
TABLE = """
title = "One method"
kind = "table"
datasets = ["digits"]
runs = 1
[[series]]
label = "KM"
method = "km"
"""


def with_value(value):
    rows = ROWS.copy()
    rows[7, 2] = value
    return rows


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": CLASSES}, "has no array 'X' (it has 'y')."),
        ({"X": ROWS}, "has no array 'y' (it has 'X')."),
        ({"X": ROWS[0], "y": CLASSES}, "has the shape (4,), but one row per sample is needed"),
        ({"X": ROWS.astype(str), "y": CLASSES}, "but real numbers are needed"),
        ({"X": ROWS + 1j, "y": CLASSES}, "but real numbers are needed"),
        ({"X": with_value(np.nan), "y": CLASSES}, "has NaN in row 7, column 2 of X: "),
        ({"X": with_value(np.inf), "y": CLASSES}, "has infinity, or a number too large for"),
        ({"X": with_value(1e300), "y": CLASSES}, "has infinity, or a number too large for float32"),
        ({"X": ROWS[:0], "y": CLASSES[:0]}, "has 0 rows and 4 columns of numbers"),
        ({"X": ROWS, "y": CLASSES[:, None]}, "y has the shape (60, 1), but one label for each of"),
        ({"X": ROWS, "y": CLASSES[:-1]}, "y has the shape (59,), but one label for each of 60"),
        ({"X": ROWS, "y": ROWS[:, 0]}, "y holds float64 such as 0.1257"),
        ({"X": ROWS, "y": np.full(N_ROWS, np.nan)}, "y holds float64 such as nan, but classes"),
        ({"X": ROWS, "y": np.full(N_ROWS, np.inf)}, "y holds float64 such as inf, but classes"),
        ({"X": ROWS, "y": CLASSES * 1j}, "y holds complex128 such as 0j, but classes are needed"),
        ({"X": ROWS, "y": CLASSES.astype(object)}, "the array 'y' holds Python objects: save"),
        ({"X": ROWS, "y": np.zeros(N_ROWS)}, "the number of different labels in y is 1 for 60"),
        ({"X": ROWS, "y": np.arange(N_ROWS)}, "the number of different labels in y is 60 for 60"),
    ],
)
def test_arrays_that_cannot_be_scored_get_one_sentence(tmp_path, arrays, message):
    path = tmp_path / "mine.npz"
    np.savez(path, **arrays)
    with pytest.raises(FileFormatError, match=re.escape(message)) as refused:
        check_features({"mine": path})
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


def damaged_zip(path):
    np.savez(path, X=ROWS, y=CLASSES)
    content = bytearray(path.read_bytes())
    content[200:400] = bytes(200)
    path.write_bytes(content)


def cut_zip(path):
    np.savez(path, X=ROWS, y=CLASSES)
    path.write_bytes(path.read_bytes()[:500])


@pytest.mark.parametrize(
    ("name", "write", "message"),
    [
        ("mine.npy", lambda path: np.save(path, ROWS), "must be an .npz file with the arrays X"),
        ("mine.csv", lambda path: path.write_text("X,y\n1,2\n"), "must be an .npz file with the"),
        ("mine.npz", lambda path: path.touch(), "is empty"),
        ("mine.npz", lambda path: path.write_text("text"), "cannot be read as an .npz archive"),
        ("mine.npz", damaged_zip, "cannot be read as an .npz archive"),
        ("mine.npz", cut_zip, "cannot be read as an .npz archive"),
        ("mine.npz", lambda path: path.mkdir(), "is a folder"),
        ("mine.npz", lambda _path: None, "there is no file"),
    ],
)
def test_files_of_another_kind_get_one_sentence(tmp_path, name, write, message):
    path = tmp_path / name
    write(path)
    with pytest.raises((FileFormatError, OSError), match=re.escape(message)) as refused:
        check_features({"mine": path})
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, float, "U3", "S3"])
def test_classes_may_be_whole_numbers_or_strings(tmp_path, dtype):
    path = tmp_path / "mine.npz"
    np.savez(path, X=ROWS.astype(np.float16), y=(CLASSES > 0).astype(dtype))
    data = load_data("Mine", features={"MINE": path})
    assert (data.X.dtype, data.y.dtype, data.n_classes) == (np.float32, np.int32, 2)
    np.testing.assert_array_equal(data.y, CLASSES > 0)


def test_a_file_is_refused_before_anything_runs(tmp_path, monkeypatch):
    def run_trial(*_, **__):
        pytest.fail("a trial was run")

    monkeypatch.setattr(running, "run_trial", run_trial)
    path = tmp_path / "zzz.npz"
    np.savez(path, X=ROWS, y=ROWS[:, 0])
    request = Request(datasets=("digits", "zzz"), features={"zzz": path})
    with pytest.raises(FileFormatError, match="classes are needed"):
        reproduce([parse_experiment("mine", TABLE)], tmp_path / "out", request)
    assert not (tmp_path / "out").exists()


def test_a_file_that_vanishes_meanwhile_does_not_end_the_others(tmp_path, monkeypatch):
    path = tmp_path / "mine.npz"
    np.savez(path, X=ROWS, y=CLASSES)
    trials = [Trial("mine", "km", {}, 0, features="1"), Trial("wine", "km", {}, 0)]
    path.unlink()
    found = running.run_trials(trials, tmp_path / "journal", features={"mine": path})
    assert "there is no file" in found[trials[0].key].reason
    assert found[trials[1].key].NMI > 0.0


def test_explanations_are_not_about_data_somebody_brings():
    place = Place("pendigits", Series(label="SC", method="sc"))
    trial = Trial("pendigits", "sc", {}, 0)
    ours = Cell(place, "NMI", (trial,) * 2, (0.9, 0.9), 0.7, 0.0)
    brought = replace(ours, trials=(replace(trial, features="digest"),) * 2)
    assert [remark.text for remark in remarks_on([ours])] == [explain("pendigits", "SC")]
    assert [remark.text for remark in remarks_on([brought])] == [BROUGHT]


def test_rows_are_counted_where_the_data_are(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_DATA", str(tmp_path / "empty"))
    path = tmp_path / "mine.npz"
    np.savez(path, X=ROWS, y=CLASSES)
    assert count_rows("digits") == 1797
    assert count_rows("digits", {"Digits": path}) == N_ROWS
    assert count_rows("tinyimagenet-10") == inf
