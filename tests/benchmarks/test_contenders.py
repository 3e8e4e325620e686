"""Every contender that is installed clusters what is easy to cluster."""

import numpy as np
import pytest

from benchmarks.contenders import CONTENDERS, Contender, missing_packages
from benchmarks.contenders.density import smallest_cluster
from benchmarks.data import load_rows
from benchmarks.recall import graph_recall
from graphpac import NeighborGraph, build_neighbor_graph
from graphpac.metrics import score_labels

COMPILE_TOO_LONG = {"fast_hdbscan", "EVoC"}  # a minute before the first fit


@pytest.fixture
def blobs(tmp_path, monkeypatch):
    """Three groups in a read-only memory map, as the benchmark gives them."""
    monkeypatch.setenv("GRAPHPAC_BENCH_CACHE", str(tmp_path))
    path = tmp_path / "blobs.npy"
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    np.save(path, (3 * np.eye(3, 5)[y] + 0.3 * rng.standard_normal((300, 5))).astype(np.float32))
    return np.load(path, mmap_mode="r"), y


@pytest.mark.filterwarnings("default")  # of other people's code
@pytest.mark.parametrize("name", [name for name in CONTENDERS if name not in COMPILE_TOO_LONG])
def test_easy_groups_are_found(name, blobs):
    missing = missing_packages(CONTENDERS[name])
    if missing:
        pytest.skip(f"{name} needs {', '.join(missing)}")
    X, y = blobs
    before = X.copy()
    model = CONTENDERS[name].fit(X, 3, 0)
    labels = np.asarray(model.labels_)
    assert labels.shape == y.shape
    assert np.array_equal(X, before)
    # HDBSCAN leaves rows out, Leiden and k-means from one start may split a group.
    assert score_labels(y[labels >= 0], labels[labels >= 0]).nmi > 0.5
    assert CONTENDERS[name].version.count(" ") == 1
    assert getattr(model, "n_iter_", None) is None or model.n_iter_ >= 1


@pytest.mark.slow
def test_rehearsing_compiles_for_large_pools_too():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 4)).astype(np.float32)
    assert len(CONTENDERS["GPAC"].rehearse(X, 3, 0).labels_) == 100


def test_a_missing_package_is_named():
    contender = Contender(CONTENDERS["KMeans"].fit, ("scikit-learn", "no-such-package"), "")
    assert missing_packages(contender) == ["no-such-package"]


def test_hdbscan_is_told_how_fine_to_look():
    assert smallest_cluster(100_000, 100) == 100
    assert smallest_cluster(1000, 100) == 5


def test_a_mixture_is_made_once_and_mapped(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_BENCH_CACHE", str(tmp_path))
    first = load_rows("mixture-50x4-3")
    assert isinstance(first.X, np.memmap)
    assert not first.X.flags.writeable
    assert (first.X.shape, first.n_classes, first.y.shape) == ((50, 4), 3, (50,))
    files = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert sorted(files) == ["mixture-50x4-3-labels.npy", "mixture-50x4-3.npy"]
    assert np.array_equal(load_rows("mixture-50x4-3").X, first.X)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == files


def test_half_a_mixture_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_BENCH_CACHE", str(tmp_path))
    (tmp_path / "mixture-50x4-3.npy").write_bytes(b"torn")
    assert load_rows("mixture-50x4-3").X.shape == (50, 4)


def test_recall_of_an_exact_graph_is_one_and_of_half_of_it_a_half():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 8)).astype(np.float32)
    exact = build_neighbor_graph(X, 10, searcher="exact")
    assert graph_recall(exact, X) == 1.0
    half = exact.truncated(5)
    assert graph_recall(half, X) == pytest.approx(0.5)


def test_recall_counts_wrong_neighbors_as_wrong():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 8)).astype(np.float32)
    far = (np.arange(400)[:, None] + np.arange(1, 11)) % 400
    guessed = NeighborGraph.from_neighbors(far, np.ones(far.shape))
    assert graph_recall(guessed, X) < 0.1


def test_equal_distances_do_not_lower_recall():
    X = np.repeat(np.eye(4, dtype=np.float32), 30, axis=0)
    graph = build_neighbor_graph(X, 10, searcher="exact")
    assert graph_recall(graph, X) == 1.0
