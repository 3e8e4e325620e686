"""The one decorator that decides how every compiled loop is built."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

CACHE_KERNELS = os.environ.get("GRAPHPAC_KERNEL_CACHE", "1") != "0"


def kernel(function: Function) -> Function:
    """Compile with the options all kernels share.

    Kernels release the interpreter lock and never start threads of their own: the caller
    runs them on a thread pool. Compiled code is kept on disk between processes; set
    ``GRAPHPAC_KERNEL_CACHE=0`` to compile anew in every process, or ``NUMBA_CACHE_DIR`` to
    choose the folder.
    """
    compiled: Function
    if CACHE_KERNELS:
        try:
            compiled = _compile(function, cache=True)
        except RuntimeError:  # numba found no folder it may write to
            warnings.warn(
                f"no writable folder for the compiled form of {function.__name__}: it is compiled "
                "anew in every process; set NUMBA_CACHE_DIR to a writable folder to avoid that.",
                RuntimeWarning,
                stacklevel=2,
            )
        else:
            return compiled
    compiled = _compile(function, cache=False)
    return compiled


def _compile(function: Callable[..., Any], *, cache: bool) -> Any:
    return njit(nogil=True, cache=cache, error_model="numpy")(function)
