"""graphpac bench: methods beside each other, each in its own process."""

import json

import numpy as np
import pytest

from graphpac.measuring.own_process import KilledError, RaisedError
from graphpac.runs import bench
from graphpac.runs.known_labels import read_labeled
from graphpac.runs.source import Source


@pytest.fixture
def in_this_process(monkeypatch):
    """Measure here, because new processes take seconds to begin; tell what shall go wrong."""
    problems = {}

    def call(work):
        name = work.args[0]
        if name in problems:
            raise problems[name]
        return work()

    monkeypatch.setattr(bench, "call_in_own_process", call)
    return problems


def test_a_table_with_scores(graphpac, in_this_process):
    done = graphpac("bench", "iris", "--methods", "gpac,KM")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "iris: 150 x 4, 3 clusters asked for"
    assert lines[2].split() == ["method", "seconds", "peak", "MB", "clusters", "NMI", "ACC", "ARI"]
    assert [line.split()[0] for line in lines[3:]] == ["GPAC", "KM"]


def test_a_method_that_fails_is_told_and_the_others_go_on(graphpac, in_this_process, rows_file):
    in_this_process["fcm"] = RaisedError("ValueError", "not\ntoday")
    in_this_process["spkm"] = KilledError("its process was killed")
    done = graphpac("bench", rows_file, "-c", "5", "--methods", "fcm,spkm,km")
    assert done.code == 0
    assert done.err.splitlines() == [
        "graphpac: warning: FCM failed: not today",
        "graphpac: warning: SPKM failed: its process was killed",
    ]
    assert "NMI" not in done.out
    assert [line.split()[0] for line in done.out.splitlines()[3:]] == ["FCM", "SPKM", "KM"]


@pytest.mark.slow
def test_a_process_each(graphpac_process):
    done = graphpac_process("bench", "iris", "--methods", "km,gpac", "--json", "--threads", "1")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["data"], found["n_clusters"]) == ("iris", 3)
    for item in found["methods"]:
        assert item["problem"] is None
        assert item["seconds"] > 0
        assert item["peak_memory"] > 10
        assert item["n_clusters"] == 3
        assert 0 < item["nmi"] <= 1


def test_clusters_must_be_told_where_classes_are_not_known(graphpac, rows_file):
    failed = graphpac("bench", rows_file)
    assert failed.code == 2
    assert "say how many, since there are no known classes to count." in failed.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-c", "500"), "--clusters 500 must be at most 400, the number of rows"),
        (("-c", "3", "--threads", "5000"), "--threads 5000 must be at most 1,024: there are"),
        (("-c", "3", "--labels", "nowhere.txt"), "--labels nowhere.txt is not a file"),
    ],
)
def test_wrong_values_are_told_before_anything_is_measured(graphpac, rows_file, options, message):
    failed = graphpac("bench", rows_file, *options)
    assert failed.code == 2
    assert failed.err.startswith(f"graphpac: {message}")


def test_a_contest_nobody_finished_has_failed(graphpac, rows_file, in_this_process):
    in_this_process["km"] = RaisedError("ValueError", "not today")
    for options in ((), ("--json",)):
        assert graphpac("bench", rows_file, "-c", "3", "--methods", "km", *options).code == 1


def test_unknown_methods_are_one_sentence(graphpac, rows_file):
    failed = graphpac("bench", rows_file, "-c", "3", "--methods", "umap")
    assert failed.code == 2
    assert failed.err.startswith("graphpac: there is no method 'umap': choose one of ")


@pytest.fixture
def labeled_csv(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,kind\n1,2,cat\n3,4,dog\n5,6,cat\n", encoding="utf-8")
    return path


def read(path, **given):
    options = {"label_column": None, "labels": None, "progress": lambda *_: None}
    return read_labeled(Source(name=str(path)), **{**options, **given})


def test_labels_of_a_column_are_no_features(labeled_csv, caplog):
    found = read(labeled_csv, label_column="kind")
    assert found.X.shape == (3, 2)
    assert found.y.tolist() == ["cat", "dog", "cat"]
    assert found.n_classes == 2


def test_labels_of_a_file(labeled_csv, tmp_path):
    np.save(tmp_path / "y.npy", [1, 1, 0])
    assert read(labeled_csv, labels=tmp_path / "y.npy").y.tolist() == [1, 1, 0]
    (tmp_path / "y.txt").write_text("cat\ndog\ncow", encoding="utf-8")
    assert read(labeled_csv, labels=tmp_path / "y.txt").n_classes == 3


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("y.txt", b"cat\ndog\n", "holds labels of the shape (2,), but"),
        ("y.npy", b"", "cannot be read as labels"),
        ("y.txt", b"\xff\xfe\xff", "cannot be read as labels"),
    ],
)
def test_other_labels_are_refused(labeled_csv, tmp_path, name, raw, message):
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read(labeled_csv, labels=tmp_path / name)
    assert message in str(caught.value)
