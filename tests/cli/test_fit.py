"""graphpac fit: what it writes, what it prints, what it refuses."""

import hashlib
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from markupsafe import escape

import graphpac as library
from graphpac.cli._translation import in_options
from graphpac.runs.folder import LABELS, MEMBERSHIPS, MODEL, OUTPUTS, RECORD, REPORT, SUMMARY


@pytest.fixture
def run(tmp_path):
    return tmp_path / "run"


def names_in(path):
    return sorted(item.name for item in path.iterdir())


def test_everything_is_written_and_told(graphpac, rows_file, run):
    done = graphpac("fit", rows_file, "--clusters", "10", "--output", run)
    assert done.code == 0, done.err
    assert names_in(run) == sorted(OUTPUTS)
    assert done.out.startswith("400 rows of 64 numbers in 10 clusters of ")
    for name in set(OUTPUTS) - {RECORD}:
        assert str(run / name) in done.out
    assert not done.err


def test_labels_are_those_of_the_library(graphpac, rows_file, run, fitted):
    graphpac("fit", rows_file, "--clusters", "10", "--output", run, "--threads", "1")
    table = pq.read_table(run / LABELS)
    assert table["id"].to_pylist() == list(range(400))
    assert table["label"].to_pylist() == fitted.labels_.tolist()
    assert table["probability"].to_pylist() == fitted.probabilities_.tolist()
    memberships = sp.load_npz(run / MEMBERSHIPS)
    assert memberships.format == "csr"
    assert (memberships != fitted.memberships_).nnz == 0
    assert (library.load(run / MODEL).predict(fitted._predictor.training.X) == fitted.labels_).all()


def test_every_parameter_arrives(graphpac, rows_file, run, rows):
    given = {
        "--metric": ("metric", "euclidean"),
        "--neighbors": ("n_neighbors", 8),
        "--fuzziness": ("fuzziness", 1.1),
        "--alpha": ("alpha", 2.0),
        "--sizes": ("sizes", "uneven"),
        "--variant": ("variant", "ramp"),
        "--starts": ("n_init", 2),
        "--max-iter": ("max_iter", 12),
        "--seed": ("random_state", 7),
    }
    words = [str(word) for option, (_, value) in given.items() for word in (option, value)]
    done = graphpac("fit", rows_file, "-c", "5", "-o", run, "--no-report", "--json", *words)
    parameters = dict(given.values())
    found = json.loads(done.out)
    assert parameters.items() <= found["parameters"].items()
    expected = library.GPAC(5, **parameters).fit(rows)
    assert pq.read_table(run / LABELS)["label"].to_pylist() == expected.labels_.tolist()


def test_the_record_tells_all(graphpac, rows_file, run, fitted):
    done = graphpac("fit", rows_file, "-c", "10", "-o", run, "--json")
    record = json.loads(done.out)
    assert record == json.loads((run / RECORD).read_text(encoding="utf-8"))
    assert record["versions"]["graphpac"] == library.__version__
    assert record["input"]["sha256"] == hashlib.sha256(rows_file.read_bytes()).hexdigest()
    assert record["input"]["path"] == "../rows.npy"
    assert (record["input"]["n_rows"], record["input"]["n_columns"]) == (400, 64)
    assert record["fit"]["cluster_sizes"] == fitted.cluster_sizes_.tolist()
    assert record["fit"]["n_iter"] == fitted.n_iter_
    assert record["seconds"].keys() == {
        "read",
        "graph",
        "start",
        "optimize",
        "choose",
        "write",
        "all",
    }
    assert record["warnings"] == []
    assert record["outputs"].keys() == set(OUTPUTS) - {RECORD}
    for name, facts in record["outputs"].items():
        raw = (run / name).read_bytes()
        assert facts == {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}


def test_clusters_are_counted(graphpac, rows_file, run, rows):
    done = graphpac("fit", rows_file, "--clusters", "auto", "-o", run, "--max-iter", "5", "--json")
    record = json.loads(done.out)
    model = library.GPAC("auto", random_state=0, max_iter=5).fit(rows)
    assert record["parameters"]["n_clusters"] == "auto"
    assert record["fit"]["n_clusters"] == model.n_clusters_ > 1
    assert "count" in record["seconds"]
    page = (run / "report.html").read_text(encoding="utf-8")
    assert f"{len(rows)} rows in {model.n_clusters_} clusters" in page
    assert graphpac("predict", run, rows_file, "-o", run.parent / "again.parquet").code == 0
    planned = json.loads(graphpac("estimate", rows_file, "-c", "auto", "--json").out)
    assert (planned["n_clusters"], "count" in planned["seconds"]) == (100, True)


@pytest.mark.parametrize("given", ["0", "-1", "many", "2.5", "AUTO"])
def test_other_numbers_of_clusters_are_wrong_usage(graphpac, rows_file, run, given):
    failed = graphpac("fit", rows_file, f"--clusters={given}", "-o", run)
    assert failed.code == 2
    assert f"{given} must be a whole number from 1 up, or auto." in " ".join(failed.err.split())
    assert not run.exists()


def test_ids_and_texts_of_a_table(graphpac, rows_csv, run, fitted):
    options = ("--id-column", "name", "--text-column", "text")
    done = graphpac("fit", rows_csv, "-c", "10", "-o", run, *options)
    assert done.code == 0, done.err
    table = pq.read_table(run / LABELS)
    assert table["id"].to_pylist() == [f"row-{number}" for number in range(400)]
    assert table["label"].to_pylist() == fitted.labels_.tolist()
    page = (run / REPORT).read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;, so" in page
    model = library.load(run / MODEL)
    assert list(model.feature_names_in_) == [f"pixel_{place}" for place in range(64)]


def test_standard_input(graphpac_process, rows_csv, run, fitted):
    text = rows_csv.read_text(encoding="utf-8")
    options = ("--id-column", "name", "--columns", "pixel_*", "--no-report", "--quiet")
    done = graphpac_process("fit", "-", "-c", "10", "-o", run, *options, input=text)
    assert done == (0, "", "")
    assert pq.read_table(run / LABELS)["label"].to_pylist() == fitted.labels_.tolist()
    record = json.loads((run / RECORD).read_text(encoding="utf-8"))
    assert (record["input"]["path"], record["input"]["sha256"]) == (None, None)


def test_no_report_writes_neither_page_nor_facts(graphpac, rows_file, run):
    graphpac("fit", rows_file, "-c", "10", "-o", run, "--no-report")
    assert names_in(run) == sorted(set(OUTPUTS) - {REPORT, SUMMARY})


def test_a_compact_model_is_smaller(graphpac, rows_file, run):
    options = ("fit", rows_file, "-c", "10", "--no-report", "--json")
    whole = json.loads(graphpac(*options, "-o", run).out)
    compact = json.loads(graphpac(*options, "-o", run, "--compact", "--overwrite").out)
    assert compact["outputs"][MODEL]["bytes"] < whole["outputs"][MODEL]["bytes"]


@pytest.mark.usefixtures("fitted")  # a first fit would tell that it compiles
def test_warnings_are_one_line_each_and_recorded(graphpac_process, tmp_path, run):
    rows = np.repeat(np.eye(2, dtype=np.float32), 15, axis=0)
    np.save(tmp_path / "twins.npy", rows)
    done = graphpac_process(
        "fit", tmp_path / "twins.npy", "-c", "6", "-o", run, "--no-report", "--json"
    )
    assert done.code == 0, done.err
    warnings = json.loads(done.out)["warnings"]
    assert any("of n_clusters=6 clusters have samples" in line for line in warnings)
    options = {"n_clusters": "--clusters", "n_neighbors": "--neighbors", "metric": "--metric"}
    told = [in_options(line, options) for line in warnings]
    assert done.err == "".join(f"graphpac: warning: {line}\n" for line in told)


def test_one_finding_is_told_alike_on_stderr_in_the_record_and_in_the_report(
    graphpac_process, tmp_path, rows, run
):
    wide = np.column_stack([rows, np.random.default_rng(0).normal(5e3, 5e3, len(rows))])
    names = [*(f"pixel_{number}" for number in range(rows.shape[1])), "income"]
    np.savetxt(tmp_path / "rows.csv", wide, delimiter=",", header=",".join(names), comments="")
    done = graphpac_process("fit", tmp_path / "rows.csv", "-c", "3", "-o", run, "--max-iter", "3")
    assert done.code == 0, done.err
    told = next(line for line in done.err.splitlines() if "column 'income' has 99.9 %" in line)
    record = json.loads((run / "run.json").read_text("utf-8"))
    (finding,) = [it for it in record["fit"]["findings"] if it["kind"] == "heavy_columns"]
    sentence = f"{finding['problem']}: {finding['cure']}."
    assert told == f"graphpac: warning: {sentence}"
    assert sentence in record["warnings"]
    page = (run / "report.html").read_text("utf-8")
    assert f"<b>{escape('C' + finding['problem'][1:])}.</b>" in page


def test_the_columns_used_are_listed_in_the_terminal_and_in_the_report(graphpac, rows_csv, run):
    shown = graphpac("fit", rows_csv, "-c", "10", "-o", run, "--columns", "pixel_1,pixel_2,pixel_3")
    assert "\ncolumns: 'pixel_1', 'pixel_2', 'pixel_3'\n" in shown.out
    page = (run / "report.html").read_text("utf-8")
    assert "Columns: <bdi>&#39;pixel_1&#39;, &#39;pixel_2&#39;, &#39;pixel_3&#39;</bdi>" in page


def test_the_first_fit_on_a_machine_tells_on_stderr_that_it_compiles(
    graphpac, rows_file, tmp_path, monkeypatch
):
    monkeypatch.setattr("graphpac.fitting.progress.must_compile", lambda: True)
    options = ("fit", rows_file, "-c", "10", "--max-iter", "2", "--no-report")
    told = graphpac(*options, "-o", tmp_path / "one").err
    assert told.startswith(
        "graphpac: compiling for this machine, once: it takes up to 40 seconds\n"
    )
    assert "compiling" not in graphpac(*options, "-o", tmp_path / "two", "--quiet").err


def test_a_dry_run_only_estimates(graphpac, rows_file, run):
    shown = graphpac("fit", rows_file, "-c", "10", "--dry-run", "-o", run)
    assert shown.out.startswith("400 x 64, memory-mapped, 10 clusters")
    told = json.loads(graphpac("fit", rows_file, "-c", "10", "--dry-run", "--json").out)
    assert told["n_rows"] == 400
    assert not run.exists()
    assert list(told["seconds"]) == ["graph", "start", "optimize", "choose", "map"]
    bare = graphpac("fit", rows_file, "-c", "10", "--dry-run", "--no-report", "--json").out
    assert list(json.loads(bare)["seconds"]) == ["graph", "start", "optimize", "choose"]


def test_a_finished_run_is_refused_until_told(graphpac, rows_file, run):
    options = ("fit", rows_file, "-c", "10", "-o", run, "--no-report", "--quiet")
    assert graphpac(*options).code == 0
    before = (run / RECORD).read_bytes()
    refused = graphpac(*options)
    assert refused.code == 2
    assert refused.err == (
        f"graphpac: {run} holds a finished run: add --overwrite to replace it, or name another "
        "folder.\n"
    )
    assert (run / RECORD).read_bytes() == before
    assert graphpac(*options, "--overwrite") == (0, "", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("-c", "500"),
            "--clusters 500 must be at most 400, the number of samples: lower --clusters or",
        ),
        (("-c", "5", "--fuzziness", "1"), "--fuzziness 1.0 must be a number above 1"),
        (("-c", "5", "--image-shape", "9x9"), "--image-shape 9x9 takes 81 numbers, but the rows"),
        (("-c", "5", "--id-column", "name"), "--id-column name has no meaning for .npy files"),
    ],
)
def test_what_cannot_be_done_leaves_no_trace(graphpac, rows_file, run, options, message):
    failed = graphpac("fit", rows_file, "-o", run, *options)
    assert failed.code == 2
    assert message in failed.err
    assert failed.err.count("\n") == 1
    assert not run.exists()


def test_what_does_not_fit_into_memory_leaves_no_trace(graphpac, rows_file, run, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "1e5")
    failed = graphpac("fit", rows_file, "-c", "10", "-o", run)
    assert failed.code == 1
    assert "are available: about " in failed.err
    assert not run.exists()


def test_the_input_is_never_an_output(graphpac, rows, run):
    run.mkdir()
    np.savez(run / MEMBERSHIPS, X=rows)
    before = (run / MEMBERSHIPS).read_bytes()
    refused = graphpac("fit", run / MEMBERSHIPS, "-c", "10", "-o", run, "--overwrite")
    assert refused.code == 2
    assert "would replace what is read" in refused.err
    assert (run / MEMBERSHIPS).read_bytes() == before


def test_a_folder_that_is_the_input_is_told_as_a_file(graphpac, rows_file):
    refused = graphpac("fit", rows_file, "-c", "10", "-o", rows_file)
    assert refused.code == 2
    assert refused.err == (
        f"graphpac: --output {rows_file} is a file: name a folder, which is made if need be.\n"
    )


def test_resuming_a_finished_run_is_a_success(graphpac, rows_file, run, tmp_path):
    options = ("fit", rows_file, "-c", "10", "--no-report", "--resume", "-o", run)
    first = graphpac(*options, "--json")
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    again = graphpac(*options, "--threads", "1")
    assert again.code == 0, again.err
    assert again.out.startswith(f"{run} holds this run, finished at ")
    assert "400 rows of 64 numbers in 10 clusters" in again.out
    assert json.loads(graphpac(*options, "--json").out) == json.loads(first.out)
    other = graphpac(*options, "--seed", "1", "--metric", "euclidean")
    assert other.code == 2
    assert other.err == (
        f"graphpac: {run} holds a finished run, but not this one (--metric was 'cosine', is "
        "'euclidean'; --seed was 0, is 1): add --overwrite to replace it, or name another folder.\n"
    )
    labels = (run / LABELS).read_bytes()
    (run / LABELS).unlink()
    lacking = graphpac(*options)
    assert lacking.code == 2
    assert "(labels.parquet is not there any more)" in lacking.err
    (run / LABELS).write_bytes(labels)
    np.save(rows_file, np.zeros((400, 64), dtype=np.float32))
    changed = graphpac(*options)
    assert changed.code == 2
    assert "(the data have changed)" in changed.err
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
