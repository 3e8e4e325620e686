"""Threads of our own: how many, how they are fed, and how BLAS is kept out of their way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Turn scikit-learn's ``n_jobs`` into a number of threads.

    ``None`` and ``-1`` mean every core this process may use, ``-2`` all but one, and so on.
    """
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return usable
    if n_jobs == 0:
        msg = "n_jobs=0 means no thread at all: use a positive number, or None for every usable core."
        raise ValueError(msg)
    return n_jobs if n_jobs > 0 else max(1, usable + 1 + n_jobs)


def map_in_threads(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    n_jobs: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """Apply a function that releases the interpreter lock to every item; results keep the order of the items.

    The first error, or Ctrl-C, cancels what has not started, waits for what has, and is raised.
    """
    n_items = len(items)
    if n_jobs == 1 or n_items <= 1:
        results = []
        for done, item in enumerate(items, start=1):
            results.append(function(item))
            if progress is not None:
                progress(done, n_items)
        return results
    with ThreadPoolExecutor(min(n_jobs, n_items)) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            if progress is not None:
                for done, future in enumerate(futures, start=1):
                    future.result()
                    progress(done, n_items)
            wait(futures, return_when=FIRST_EXCEPTION)
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _BlasGuard:
    """Holds every BLAS and OpenMP pool of the process at one thread while anybody is inside.

    threadpoolctl's limits are global, so two fits that each saved and restored them could leave the
    process at one thread for good. Counting who is inside restores them once, when the last one leaves.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limits: Any = None

    def enter(self) -> None:
        from threadpoolctl import threadpool_limits

        with self._lock:
            if self._inside == 0:
                self._limits = threadpool_limits(limits=1)
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limits.restore_original_limits()
                self._limits = None

    def reset(self) -> None:
        """Forget who was inside: after a fork only the forking thread lives on in the child."""
        if self._limits is not None:
            self._limits.restore_original_limits()
        self.__init__()  # type: ignore[misc]


_BLAS_GUARD = _BlasGuard()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_BLAS_GUARD.reset)


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep BLAS and OpenMP at one thread each, so that the threads are ours and the bits do not depend on them."""
    _BLAS_GUARD.enter()
    try:
        yield
    finally:
        _BLAS_GUARD.leave()
