"""What does not fit is refused before it is begun."""

import logging
import re
import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

from graphpac import (
    FINCH,
    GPAC,
    PAC,
    RCC,
    BalancedFuzzyGraph,
    FuzzyCMeans,
    KSums,
    NeighborSpectralClustering,
    SCANHead,
    SelfCSC,
    SphericalKMeans,
    build_neighbor_graph,
    estimate_fit,
)
from graphpac.datasets import make_mixture
from graphpac.fitting import fits_memory, run, stages
from graphpac.fitting.fits_memory import workload_of
from tests.contracts.estimators import ESTIMATORS

MODEL = GPAC(n_clusters=10, random_state=0, max_iter=5)


@pytest.fixture
def offer(monkeypatch):
    """Set what is available."""
    return lambda size: monkeypatch.setattr(fits_memory, "available_memory", lambda: size)


@pytest.fixture
def never_begun(monkeypatch):
    """Let the work of a fit fail, so that only what comes before it can pass."""

    def fail(*args, **kwargs):
        raise AssertionError("the work has begun")

    for module, step in (
        (run, "prepare_rows"),
        (run, "graph_of_originals"),
        (stages, "make_start"),
        (stages, "solve_gpac"),
    ):
        monkeypatch.setattr(module, step, fail)


def rows(n_samples, n_features, dtype=np.float32):
    """Rows of any number that take no memory."""
    return np.broadcast_to(np.zeros((), dtype), (n_samples, n_features))


def test_a_fit_that_cannot_fit_is_refused_at_once(digits, offer, never_begun):
    offer(1_000_000)
    model = GPAC(n_clusters=10)
    with pytest.raises(MemoryError) as caught:
        model.fit(digits.X)
    message = str(caught.value)
    assert message.startswith("clustering 1,797 samples needs about ")
    assert 'in the stage "' in message
    assert "but 1 MB are available: about " in message
    assert "GRAPHPAC_MEMORY_LIMIT=off" in message
    assert not hasattr(model, "labels_")


def test_a_graph_that_cannot_fit_is_refused_at_once(digits, offer, never_begun):
    graph = build_neighbor_graph(digits.X, 10)
    offer(100_000)
    with pytest.raises(MemoryError, match='in the stage "optimize"'):
        GPAC(n_clusters=10).fit_graph(graph)


def test_with_enough_memory_nothing_is_said(digits, offer, caplog):
    offer(10**12)
    MODEL.fit(digits.X)
    assert "memory" not in caplog.text


def test_without_a_known_limit_nothing_is_refused(offer):
    offer(None)
    fits_memory.check_fit_fits(MODEL, rows(10**9, 4096))
    fits_memory.check_dense_fits(10**9, 10**6)


def test_what_may_just_fit_is_tried_with_a_warning(digits, offer, caplog):
    needed = max(estimate_fit(MODEL, digits.X).new_memory.values())
    offer(round(needed / 1.2))
    with caplog.at_level(logging.WARNING, logger="graphpac"):
        MODEL.fit(digits.X)
    assert "it may run out of memory" in caplog.text
    offer(round(needed / 1.4))
    with pytest.raises(MemoryError):
        MODEL.fit(digits.X)


def test_what_would_fit_is_told_and_does(offer):
    offer(2 * 10**9)
    X = rows(5_000_000, 256)
    with pytest.raises(MemoryError) as caught:
        fits_memory.check_fit_fits(MODEL, X)
    told = str(caught.value).partition("available: about ")[2].partition(" samples")[0]
    most = int(told.replace(",", ""))
    assert 100_000 < most < 5_000_000
    assert most % 10_000 == 0
    fits_memory.check_fit_fits(MODEL, X[:most])


def test_the_cure_goes_by_the_stage(offer):
    offer(10**9)
    with pytest.raises(MemoryError, match="reduce the features, .* memory map"):
        fits_memory.check_fit_fits(MODEL, rows(1_000_000, 4096))
    with pytest.raises(MemoryError, match="lower n_neighbors"):
        fits_memory.check_fit_fits(MODEL, rows(5_000_000, 8))


def test_too_many_neighbors_are_refused_before_the_search_with_their_cure(offer):
    offer(8 * 10**9)
    model = GPAC(n_clusters=10, n_neighbors=999_999)
    with pytest.raises(MemoryError, match="lower n_neighbors"):
        fits_memory.check_fit_fits(model, rows(100_000, 64))


def test_a_long_fit_is_announced(offer, caplog):
    offer(10**12)
    caplog.set_level(logging.INFO, "graphpac.notices")
    fits_memory.check_fit_fits(MODEL, rows(20_000, 16))
    assert caplog.text == ""
    fits_memory.check_fit_fits(GPAC(n_clusters=10, n_neighbors=999_999, n_jobs=2), rows(20_000, 16))
    assert re.search(
        r"this may take about \d+ min \(graph .*, start .*, optimize .*\)", caplog.text
    )


def test_memory_that_threads_take_is_told_of_threads(offer):
    offer(150_000_000)
    with pytest.raises(MemoryError, match=r"each thread takes some: lower n_jobs=1000 to \d+"):
        fits_memory.check_fit_fits(GPAC(n_clusters=10, n_jobs=1000), rows(16_000, 64))


def test_rows_in_memory_or_in_a_mapped_file_are_not_asked_for_again(offer, tmp_path):
    X = rows(100_000, 512, np.float64)
    needed = max(estimate_fit(MODEL, X).new_memory.values())
    assert needed < X.size * 8
    offer(needed)
    fits_memory.check_fit_fits(MODEL, X)
    np.save(tmp_path / "X.npy", np.zeros((2_000, 64)))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    offer(max(estimate_fit(MODEL, mapped).new_memory.values()))
    fits_memory.check_fit_fits(MODEL, mapped)


def test_a_fit_that_goes_on_needs_no_working_copy(offer):
    X = rows(100_000, 4096)
    needed = estimate_fit(MODEL, X).new_memory
    assert needed["graph"] > 1.3 * needed["optimize"]
    offer(needed["optimize"])
    fits_memory.check_fit_fits(MODEL, X, ["optimize"])
    with pytest.raises(MemoryError):
        fits_memory.check_fit_fits(MODEL, X)


def test_the_variable_lets_a_fit_be_tried_all_the_same(digits, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryError):
        MODEL.fit(digits.X)
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "off")
    MODEL.fit(digits.X)


def test_the_limit_of_a_dense_result_is_what_is_available(offer):
    offer(4000)
    fits_memory.check_dense_fits(100, 10)
    with pytest.raises(MemoryError, match="use predict_memberships"):
        fits_memory.check_dense_fits(1001, 1)


@pytest.mark.parametrize("model", [model for model, _ in ESTIMATORS], ids=repr)
def test_every_estimator_refuses_what_cannot_fit_in_the_same_words(model, monkeypatch):
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "1e4")
    X = np.random.default_rng(0).random((500, 500), dtype=np.float32)
    with pytest.raises(
        MemoryError,
        match=r"clustering 500 samples needs about .* in the stage \"\w+\", X not counted, but "
        r"10 kB are available: about \d+ samples of this kind would fit; pass fewer of them, .*",
    ):
        clone(model).fit(X)


@pytest.mark.parametrize(
    ("model", "cure"),
    [
        (FuzzyCMeans(10_000), "lower n_clusters, pass X as a memory map"),
        (PAC(10_000), "lower n_clusters"),
        (SphericalKMeans(100), "reduce the features"),
        (KSums(100), "lower n_neighbors"),
        (NeighborSpectralClustering(100), "lower n_clusters"),
        (RCC(), "reduce the features"),
    ],
    ids=repr,
)
def test_the_cure_goes_by_what_takes_the_memory(model, cure, offer):
    offer(10**8)
    with pytest.raises(MemoryError, match=cure):
        fits_memory.check_fit_fits(model, rows(200_000, 512))


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        FuzzyCMeans(30, max_iter=2),
        FuzzyCMeans(30, local_weight="ramp", max_iter=2),
        PAC(30, max_iter=2),
        SphericalKMeans(30, max_iter=2),
        NeighborSpectralClustering(30, n_init=1),
        SelfCSC(30, max_iter=2),
        KSums(30, max_iter=2),
        RCC(max_iter=2),
        SCANHead(30, max_iter=10),
        FINCH(),
        BalancedFuzzyGraph(30, n_init=1, max_iter=2),
        BalancedFuzzyGraph(30, n_anchors=200, n_init=1, max_iter=2),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_an_estimator_is_said_to_take_is_about_what_it_allocates(model):
    X, _ = make_mixture(8_000, 32, 30, random_state=0)
    model = clone(model).set_params(n_jobs=1, random_state=0)
    clone(model).fit(X[:200])  # loads and compiles
    stages = workload_of(model, X).stages().values()
    estimated = max(sum(cost.memory.values()) for cost in stages)
    tracemalloc.start()
    model.fit(X)
    measured = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.4 < estimated / measured < 1.5
