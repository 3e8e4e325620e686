"""graphpac report: the page again, without a fit."""

import json

import pytest

from graphpac.runs.folder import RECORD, REPORT
from graphpac.runs.record import describe_file


@pytest.fixture
def run(graphpac, rows_csv, tmp_path):
    folder = tmp_path / "run"
    options = ("--id-column", "name", "--quiet")
    assert graphpac("fit", rows_csv, "-c", "10", "-o", folder, *options).code == 0
    return folder


def page_of(run):
    return (run / REPORT).read_text(encoding="utf-8")


def test_the_page_is_made_again_with_other_words(graphpac, run):
    assert "digit 1" not in page_of(run)
    done = graphpac("report", run, "--title", "Digits & more", "--text-column", "text")
    assert (done.code, done.out) == (0, f"The report is {run / REPORT}\n")
    assert "Digits &amp; more" in page_of(run)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;, so" in page_of(run)
    record = json.loads((run / RECORD).read_text(encoding="utf-8"))
    assert record["outputs"][REPORT] == describe_file(run / REPORT)
    again = page_of(run)
    graphpac("report", run)  # remembers both
    assert page_of(run) == again


def test_the_page_of_the_fit_is_repeated(graphpac, run):
    before = page_of(run)
    (run / REPORT).unlink()
    assert graphpac("report", run, "--quiet") == (0, "", "")
    assert page_of(run) == before


def test_another_file_leaves_the_run_as_it_is(graphpac, run, tmp_path):
    before = {name.name: name.read_bytes() for name in run.iterdir()}
    graphpac("report", run, "--output", tmp_path / "page.html", "--image-shape", "8x8")
    assert "data:image/png" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert {name.name: name.read_bytes() for name in run.iterdir()} == before


def test_data_that_were_moved_are_told(graphpac, run, rows_csv, tmp_path):
    moved = tmp_path / "elsewhere.csv"
    rows_csv.rename(moved)
    assert graphpac("report", run).code == 0  # needs no data
    failed = graphpac("report", run, "--text-column", "text")
    assert failed.code == 2
    assert (
        "rows.csv is not there, and only it holds texts and images: say with --data" in failed.err
    )
    done = graphpac("report", run, "--text-column", "text", "--data", moved)
    assert done.code == 0, done.err
    without = graphpac("report", run)
    assert without.code == 0
    assert "the report shows none" in without.err


def test_data_that_were_changed_are_refused(graphpac, run, rows_csv):
    rows_csv.write_text(rows_csv.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    failed = graphpac("report", run, "--text-column", "text")
    assert failed.code == 1
    assert "is not what was clustered, or has changed since." in failed.err


def test_runs_without_facts_or_a_record_are_refused(graphpac, rows_file, tmp_path):
    graphpac("fit", rows_file, "-c", "10", "-o", tmp_path / "bare", "--no-report")
    failed = graphpac("report", tmp_path / "bare")
    assert failed.code == 2
    assert "has no summary.graphpac: fit again to make it, without --no-report." in failed.err
    failed = graphpac("report", tmp_path)
    assert "is not the folder of a finished run: it has no run.json." in failed.err


def test_another_file_is_replaced_when_asked_only(graphpac, run, rows_csv, tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes(b"mine")
    refused = graphpac("report", run, "--output", page)
    assert (refused.code, page.read_bytes()) == (2, b"mine")
    assert "exists: add --overwrite to replace it" in refused.err
    assert graphpac("report", run, "--output", page, "--overwrite").code == 0
    assert page.read_bytes() != b"mine"
    for taken in (rows_csv, run / "model.graphpac"):
        before = taken.read_bytes()
        assert graphpac("report", run, "--output", taken, "--overwrite").code == 2
        assert taken.read_bytes() == before


def test_the_page_of_the_run_under_its_name_is_the_page_of_the_run(graphpac, run):
    done = graphpac("report", run, "--output", run / "report.html", "--title", "Mine")
    assert done.code == 0, done.err
    assert "<bdi>Mine</bdi>" in page_of(run)
    assert graphpac("report", run).code == 0
    assert "<bdi>Mine</bdi>" in page_of(run)
