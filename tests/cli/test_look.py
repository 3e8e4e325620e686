"""The commands that look around: info, datasets, estimate, demo."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac.datasets import registry


def test_info_tells_versions_machine_and_extras(graphpac):
    shown = graphpac("info")
    assert shown.code == 0
    for word in ("numpy", "threads", "compiled loops", "nndescent"):
        assert word in shown.out
    found = json.loads(graphpac("info", "--json").out)
    assert found.keys() == {"versions", "machine", "extras"}


def test_datasets_lists_all_that_are_known(graphpac, monkeypatch, tmp_path):
    monkeypatch.setenv("GRAPHPAC_DATA", str(tmp_path))
    shown = graphpac("datasets", "list")
    assert shown.code == 0
    names = [*registry.EMBEDDED, *registry.FILES]
    assert set(names) <= set(shown.out.split())
    assert str(tmp_path) in shown.out
    found = json.loads(graphpac("datasets", "list", "--json").out)["datasets"]
    assert sorted(item["name"] for item in found) == sorted(names)
    statuses = {item["name"]: item["where"] for item in found}
    assert (statuses["digits"], statuses["mnist"]) == ("embedded", "on OpenML")


def test_datasets_are_checked_one_by_one(graphpac, monkeypatch, tmp_path):
    monkeypatch.setenv("GRAPHPAC_DATA", str(tmp_path))
    nothing = graphpac("datasets", "check")
    assert nothing == (0, f"There are no files of data sets in {tmp_path}\n", "")
    np.savez(tmp_path / "pendigits.npz", X=np.zeros((2, 16)), y=np.zeros(2))
    found = graphpac("datasets", "check", "pendigits", "digits")
    assert found.code == 1
    assert found.out == "digits: good, from scikit-learn, load_digits\n"
    assert "pendigits.npz has the sha256" in found.err
    assert graphpac("datasets", "check").code == 1  # all that are on disk
    assert graphpac("datasets", "check", "nowhere").code == 2
    assert graphpac("datasets", "fetch", "digits").out == "digits: scikit-learn, load_digits\n"


def test_the_shapes_of_embedded_sets_are_as_registered():
    from graphpac.datasets import load

    for name, record in registry.EMBEDDED.items():
        assert load(name).X.shape == record.shape


def test_an_estimate_of_sizes_and_of_a_file_is_the_same(graphpac, tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.ones((5000, 32), dtype=np.float32))
    options = ("--clusters", "10", "--threads", "1")
    sizes = json.loads(
        graphpac("estimate", "--rows", 5000, "--features", 32, *options, "--json").out
    )
    file = json.loads(graphpac("estimate", path, *options, "--json").out)
    assert sizes["seconds"] == file["seconds"]
    assert sizes["peak_memory"] == file["peak_memory"]
    assert file["n_rows"] == 5000
    shown = graphpac("estimate", path, *options)
    assert shown.out.startswith("5,000 x 32, memory-mapped, 10 clusters")
    assert "it fits." in shown.out
    assert "\nmap " in shown.out
    assert "\nmap " not in graphpac("estimate", path, *options, "--no-report").out


def test_an_estimate_knows_a_sparse_file(graphpac, tmp_path):
    path = tmp_path / "rows.npz"
    sp.save_npz(path, sp.random_array((900, 4000), density=0.01, format="csr", random_state=0))
    told = json.loads(graphpac("estimate", path, "--clusters", "10", "--json").out)
    assert told["memory"]["graph"]["X"] < 1e6


def test_an_estimate_says_what_would_fit(graphpac, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "2e9")
    shown = graphpac("estimate", "--rows", 10**7, "--features", 512, "--clusters", "100")
    assert "2.0 GB are available here: it does not fit; about " in shown.out
    assert shown.code == 1
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "off")
    shown = graphpac("estimate", "--rows", 1000, "--features", 8, "--clusters", "10")
    assert "How much memory is available here is not known." in shown.out


def test_the_demo_replaces_nothing_unasked(graphpac, monkeypatch, tmp_path):
    given = []
    monkeypatch.setattr("graphpac.demo.run", given.append)
    folder = tmp_path / "new" / "folder"
    assert graphpac("demo", "--output", folder).code == 0
    folder.mkdir(parents=True)
    (folder / "report.html").write_bytes(b"mine")
    refused = graphpac("demo", "--output", folder)
    assert refused.code == 2
    assert refused.err == (
        f"graphpac: --output {folder} holds report.html, which would be replaced: add --overwrite "
        "if that is meant, or name another folder.\n"
    )
    assert graphpac("demo", "--output", folder, "--overwrite").code == 0
    assert given == [folder, folder]


def test_the_demo_in_a_file_is_one_sentence(graphpac, rows_file):
    refused = graphpac("demo", "--output", rows_file)
    assert refused.code == 2
    assert refused.err == (
        f"graphpac: --output {rows_file} is a file: name a folder, which is made if need be.\n"
    )


@pytest.mark.parametrize("limit", ["many", "-1"])
def test_a_wrong_limit_is_told(graphpac, monkeypatch, limit):
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", limit)
    failed = graphpac("info")
    assert failed.code == 1
    assert failed.err.startswith(f"graphpac: GRAPHPAC_MEMORY_LIMIT='{limit}' must be")


def test_threads_nobody_can_use_take_no_memory(graphpac, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "2e9")
    shown = graphpac("estimate", "--rows", 120, "--features", 8, "-c", "3", "--threads", 1000)
    assert shown.code == 0
    assert "it fits." in shown.out


def test_too_many_threads_are_one_sentence_about_threads(
    graphpac, rows_file, tmp_path, monkeypatch
):
    failed = graphpac("fit", rows_file, "-c", "3", "-o", tmp_path / "run", "--threads", "5000")
    assert failed.code == 2
    assert failed.err == (
        "graphpac: --threads 5000 must be a whole number other than 0, at most 1,024.\n"
    )
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "5.5e8")
    shown = graphpac("estimate", "--rows", 16_000, "--features", 64, "-c", "9", "--threads", 1000)
    assert shown.code == 1
    assert "it does not fit, but with --threads " in shown.out
