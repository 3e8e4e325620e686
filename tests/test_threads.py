"""How many threads, how they are fed, and that BLAS gets its own back."""

import multiprocessing
import os
import sys
import threading
import time

import numpy as np
import pytest
import sklearn.cluster  # noqa: F401 - brings OpenMP along
import threadpoolctl
from threadpoolctl import threadpool_info, threadpool_limits

from graphpac import _threads
from graphpac._threads import Workers, map_in_threads, resolve_n_jobs, single_threaded_blas


def usable_cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def blas_threads(*apis):
    """Threads of every loaded library, or of those of some kinds."""
    np.linalg.inv(np.eye(2))  # a process that never computed may not have loaded BLAS
    return {
        info["filepath"]: info["num_threads"]
        for info in threadpool_info()
        if not apis or info["user_api"] in apis
    }


@pytest.fixture
def two_blas_threads():
    """Give BLAS something to take back, also on a machine with one core."""
    with threadpool_limits(limits=2):
        yield blas_threads()


@pytest.mark.parametrize(
    ("n_jobs", "n_threads"),
    [(None, None), (-1, None), (1, 1), (3, 3), (np.int64(2), 2), (-10_000, 1)],
)
def test_n_jobs_becomes_a_number_of_threads(n_jobs, n_threads):
    assert resolve_n_jobs(n_jobs) == (n_threads or usable_cores())


def test_minus_two_leaves_one_core_free():
    assert resolve_n_jobs(-2) == max(1, usable_cores() - 1)


def test_no_thread_at_all_is_refused():
    with pytest.raises(ValueError, match="n_jobs=0 means no thread at all"):
        resolve_n_jobs(0)


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
@pytest.mark.parametrize("with_progress", [False, True])
def test_results_keep_the_order_of_the_items(n_jobs, with_progress):
    seen = []

    def slow_first(item):
        time.sleep(0.02 if item == 0 else 0.0)
        return item * item

    def progress(done, n_items):
        seen.append((done, n_items))

    results = map_in_threads(slow_first, range(9), n_jobs, progress if with_progress else None)

    assert results == [item * item for item in range(9)]
    assert seen == ([(done, 9) for done in range(1, 10)] if with_progress else [])


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_no_items_give_no_results(n_jobs):
    assert map_in_threads(len, [], n_jobs) == []


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("with_progress", [False, True])
def test_an_error_cancels_what_has_not_started(error, with_progress):
    """Also when an item before the one that failed takes long."""
    started = []

    def work(item):
        started.append(item)
        if item == 1:
            raise error
        time.sleep(0.05)

    progress = (lambda *_: None) if with_progress else None
    with pytest.raises(error):
        map_in_threads(work, range(200), 2, progress)

    assert len(started) < 20
    n_started = len(started)
    time.sleep(0.1)
    assert len(started) == n_started, "work went on after the error was raised"


def test_the_first_error_is_the_one_raised():
    def work(item):
        if item >= 2:
            raise ValueError(item)

    for n_jobs in (1, 2):
        with pytest.raises(ValueError, match="2"):
            map_in_threads(work, range(3), n_jobs)


def test_blas_is_held_at_one_thread_and_given_back(two_blas_threads):
    with single_threaded_blas():
        assert set(blas_threads().values()) == {1}
        with single_threaded_blas():
            assert set(blas_threads().values()) == {1}
        assert set(blas_threads().values()) == {1}
    assert blas_threads() == two_blas_threads


def test_libraries_are_looked_for_after_an_import_only(monkeypatch):
    searches = []
    find = threadpoolctl.ThreadpoolController

    def counting():
        searches.append(len(sys.modules))
        return find()

    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", counting)
    monkeypatch.setitem(sys.modules, "first_import", None)
    for _ in range(3):
        with single_threaded_blas():
            pass
    assert len(searches) == 1
    monkeypatch.setitem(sys.modules, "second_import", None)
    with single_threaded_blas():
        pass
    assert len(searches) == 2


def test_an_error_inside_gives_blas_back(two_blas_threads):
    with pytest.raises(RuntimeError), single_threaded_blas():
        raise RuntimeError
    assert blas_threads() == two_blas_threads


def test_overlapping_fits_give_blas_back_once_the_last_has_left(two_blas_threads):
    """The first to enter is the first to leave, so their spans overlap without being nested."""
    both_inside = threading.Barrier(2)
    first_has_left = threading.Event()
    seen = []

    def first():
        with single_threaded_blas():
            both_inside.wait(timeout=10)
        first_has_left.set()

    def second():
        with single_threaded_blas():
            both_inside.wait(timeout=10)
            first_has_left.wait(timeout=10)
            seen.append(set(blas_threads().values()))

    threads = [threading.Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen == [{1}]
    assert blas_threads() == two_blas_threads


def report_of_child(connection):
    """Leave the parent's block in the child as a fork inside it would, then use an own one."""
    _threads._BLAS_GUARD.leave()
    before = set(blas_threads("blas").values())
    with single_threaded_blas():
        inside = set(blas_threads("blas").values())
    connection.send((before, inside, set(blas_threads("blas").values())))
    connection.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_child_forked_inside_counts_from_zero(two_blas_threads):
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    with single_threaded_blas():
        child = context.Process(target=report_of_child, args=(theirs,))
        child.start()
        assert ours.poll(30), "the child did not answer"
        before, inside, after = ours.recv()
        child.join()
        assert set(blas_threads().values()) == {1}

    assert (before, inside, after) == ({2}, {1}, {2})
    assert blas_threads() == two_blas_threads


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_fork_while_the_count_is_being_changed_does_not_lock_the_child():
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    with _threads._BLAS_GUARD._lock:
        child = context.Process(target=report_of_child, args=(theirs,))
        child.start()
    assert ours.poll(30), "the child waits for a lock nobody holds"
    child.join()


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_team_stays_usable_round_after_round_and_after_an_error(n_jobs):
    def double(item):
        if item < 0:
            raise ValueError(item)
        return 2 * item

    with Workers(n_jobs) as workers:
        for size in range(5):
            assert workers.map(double, range(size)) == [2 * item for item in range(size)]
        with pytest.raises(ValueError, match="-1"):
            workers.map(double, [1, -1, 2])
        assert workers.map(double, [4, 5]) == [8, 10]


def test_one_thread_is_the_callers():
    with Workers(1) as workers:
        assert workers.map(lambda _: threading.get_ident(), [0]) == [threading.get_ident()]


def test_threads_end_with_the_team():
    before = threading.active_count()
    with Workers(3) as workers:
        workers.map(time.sleep, [0.001] * 6)
        assert threading.active_count() > before
    assert threading.active_count() == before
