"""The one decorator that decides how every compiled loop is built."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numba import config, njit

Function = TypeVar("Function", bound=Callable[..., Any])

_KERNELS: list[Any] = []
CACHE_KERNELS = os.environ.get("GRAPHPAC_KERNEL_CACHE", "1") != "0"


def kernel(function: Function) -> Function:
    """Compile with the options all kernels share.

    Kernels release the interpreter lock and never start threads of their own: the caller
    runs them on a thread pool. Compiled code is kept on disk between processes; set
    ``GRAPHPAC_KERNEL_CACHE=0`` to compile anew in every process, or ``NUMBA_CACHE_DIR`` to
    choose the folder.
    """
    return _compile(function, fastmath=False)


def step(function: Function) -> Function:
    """Compile into every kernel that calls it: a part of a loop that has a name and costs no call.

    Arrays inside a named tuple are counted as in use whenever one is taken out, which is no longer
    free many times a microsecond: steps take the arrays they need.
    """
    return _compile(function, fastmath=False, inline="always")


def summing_kernel(function: Function) -> Function:
    """Compile like `kernel`, but let the compiler choose the order of sums.

    A strictly ordered sum cannot be vectorized (784 terms: 0.55 instead of 0.2 microseconds). The
    compiler picks one order, which depends on the length only, not on threads or alignment.
    """
    return _compile(function, fastmath={"reassoc", "contract"})


def comparing_kernel(function: Function) -> Function:
    """Compile like `kernel`, but take all numbers to be numbers, and both zeros for equal.

    Only then does the compiler look for the smallest of many with vector instructions. The smallest
    is the same in any order.
    """
    return _compile(function, fastmath={"nnan", "nsz"})


def must_compile() -> bool:
    """Tell whether no kernel was ever compiled on this machine, as far as numba keeps a record."""
    return bool(_KERNELS) and not any(map(_is_compiled, _KERNELS))


def _is_compiled(compiled: Any) -> bool:
    try:
        return bool(compiled.signatures or compiled._cache._cache_file._load_index())
    except Exception:  # noqa: BLE001 (numba's own affair: rather say nothing than end a fit)
        return True


def _compile(function: Function, **options: Any) -> Function:
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        # A compiled kernel overflows and divides by zero in silence.
        return np.errstate(all="ignore")(function)
    build: Callable[..., Any] = partial(njit, nogil=True, error_model="numpy", **options)
    compiled: Function
    if CACHE_KERNELS:
        try:
            compiled = build(cache=True)(function)
        except RuntimeError:  # numba found no folder it may write to
            warnings.warn(
                f"no writable folder for the compiled form of {function.__name__}: it is compiled "
                "anew in every process; set NUMBA_CACHE_DIR to a writable folder to avoid that.",
                RuntimeWarning,
                stacklevel=3,
            )
        else:
            _KERNELS.append(compiled)
            return compiled
    compiled = build(cache=False)(function)
    return compiled
