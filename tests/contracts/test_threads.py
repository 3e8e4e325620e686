"""Same bits on any number of threads, and nothing broken by threads, processes or Ctrl-C."""

import hashlib
import json
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from joblib import Parallel, delayed
from threadpoolctl import threadpool_info

from graphpac import GPAC
from graphpac.datasets import load
from graphpac.metrics import adjusted_rand_index
from tests.processor import cpu

GOLDEN = Path(__file__).parents[1] / "data" / "golden_digits.json"
GOLDEN_METRICS = ("euclidean", "cosine")
SHORT = {"n_clusters": 10, "max_iter": 8, "random_state": 3}

# Eighty clusters may not all be filled after eight iterations.
pytestmark = pytest.mark.filterwarnings("ignore:only .* clusters have samples")

# What the solver and the searchers do differs between these.
VARIANTS = [
    {"n_clusters": 10},
    {"n_clusters": 80},
    {"n_clusters": 10, "searcher": "faiss"},
    {"n_clusters": 10, "metric": "euclidean", "local_weight": 0.5},
]


def digest(model: GPAC) -> str:
    """Hash every bit of a result."""
    memberships = model.memberships_
    arrays = (
        memberships.data,
        memberships.indices.astype(np.int64),
        memberships.indptr.astype(np.int64),
        model.labels_,
        model.hard_labels_,
        model.graph_.indices,
        model.graph_.values,
        np.array([record.change for record in model.history_]),
    )
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def run_script(script: str, **environment: str) -> str:
    """Run Python code in a new process and return what it printed."""
    result = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_any_number_of_threads_gives_the_same_bits(digits, variant, seed):
    parameters = {**SHORT, **variant, "random_state": seed}
    models = [GPAC(**parameters, n_jobs=n_jobs).fit(digits.X) for n_jobs in (1, 2, 4)]
    assert len({digest(model) for model in models}) == 1
    predicted = [model.predict_proba(digits.X[::7] + 0.25).tobytes() for model in models]
    assert len(set(predicted)) == 1


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_memory_order_and_dtype_do_not_matter(digits, variant):
    expected = digest(GPAC(**{**SHORT, **variant}).fit(digits.X))
    copies = {"F": np.asfortranarray(digits.X), "strided": np.repeat(digits.X, 2, axis=1)[:, ::2]}
    for dtype in (np.uint8, np.float16, np.float32, np.float64, np.int64):
        copies[np.dtype(dtype).name] = digits.X.astype(dtype)
    for name, X in copies.items():
        assert digest(GPAC(**{**SHORT, **variant}).fit(X)) == expected, name


def test_a_second_process_gives_the_same_bits(digits):
    expected = hashlib.sha256(GPAC(**SHORT).fit(digits.X).memberships_.data).hexdigest()
    printed = run_script(
        f"""
        import hashlib
        from graphpac import GPAC
        from graphpac.datasets import load

        model = GPAC(**{SHORT!r}, n_jobs=1).fit(load("digits").X)
        print(hashlib.sha256(model.memberships_.data).hexdigest())
        """,
        PYTHONHASHSEED="7",
        OMP_NUM_THREADS="3",
    )
    assert printed == expected


def fingerprint(labels: np.ndarray) -> str:
    return hashlib.sha256(labels.astype("<i4").tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("metric", GOLDEN_METRICS)
def test_digits_have_their_golden_labels(metric):
    """Labels must not change unnoticed.

    They are the same to the last one on every processor the file knows. On others sums of rounded
    numbers may move a few in a hundred. After a change that is meant to change labels, run
    this file as a script and say so in the changelog.
    """
    record = json.loads(GOLDEN.read_text(encoding="utf-8"))[metric]
    labels = GPAC.as_published(**record["parameters"]).fit(load("digits").X).labels_
    assert adjusted_rand_index([int(label) for label in record["labels"]], labels) > 0.95
    if cpu() in record["sha256"]:
        assert fingerprint(labels) == record["sha256"][cpu()]


def test_fits_at_once_in_threads_do_not_disturb_each_other(digits):
    seeds = range(4)
    expected = [digest(GPAC(**{**SHORT, "random_state": seed}).fit(digits.X)) for seed in seeds]

    def fit(seed: int) -> str:
        return digest(GPAC(**{**SHORT, "random_state": seed}, n_jobs=2).fit(digits.X))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(fit, seeds)) == expected


def test_predicting_at_once_in_threads_builds_one_index(digits):
    model = GPAC(**SHORT).fit(digits.X[::2])
    expected = GPAC(**SHORT).fit(digits.X[::2]).predict(digits.X)
    with ThreadPoolExecutor(4) as pool:
        for labels in pool.map(lambda _: model.predict(digits.X), range(8)):
            np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_fits_under_joblib(digits, backend):
    expected = digest(GPAC(**SHORT).fit(digits.X))
    # The limit makes joblib pass X as a read-only memory map.
    models = Parallel(n_jobs=2, backend=backend, max_nbytes=1000)(
        delayed(GPAC(**SHORT).fit)(digits.X) for _ in range(2)
    )
    assert [digest(model) for model in models] == [expected, expected]
    np.testing.assert_array_equal(models[0].predict(digits.X), models[0].labels_)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("searcher", [pytest.param("exact", marks=pytest.mark.slow), "faiss"])
def test_a_fit_after_fork(searcher):
    printed = run_script(
        f"""
        import os
        import warnings
        from graphpac import GPAC
        from graphpac.datasets import load

        warnings.simplefilter("ignore", DeprecationWarning)  # a fork with threads around
        X = load("digits").X
        model = GPAC(**{SHORT!r}, searcher={searcher!r}, n_jobs=2)
        before = model.fit(X).labels_
        child = os.fork()
        if child == 0:
            os._exit(int((model.fit(X).labels_ != before).any()))
        print(os.waitpid(child, 0)[1], (model.fit(X).labels_ == before).all())
        """
    )
    assert printed == "0 True"


def test_blas_has_one_thread_during_a_fit_and_its_own_number_after(digits):
    import faiss  # noqa: F401 - so that its pools are there to be counted

    def pools() -> dict[str, int]:
        return {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}

    GPAC(**SHORT).fit(digits.X)
    before = pools()
    seen = []
    GPAC(**SHORT, searcher="faiss").fit(digits.X, callback=lambda _: seen.append(pools()))
    assert {count for during in seen for count in during.values()} == {1}
    assert pools() == before
    with pytest.raises(ZeroDivisionError):
        GPAC(**SHORT).fit(digits.X, callback=lambda _: 1 // 0)
    assert pools() == before


def interrupt(record):
    if record.iteration == 3:
        raise KeyboardInterrupt


def test_an_interrupt_leaves_an_unfitted_model_unfitted(digits):
    model = GPAC(**SHORT)
    before = dict(vars(model))
    with pytest.raises(KeyboardInterrupt):
        model.fit(digits.X, callback=interrupt)
    assert vars(model) == before
    assert digest(model.fit(digits.X)) == digest(GPAC(**SHORT).fit(digits.X))


@pytest.mark.parametrize("method", ["fit", "fit_graph"])
def test_an_interrupt_leaves_a_fitted_model_as_it_was(digits, method):
    model = GPAC(**SHORT).fit(digits.X[:, :32])
    before = dict(vars(model))
    given = digits.X if method == "fit" else model.graph_
    with pytest.raises(KeyboardInterrupt):
        getattr(model, method)(given, callback=interrupt)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(model.predict(digits.X[:, :32]), model.labels_)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ctrl_c_ends_a_fit_and_another_works(n_jobs):
    printed = run_script(
        f"""
        import os
        import signal
        import threading
        from graphpac import GPAC
        from graphpac.datasets import load

        def send_soon(record):
            if record.iteration == 5:
                threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()

        X = load("digits").X
        model = GPAC(10, max_iter=100_000, tol=0, random_state=0, n_jobs={n_jobs})
        try:
            model.fit(X, callback=send_soon)
        except KeyboardInterrupt:
            print("stopped", hasattr(model, "labels_"), threading.active_count())
        model.set_params(max_iter=8)
        fresh = GPAC(10, max_iter=8, tol=0, random_state=0, n_jobs=1)
        print((model.fit(X).labels_ == fresh.fit(X).labels_).all())
        """
    )
    assert printed.split("\n") == ["stopped False 1", "True"]


@pytest.mark.slow
def test_without_a_writable_kernel_cache_everything_works_with_a_warning():
    printed = run_script(
        """
        import warnings
        from numba.core import caching

        # No folder is writable: permissions would not stop a test run by root.
        caching.CompileResultCacheImpl._locator_classes = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            from graphpac import GPAC
            from graphpac.datasets import load

            GPAC(10, max_iter=2, random_state=0).fit(load("digits").X)
        print(*(str(warning.message) for warning in caught), sep="\\n")
        """
    )
    lines = printed.split("\n")
    assert all("set NUMBA_CACHE_DIR to a writable folder" in line for line in lines)
    assert lines


if __name__ == "__main__":
    records = {}
    for metric in GOLDEN_METRICS:
        parameters = {"n_clusters": 10, "metric": metric, "random_state": 0}
        found = GPAC.as_published(**parameters).fit(load("digits").X).labels_
        records[metric] = {
            "parameters": parameters,
            "labels": "".join(map(str, found)),
            "sha256": {cpu(): fingerprint(found)},
        }
    GOLDEN.write_text(json.dumps(records) + "\n", encoding="utf-8")
