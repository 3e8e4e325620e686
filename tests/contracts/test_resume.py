"""A fit that was ended by anything, made again, ends with the bits of an undisturbed one."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from graphpac import GPAC, NeighborGraph, SolverOptions, build_neighbor_graph
from graphpac.datasets import make_mixture
from graphpac.exceptions import CheckpointError
from graphpac.fitting import fits_memory, run, stages
from graphpac.graph.searchers import ExactSearcher, FaissSearcher

SHORT = {"n_clusters": 10, "max_iter": 12, "random_state": 0}

# A hundred clusters may not all be filled after twelve iterations.
pytestmark = pytest.mark.filterwarnings("ignore:only .* clusters have samples")


@pytest.fixture(scope="module", name="X")
def read_only_rows():
    X = make_mixture(600, 8, 10, random_state=0)[0]
    X.flags.writeable = False
    return X


@pytest.fixture(scope="module")
def expected(X):
    return GPAC(**SHORT).fit(X)


def assert_same_fit(model, expected):
    """Compare every bit of two fits but the seconds."""
    for name in ("indptr", "indices", "data"):
        found = getattr(model.memberships_, name)
        np.testing.assert_array_equal(found, getattr(expected.memberships_, name), strict=True)
    for name in ("labels_", "hard_labels_", "probabilities_", "cluster_sizes_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(expected, name), strict=True)
    for name in ("indptr", "indices", "values"):
        np.testing.assert_array_equal(getattr(model.graph_, name), getattr(expected.graph_, name))
    for name in ("n_iter_", "converged_", "objective_", "n_hops_", "batch_size_"):
        assert getattr(model, name) == getattr(expected, name)
    for name in ("history_", "candidates_"):
        assert timeless(getattr(model, name)) == timeless(getattr(expected, name))


def timeless(records):
    return [replace(record, seconds=0.0) for record in records]


def interrupt_at(iteration):
    def callback(record):
        if record.iteration == iteration:
            raise KeyboardInterrupt

    return callback


def interrupt_after(n_iterations):
    """End a fit after so many iterations of this call, those of all starts counted."""
    left = iter(range(n_iterations - 1, -1, -1))

    def callback(record):
        if next(left) == 0:
            raise KeyboardInterrupt

    return callback


def leave(model, X, folder, iteration=8):
    """Begin a fit and end it after an iteration, beyond the first snapshot by default."""
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, checkpoint=folder, callback=interrupt_at(iteration))


def forbid(monkeypatch, *names):
    """Make sure that some stages are not computed again."""

    def computed(*_, **__):
        raise AssertionError("this was stored")

    for name in names:
        module = run if hasattr(run, name) else stages
        monkeypatch.setattr(module, name, computed)


# ---- kill -9

# Each process of the test below runs this, and dies where its last arguments say.
DRIVER = """
import os, resource, signal, sys, threading
from graphpac import GPAC
from graphpac.datasets import make_mixture
from graphpac.fitting import run
from graphpac.solvers import partition

folder, point, place = sys.argv[1:4]
n_rows, n_clusters, n_init, n_jobs = map(int, sys.argv[4:])
callback = None
n_calls = 0

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def around(module, name, before=None, after=None, when=lambda *args: True):
    function = getattr(module, name)
    def call(*args, **kwargs):
        if before is not None and when(*args):
            before()
        result = function(*args, **kwargs)
        if after is not None and when(*args):
            after()
        return result
    setattr(module, name, call)

def to_place(source, target):
    return str(target).endswith(place)

if point == "during":
    around(run, place, before=lambda: threading.Timer(0.1, die).start())
elif point == "before renaming":
    around(os, "replace", before=die, when=to_place)
elif point == "after renaming":
    around(os, "replace", after=die, when=to_place)
elif point == "choosing":
    function, number = place.split()
    def die_in_call():
        global n_calls
        n_calls += 1
        if n_calls == int(number):
            die()
    around(partition, function, before=die_in_call)
elif point == "iteration":
    def callback(record):  # counted over all starts
        global n_calls
        n_calls += 1
        if n_calls == int(place):
            die()
elif point == "writing":
    # The system ends the process at this byte of the next large file it writes.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    def callback(record):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(place), int(place)))

X, _ = make_mixture(n_rows, 32, n_clusters, random_state=0)
model = GPAC(n_clusters, n_init=n_init, max_iter=11, random_state=0, n_jobs=n_jobs)
model.fit(X, checkpoint=folder, callback=callback)
"""

# With how many threads they run, where they die, and what each leaves in the folder.
SPARSE_KILLS = [
    (2, "during", "graph_of_originals", "run"),
    (1, "after renaming", "graph.gpac", "run graph"),
    (2, "before renaming", "start.gpac", "run graph start.gpac.part"),
    (2, "iteration", "6", "run graph start state"),
    (1, "writing", "1000000", "run graph start state state.gpac.part"),
    (2, "after renaming", "result.gpac", "run graph start state result"),
    (1, "choosing", "improved 3", "run graph start result"),
]
DENSE_KILLS = [
    (1, "before renaming", "run.gpac", "run.gpac.part"),
    (1, "iteration", "6", "run graph start state"),
    (2, "writing", "100000", "run graph start state state.gpac.part"),
]
STARTS = "run graph start start-1"
TWO_STARTS_KILLS = [
    (1, "before renaming", "result.gpac", f"{STARTS} state result.gpac.part"),
    (
        2,
        "iteration",
        "7",
        f"{STARTS} state result state-1",
    ),  # the last of the first start is redone
    (1, "after renaming", "result-1.gpac", f"{STARTS} result state-1 result-1"),
    (1, "choosing", "improved 5", f"{STARTS} result result-1"),
    (2, "choosing", "partition_memberships 1", f"{STARTS} result result-1"),
]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="this system has no such signals")
@pytest.mark.parametrize(
    ("n_rows", "n_clusters", "n_init", "kills"),
    [
        (20_000, 100, 1, SPARSE_KILLS),
        (3_000, 10, 1, DENSE_KILLS),
        (1_000, 10, 2, TWO_STARTS_KILLS),
    ],
)
def test_killed_again_and_again_a_fit_ends_with_the_same_bits(
    tmp_path, monkeypatch, n_rows, n_clusters, n_init, kills
):
    folder = tmp_path / "run"
    for n_jobs, point, place, left in kills:
        sizes = [str(n_rows), str(n_clusters), str(n_init), str(n_jobs)]
        process = subprocess.run(
            [sys.executable, "-c", DRIVER, str(folder), point, place, *sizes],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        ending = signal.SIGXFSZ if point == "writing" else signal.SIGKILL
        assert process.returncode == -ending, process.stderr
        found = {re.sub(r"\.[0-9a-f]{8}\.part", ".part", path.name) for path in folder.iterdir()}
        expected = {name if "." in name else f"{name}.gpac" for name in left.split()}
        assert found == {"lock", *expected}, (point, place)
    X, _ = make_mixture(n_rows, 32, n_clusters, random_state=0)
    model = GPAC(n_clusters, n_init=n_init, max_iter=11, random_state=0)
    if kills[-1][1] == "choosing":
        forbid(monkeypatch, "prepare_rows", "graph_of_originals", "make_start", "solve_gpac")
    resumed = clone(model).fit(X, checkpoint=folder)
    monkeypatch.undo()
    assert_same_fit(resumed, model.fit(X))


# ---- any other end


@pytest.mark.parametrize("iteration", [1, 4, 5, 6, 11, 12])
def test_an_interrupted_fit_goes_on(X, expected, tmp_path, iteration):
    model = GPAC(**SHORT, n_jobs=2)
    leave(model, X, tmp_path, iteration)
    assert not hasattr(model, "labels_")
    seen = []
    model.set_params(n_jobs=1, verbose=1)
    model.fit(X, checkpoint=tmp_path, callback=lambda record: seen.append(record.iteration))
    assert_same_fit(model, expected)
    first = 1 + 5 * ((iteration - 1) // 5)
    assert seen == list(range(first, 13))


def test_an_undisturbed_fit_is_the_same_with_and_without_a_checkpoint(X, expected, tmp_path):
    assert_same_fit(GPAC(**SHORT).fit(X, checkpoint=str(tmp_path / "new" / "run")), expected)


def test_what_is_stored_is_not_computed_again(X, expected, tmp_path, monkeypatch):
    leave(GPAC(**SHORT), X, tmp_path)
    forbid(monkeypatch, "prepare_rows", "graph_of_originals", "make_start")
    assert_same_fit(GPAC(**SHORT).fit(X, checkpoint=tmp_path), expected)


def test_a_finished_fit_is_given_again(X, expected, tmp_path, monkeypatch):
    first = GPAC(**SHORT).fit(X, checkpoint=tmp_path)
    forbid(monkeypatch, "prepare_rows", "graph_of_originals", "make_start", "solve_gpac")
    model = GPAC(**SHORT).fit(X, checkpoint=tmp_path)
    assert_same_fit(model, expected)
    assert model.history_ == first.history_
    monkeypatch.undo()
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def test_a_lost_part_is_made_again(X, expected, tmp_path):
    leave(GPAC(**SHORT), X, tmp_path)
    (tmp_path / "graph.gpac").unlink()
    assert_same_fit(GPAC(**SHORT).fit(X, checkpoint=tmp_path), expected)


def test_an_end_by_the_callback_is_final(X, tmp_path):
    model = GPAC(**SHORT)
    model.fit(X, checkpoint=tmp_path, callback=lambda record: record.iteration == 7)
    assert model.n_iter_ == 7
    again = GPAC(**SHORT).fit(X, checkpoint=tmp_path)
    assert_same_fit(again, model)


def test_convergence_is_final(X, tmp_path):
    parameters = {**SHORT, "tol": 0.5, "local_weight": 0.5}
    model = GPAC(**parameters).fit(X, checkpoint=tmp_path)
    assert model.converged_
    assert_same_fit(GPAC(**parameters).fit(X, checkpoint=tmp_path), model)


@pytest.mark.parametrize(
    "variant",
    [
        {"n_clusters": 80},
        {"metric": "euclidean", "searcher": FaissSearcher(n_probe=3)},
        {"solver": SolverOptions(n_pool_batches=2, n_pool_epochs=4)},
        {"solver": SolverOptions(auxiliary=False), "init": "k-means++"},
        {"init": np.arange(600) % 10, "local_weight": 0.5},
        {"init": np.eye(10)[np.arange(600) % 10]},
    ],
    ids=str,
)
def test_every_kind_of_fit_goes_on(X, tmp_path, variant):
    parameters = {**SHORT, "tol": 0.0, **variant}
    leave(GPAC(**parameters), X, tmp_path)
    assert_same_fit(GPAC(**parameters).fit(X, checkpoint=tmp_path), GPAC(**parameters).fit(X))


def test_every_kind_of_data_goes_on(X, tmp_path):
    pandas = pytest.importorskip("pandas")
    np.save(tmp_path / "X.npy", X)
    kinds = {
        "float16": X.astype(np.float16),
        "map": np.load(tmp_path / "X.npy", mmap_mode="r"),
        "frame": pandas.DataFrame(X).add_prefix("x"),
        "list": X.tolist(),
        "csr": sp.csr_matrix(np.maximum(X, 0.0)),
    }
    for name, data in kinds.items():
        leave(GPAC(**SHORT), data, tmp_path / name)
        model = GPAC(**SHORT).fit(data, checkpoint=tmp_path / name)
        assert_same_fit(model, GPAC(**SHORT).fit(data))
    distances = build_neighbor_graph(X, 10, metric="euclidean").to_scipy()
    precomputed = {**SHORT, "metric": "precomputed"}
    leave(GPAC(**precomputed), distances, tmp_path / "distances")
    model = GPAC(**precomputed).fit(distances, checkpoint=tmp_path / "distances")
    assert_same_fit(model, GPAC(**precomputed).fit(distances))


def test_a_graph_goes_on(X, tmp_path):
    graph = build_neighbor_graph(X, 10)
    expected = GPAC(**SHORT).fit_graph(graph)
    with pytest.raises(KeyboardInterrupt):
        GPAC(**SHORT).fit_graph(graph, checkpoint=tmp_path, callback=interrupt_at(8))
    assert not (tmp_path / "graph.gpac").exists()
    # What the neighbors were found with does not matter to a graph that is given.
    model = GPAC(**SHORT, metric="euclidean", n_neighbors=5, searcher="faiss")
    assert_same_fit(model.fit_graph(graph, checkpoint=tmp_path), expected)
    assert model.timings_["graph"] == 0.0


def test_the_other_ways_to_fit_pass_the_folder_on(X, expected, tmp_path):
    labels = GPAC(**SHORT).fit_predict(X, checkpoint=tmp_path)
    np.testing.assert_array_equal(labels, expected.labels_)
    dense = GPAC(**SHORT).fit_transform(X, checkpoint=tmp_path)
    np.testing.assert_array_equal(dense, expected.memberships_.toarray())
    assert (tmp_path / "result.gpac").exists()


@pytest.mark.parametrize(
    "make", [lambda: None, np.random.default_rng, lambda: np.random.RandomState(3)]
)
def test_seeds_that_were_drawn_are_drawn_once(X, tmp_path, make):
    parameters = {**SHORT, "random_state": make()}
    leave(GPAC(**parameters), X, tmp_path)
    (tmp_path / "state.gpac").rename(tmp_path / ".state")
    first = GPAC(**parameters).fit(X, checkpoint=tmp_path)
    (tmp_path / "result.gpac").unlink()
    (tmp_path / ".state").rename(tmp_path / "state.gpac")
    assert_same_fit(GPAC(**parameters).fit(X, checkpoint=tmp_path), first)


def test_a_generator_moves_on_whether_or_not_its_numbers_are_used(X, tmp_path):
    drawn = []
    for _ in range(2):
        rng = np.random.default_rng(0)
        GPAC(**{**SHORT, "random_state": rng}).fit(X, checkpoint=tmp_path)
        drawn.append(rng.random())
    rng = np.random.default_rng(0)
    GPAC(**{**SHORT, "random_state": rng}).fit(X)
    assert drawn == [rng.random()] * 2


def test_timings_tell_of_all_the_work(X, tmp_path, monkeypatch):
    leave(GPAC(**SHORT), X, tmp_path)
    clock = iter(range(0, 10**6, 1000))
    monkeypatch.setattr("graphpac.fitting.progress.perf_counter", lambda: float(next(clock)))
    model = GPAC(**SHORT).fit(X, checkpoint=tmp_path)
    again = GPAC(**SHORT).fit(X, checkpoint=tmp_path)
    # Each look at the clock takes a thousand seconds: one from begin to end of a stage taken over,
    # and one more for each time something is stored or begun.
    assert {name: seconds // 1000 for name, seconds in model.timings_.items()} == {
        "graph": 1,
        "start": 1,
        "optimize": 5,
        "choose": 1,
    }
    assert all(model.timings_[stage] % 1000 > 0 for stage in ("graph", "start", "optimize"))
    # The look at the clock before a part is begun is in no part.
    assert again.timings_["optimize"] == pytest.approx(model.timings_["optimize"] - 1000, abs=1e-6)


def test_going_on_is_told(X, tmp_path, caplog):
    def told(iteration=None):
        caplog.clear()
        if iteration is None:
            GPAC(**SHORT).fit(X, checkpoint=tmp_path)
        else:
            leave(GPAC(**SHORT), X, tmp_path, iteration)
        return [record.message for record in caplog.records if str(tmp_path) in record.message]

    assert told(2) == []
    assert told(7) == [f"resuming from {tmp_path} after the start"]
    (tmp_path / "start.gpac").rename(tmp_path / ".start")
    (tmp_path / "state.gpac").rename(tmp_path / ".state")
    assert told(2) == [f"resuming from {tmp_path} after the graph"]
    (tmp_path / ".state").rename(tmp_path / "state.gpac")
    assert told() == [f"resuming from {tmp_path} after iteration 5 of 12"]
    assert told() == [f"all iterations of the fit in {tmp_path} are done, taking their result"]


def test_going_on_with_the_second_start_is_told(X, tmp_path, caplog):
    model = GPAC(**SHORT, n_init=2)

    def told(n_iterations):
        caplog.clear()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, checkpoint=tmp_path, callback=interrupt_after(n_iterations))
        return [record.message for record in caplog.records if str(tmp_path) in record.message]

    assert told(14) == []
    assert told(7) == [f"resuming from {tmp_path} after start 1 of 2"]
    assert told(1) == [f"resuming from {tmp_path} after iteration 5 of 12 of start 2"]


@pytest.mark.parametrize("n_init", [1, 2])
def test_what_is_still_to_be_done_must_fit_into_memory(X, tmp_path, monkeypatch, n_init):
    """The choice follows the iterations, and those of a second start follow the first."""
    model = GPAC(**SHORT, n_init=n_init)
    asked = []

    def remember(estimate, stages, available):
        asked.append(tuple(stages))

    monkeypatch.setattr(fits_memory, "_check_memory", remember)
    monkeypatch.setattr(fits_memory, "available_memory", lambda: 10**12)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, checkpoint=tmp_path, callback=interrupt_after(12 * n_init))
    model.fit(X, checkpoint=tmp_path)
    model.fit(X, checkpoint=tmp_path)
    all_stages = ("graph", "start", "optimize", "choose")
    assert asked == [all_stages, all_stages[2:], all_stages[3:]]


def test_the_bar_starts_where_the_fit_goes_on(X, tmp_path, monkeypatch):
    leave(GPAC(**SHORT), X, tmp_path)
    shown = []

    class Bar:
        def start(self): ...
        def stop(self): ...
        def add_task(self, name, total):
            return name

        def update(self, task, completed, total):
            if task == "optimize":
                shown.append((completed, total))

    monkeypatch.setattr("graphpac.fitting.progress.make_bar", Bar)
    GPAC(**SHORT, verbose=1).fit(X, checkpoint=tmp_path)
    assert shown == [*((done, 12) for done in range(5, 13)), (1, 1)]


# ---- what is refused

CHANGES = {
    "n_clusters": 12,
    "n_neighbors": 9,
    "metric": "euclidean",
    "searcher": "exact",
    "fuzziness": 1.1,
    "alpha": 2.0,
    "local_weight": 0.5,
    "batch_size": 50,
    "sizes": "uneven",
    "variant": "ramp",
    "init": "random",
    "n_init": 2,
    "max_iter": 13,
    "tol": 0.01,
    "random_state": 1,
}


@pytest.mark.parametrize("name", CHANGES)
def test_another_parameter_is_refused(X, expected, tmp_path, name):
    leave(GPAC(**SHORT), X, tmp_path)
    was = GPAC(**SHORT).get_params()[name]
    message = (
        f"{tmp_path} is the checkpoint of another run ({name} was {was!r}, is {CHANGES[name]!r}): "
        "pass another folder, or delete this one to begin anew."
    )
    with pytest.raises(CheckpointError, match=f"^{re.escape(message)}$"):
        GPAC(**{**SHORT, name: CHANGES[name]}).fit(X, checkpoint=tmp_path)
    assert_same_fit(GPAC(**SHORT).fit(X, checkpoint=tmp_path), expected)


def test_every_parameter_is_looked_at_but_two():
    assert {*CHANGES, "solver", "n_jobs", "verbose"} == set(GPAC().get_params())


def changed(X):
    X = X.copy()
    X[417, 3] += 1e-6
    return X


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: GPAC(**SHORT).fit(changed(X)), r"\(X has other values\)"),
        (
            lambda X: GPAC(**SHORT).fit(X.astype(np.float64)),
            r"\(X was an array of float32, shape \(600, 8\), is an array of float64, shape ",
        ),
        (
            lambda X: GPAC(**SHORT).fit(sp.csr_matrix(np.where(X > 0.95, X, 0.0))),
            "is a sparse matrix of float32, shape ",
        ),
        (
            lambda X: GPAC(**SHORT).fit_graph(build_neighbor_graph(X, 10)),
            r"\(method was 'fit', is 'fit_graph'; graph was None, is a graph of cosine, 600 sam",
        ),
        (
            lambda X: GPAC(**SHORT, init=np.arange(600) % 10).fit(X),
            r"\(init was 'smoothed', is an array of int32, shape \(600,\)\)",
        ),
        (
            lambda X: GPAC(**SHORT, solver=SolverOptions(n_hops=3, symmetric=True)).fit(X),
            r"\(solver.symmetric was False, is True; solver.n_hops was None, is 3\)",
        ),
        (
            lambda X: GPAC(**SHORT, searcher=FaissSearcher(n_probe=3)).fit(X),
            r"\(searcher was 'auto', is \"FaissSearcher\(.*n_probe=3",
        ),
        (
            lambda X: GPAC(**{**SHORT, "random_state": np.random.default_rng(0)}).fit(X),
            r"\(random_state was 0, is 'Generator'\)",
        ),
    ],
)
def test_other_data_and_options_are_refused(X, tmp_path, monkeypatch, change, message):
    GPAC(**SHORT).fit(X, checkpoint=tmp_path)
    for method in ("fit", "fit_graph"):
        plain = getattr(GPAC, method)
        monkeypatch.setattr(
            GPAC, method, lambda self, data, plain=plain: plain(self, data, checkpoint=tmp_path)
        )
    with pytest.raises(CheckpointError, match=message):
        change(X)


def test_options_left_out_and_options_with_their_defaults_are_the_same_run(X, tmp_path):
    GPAC(**SHORT).fit(X, checkpoint=tmp_path)
    numbers = {"n_clusters": np.int64(10), "alpha": 1, "random_state": np.uint8(0)}
    solver = SolverOptions(n_round_batches=np.int64(4))
    GPAC(**{**SHORT, **numbers}, solver=solver).fit(X, checkpoint=tmp_path)


def test_a_searcher_is_known_by_its_options(X, tmp_path):
    class Plain(ExactSearcher):
        __repr__ = object.__repr__

    for make in (lambda: FaissSearcher(n_probe=3), Plain):
        folder = tmp_path / make().__class__.__name__
        GPAC(**SHORT, searcher=make()).fit(X, checkpoint=folder)
        GPAC(**SHORT, searcher=make()).fit(X, checkpoint=folder)


def test_another_start_or_graph_of_the_same_shape_is_refused(X, tmp_path):
    labels = np.arange(600) % 10
    GPAC(**SHORT, init=labels).fit(X, checkpoint=tmp_path / "rows")
    with pytest.raises(CheckpointError, match=r"\(init has other values\)"):
        GPAC(**SHORT, init=labels[::-1]).fit(X, checkpoint=tmp_path / "rows")
    # A fitted model stands for its memberships.
    model = GPAC(**SHORT).fit(X)
    GPAC(**SHORT, init=model).fit(X, checkpoint=tmp_path / "model")
    GPAC(**SHORT, init=model.memberships_).fit(X, checkpoint=tmp_path / "model")

    graph = build_neighbor_graph(X, 10)
    GPAC(**SHORT).fit_graph(graph, checkpoint=tmp_path / "graph")
    values = np.nextafter(graph.values, np.float32(0.0))
    other = NeighborGraph(graph.indptr, graph.indices, values, graph.kind)
    with pytest.raises(CheckpointError, match=r"\(graph has other values\)"):
        GPAC(**SHORT).fit_graph(other, checkpoint=tmp_path / "graph")


def test_another_version_is_refused(X, tmp_path, monkeypatch):
    monkeypatch.setattr("graphpac.__version__", "0.0.9", raising=False)
    GPAC(**SHORT).fit(X, checkpoint=tmp_path)
    monkeypatch.setattr("graphpac.__version__", "0.2.0")
    with pytest.raises(CheckpointError, match=r"\(graphpac was '0.0.9', is '0.2.0'\)"):
        GPAC(**SHORT).fit(X, checkpoint=tmp_path)


@pytest.mark.parametrize("name", ["run", "graph", "start", "state"])
def test_a_damaged_part_is_refused_and_the_estimator_stays(X, tmp_path, name, seed):
    leave(GPAC(**SHORT), X, tmp_path)
    path = tmp_path / f"{name}.gpac"
    raw = bytearray(path.read_bytes())
    raw[np.random.default_rng(seed).integers(24, 100)] ^= 255
    path.write_bytes(raw)
    model = GPAC(**SHORT)
    before = dict(vars(model))
    with pytest.raises(CheckpointError, match=f"{name}.gpac is damaged: its header .* delete the"):
        model.fit(X, checkpoint=tmp_path)
    assert vars(model) == before


@pytest.mark.parametrize("folder", [5, True, ["a"], b"bytes"])
def test_what_is_no_path_is_refused(X, folder):
    message = f"checkpoint={folder!r} must be None or the path of a folder."
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        GPAC(**SHORT).fit(X, checkpoint=folder)


# ---- disks and folders that do not take any more


@contextmanager
def largest_file(n_bytes):
    """Let the system refuse to write more than so many bytes to any file."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(("name", "n_bytes"), [("graph", 30_000), ("state", 70_000)])
def test_a_full_disk_ends_a_fit_that_can_go_on(X, tmp_path, name, n_bytes):
    parameters = {**SHORT, "n_clusters": 60, "n_neighbors": 4 if name == "state" else 10}
    message = (
        rf"^the checkpoint in {tmp_path} could not be written \(File too large; {name}.gpac takes "
        r"0.\d MB\): what was stored before is kept, and the same call goes on from there once"
    )
    with largest_file(n_bytes), pytest.raises(CheckpointError, match=message) as caught:
        GPAC(**parameters).fit(X, checkpoint=tmp_path)
    assert isinstance(caught.value.__cause__, OSError)
    parts = ["run.gpac"] if name == "graph" else ["graph.gpac", "run.gpac", "start.gpac"]
    assert sorted(path.name for path in tmp_path.glob("*.*")) == parts
    assert_same_fit(GPAC(**parameters).fit(X, checkpoint=tmp_path), GPAC(**parameters).fit(X))


def test_a_disk_that_fills_up_later_leaves_the_last_good_state(X, expected, tmp_path):
    def fill(record):
        if record.iteration == 9:
            full.__enter__()

    full = largest_file(10_000)
    with pytest.raises(CheckpointError, match="state.gpac takes"):
        GPAC(**SHORT).fit(X, checkpoint=tmp_path, callback=fill)
    full.__exit__(None, None, None)
    seen = []
    model = GPAC(**SHORT)
    model.fit(X, checkpoint=tmp_path, callback=lambda record: seen.append(record.iteration))
    assert seen[0] == 6
    assert_same_fit(model, expected)


@contextmanager
def unwritable_folder():
    """Make a folder that nobody may write to, and be somebody whom that stops."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "locked"
        folder.mkdir()
        (folder / "lock").touch()
        (folder / "lock").chmod(0o666)
        Path(parent).chmod(0o755)
        folder.chmod(0o555)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if is_root:
                os.seteuid(0)
            folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="this system has no such permissions")
@pytest.mark.parametrize("below", [".", "new/run"])
def test_an_unwritable_folder_is_refused_before_any_work(X, monkeypatch, below):
    forbid(monkeypatch, "prepare_rows", "graph_of_originals")
    with unwritable_folder() as folder:
        message = (
            f"checkpoint={str(folder / below)!r} is not a folder that can be written to "
            "(Permission denied): pass another one."
        )
        with pytest.raises(CheckpointError, match=f"^{re.escape(message)}$"):
            GPAC(**SHORT).fit(X, checkpoint=folder / below)
