"""Threads of our own: how many, how they are fed, and how BLAS is kept out of their way."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, as_completed, wait
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any, Self, TypeVar

from graphpac._typing import Progress
from graphpac.exceptions import ParameterError

MOST_THREADS = 1024  # more than any machine has cores for, and each takes memory

Item = TypeVar("Item")
Result = TypeVar("Result")


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Turn scikit-learn's ``n_jobs`` into a number of threads.

    ``None`` and ``-1`` mean every core this process may use, ``-2`` all but one, and so on.
    """
    if hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
    else:
        usable = os.cpu_count() or 1
    if n_jobs is None:
        return usable
    if n_jobs == 0:
        msg = "n_jobs=0 means no thread at all: use a positive number, or None for all cores."
        raise ParameterError(msg)
    if n_jobs > MOST_THREADS:
        msg = f"n_jobs={n_jobs} must be at most {MOST_THREADS:,}: there are {usable} cores to use."
        raise ParameterError(msg)
    return n_jobs if n_jobs > 0 else max(1, usable + 1 + n_jobs)


class Workers:
    """A team of threads that stays together for many small rounds of work.

    Functions are expected to release the interpreter lock. With one thread everything runs in the
    caller's, and no thread is started.
    """

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self._pool = ThreadPoolExecutor(n_jobs) if n_jobs > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        progress: Progress | None = None,
    ) -> list[Result]:
        """Apply a function to every item; results keep the order of the items.

        The first error, or Ctrl-C, cancels what has not started, waits for what has, and is raised.
        """
        if self._pool is None:
            results = []
            for done, item in enumerate(items, start=1):
                results.append(function(item))
                if progress is not None:
                    progress(done, len(items))
            return results
        futures = [self._pool.submit(function, item) for item in items]
        try:
            if progress is None:
                finished, _ = wait(futures, return_when=FIRST_EXCEPTION)  # half the cost of below
                for future in finished:
                    future.result()
            else:
                for done, future in enumerate(as_completed(futures), start=1):
                    future.result()
                    progress(done, len(items))
        except BaseException:
            for future in futures:
                future.cancel()
            wait(futures)
            raise
        return [future.result() for future in futures]


def map_in_threads(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    n_jobs: int,
    progress: Progress | None = None,
) -> list[Result]:
    """Apply a function to every item with a team of its own; see `Workers.map`."""
    with Workers(min(n_jobs, len(items))) as workers:
        return workers.map(function, items, progress)


class _BlasGuard:
    """Holds every BLAS pool of the process at one thread while anybody is inside.

    The limits are global, so two fits that each saved and restored them could leave the process at
    one thread for good. Counting who is inside restores them once, when the last one leaves.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limits: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                _free_blas_limits()
                self._limits = _loaded_pools(len(sys.modules)).limit(limits=1, user_api="blas")
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            if self._inside == 0:
                return  # whoever forked while inside leaves in the child too, where nobody counts
            self._inside -= 1
            if self._inside == 0:
                self._restore()

    def reset(self) -> None:
        """Forget who was inside: after a fork only the forking thread lives on in the child."""
        if self._limits is not None:
            self._restore()
        self.__init__()  # type: ignore[misc]

    def _restore(self) -> None:
        _free_blas_limits()
        self._limits.restore_original_limits()
        _free_blas_limits()
        self._limits = None


@lru_cache(maxsize=1)
def _loaded_pools(n_modules: int) -> Any:  # noqa: ARG001 (libraries come with imports)
    """Find the thread pools of the process; remembered, as looking takes up to ten milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _free_blas_limits() -> None:
    """Let any thread set the limits of OpenBLAS.

    Newer threadpoolctl keeps that to the first thread that did and silently ignores all others: the
    last fit to leave could then not restore what the first one, in another thread, had changed.
    """
    from threadpoolctl import OpenBLASController

    free = getattr(OpenBLASController, "clear_controlling_thread", None)
    if free is not None:
        free(force=True)


_BLAS_GUARD = _BlasGuard()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_BLAS_GUARD.reset)


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep BLAS and OpenMP at one thread each: the threads are ours, bits do not depend on them."""
    _BLAS_GUARD.enter()
    try:
        # OpenMP counts its threads for each calling thread, so every fit sees to its own.
        with _loaded_pools(len(sys.modules)).limit(limits=1, user_api="openmp"):
            yield
    finally:
        _BLAS_GUARD.leave()
