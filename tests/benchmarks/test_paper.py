"""From journals to what is committed of the paper's tables and figures; and what is committed."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import paper
from graphpac.experiments.config import experiment_names, load_experiment
from graphpac.experiments.explanations import UNEXPLAINED, explain
from graphpac.experiments.records import read_records
from tests.experiments.made_up import fill_journal

LARGEST_PICTURE = 150_000  # bytes


def few_seeds(name, runs=3, **changes):
    return replace(load_experiment(name), runs=runs, **changes)


@pytest.fixture
def docs(tmp_path):
    """A page with the marks of all experiments."""
    marks = [
        f"<!-- {name}:start -->\nold {name}\n<!-- {name}:end -->" for name in experiment_names()
    ]
    (tmp_path / paper.PAGE).write_text("# Page\n\n" + "\n\n".join(marks), encoding="utf-8")
    return tmp_path


def rows_of(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_everything_is_written_from_the_journals(tmp_path, docs, monkeypatch):
    table, figure = few_seeds("table5"), few_seeds("figure2", datasets=("usps",))
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, experiment in zip(paths, (table, figure), strict=True):
        fill_journal(path, [experiment], monkeypatch)

    written = paper.write_paper(read_records(paths), tmp_path / "results", docs)

    assert {"table5", "figure2"} <= set(written), "others may share some of their trials"
    assert "table6" not in written
    rows = rows_of(tmp_path / "results" / "table5.csv")
    assert len(rows) == 2 * 4 * 3
    first = rows[0]
    assert (first["dataset"], first["method"], first["metric"]) == ("mnist", "FCM w/o LCC", "NMI")
    assert (first["runs"], first["seeds"], first["published_mean"]) == ("3", "0 1 2", "0.489")
    assert len(first["values"].split()) == 3
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", first["first"])
    assert "cores (" in first["machine"]
    assert "graphpac" in first["versions"]
    picture = (docs / paper.IMAGES / "figure2.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < LARGEST_PICTURE
    page = (docs / paper.PAGE).read_text(encoding="utf-8")
    assert "old table5" not in page
    assert "old table6" in page
    assert "| FCM w/o LCC | " in page
    assert "](images/paper/figure2.png)" in page
    assert "Seeds: 3. Measured 20" in page


def test_seeds_beyond_the_definition_count_and_missing_ones_are_no_fault(
    tmp_path, docs, monkeypatch
):
    journal = tmp_path / "a.jsonl"
    fill_journal(journal, [few_seeds("table5"), few_seeds("table5", runs=12)], monkeypatch)
    lines = journal.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if '"dataset": "mnist"' not in line or '"seed": 11' in line]
    journal.write_text("\n".join(kept), encoding="utf-8")

    paper.write_paper(read_records([journal]), tmp_path / "results", docs)

    runs = {row["dataset"]: row["runs"] for row in rows_of(tmp_path / "results" / "table5.csv")}
    assert runs == {"mnist": "1", "usps": "12"}


def test_older_records_and_failures_are_read(tmp_path, docs, monkeypatch):
    journal = tmp_path / "a.jsonl"
    fill_journal(journal, [few_seeds("table5")], monkeypatch)
    entries = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    for entry in entries:
        del entry["processor"], entry["cores"]
    del entries[0]["outcome"]
    entries[0]["failure"] = "MemoryError"
    journal.write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")

    paper.write_paper(read_records([journal]), tmp_path / "results", docs)

    rows = rows_of(tmp_path / "results" / "table5.csv")
    assert sorted({row["runs"] for row in rows}) == ["2", "3"]
    assert "cores" not in rows[0]["machine"]


def test_times_of_another_machine_are_found(tmp_path, docs, monkeypatch):
    journal = tmp_path / "a.jsonl"
    fill_journal(journal, [few_seeds("figure8")], monkeypatch, timed_on="5 threads of another")

    paper.write_paper(read_records([journal]), tmp_path / "results", docs)

    rows = rows_of(tmp_path / "results" / "figure8.csv")
    assert {row["runs"] for row in rows} == {"3"}
    assert {row["metric"] for row in rows} == {"seconds", "NMI"}


COMMITTED = sorted(paper.RESULTS.glob("*.csv"))


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_every_marked_cell_is_explained(path):
    marked = {(row["dataset"], row["method"]) for row in rows_of(path) if row["marked"] == "yes"}
    unexplained = {cell for cell in marked if explain(*cell) == UNEXPLAINED}
    assert not unexplained


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_results_tell_when_and_on_what_they_were_measured(path):
    for row in rows_of(path):
        assert row["first"] <= row["last"]
        assert row["machine"]
        assert row["versions"].startswith("graphpac ")
        assert len(row["values"].split()) == int(row["runs"]) > 0


def test_the_page_has_a_place_for_everything():
    page = (paper.DOCS / paper.PAGE).read_text(encoding="utf-8")
    for name in experiment_names():
        assert f"<!-- {name}:start -->" in page
        assert f"<!-- {name}:end -->" in page
    for picture in re.findall(r"\]\((images/[^)]*)\)", page):
        assert (paper.DOCS / picture).stat().st_size < LARGEST_PICTURE


def test_nothing_of_the_paper_stands_beside_data_that_stand_in():
    for path in COMMITTED:
        for row in rows_of(path):
            if row["published_mean"]:
                assert row["dataset"] in {
                    *("pendigits", "isolet", "mnist", "coil100", "usps", "usps-signed")
                }, Path(path).stem
