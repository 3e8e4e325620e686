"""The one decorator that decides how every compiled loop is built.

Importing numba takes longer than all else of this package, so it waits for the first call.

A first fit on a machine waits for the compiler, so kernels avoid what takes it long and can be said
otherwise:

- an array assigned to a slice, and ``view``: their error messages are made by compiled code, too;
- sorts of several dtypes: all kernels sort int64;
- a number written where it is passed and a variable elsewhere, such as 1 and ``n``, or arrays that
  may be written to and read-only ones: what is called is compiled for each;
- `step` for what takes no arrays: LLVM includes small kernels by itself.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from functools import partial, update_wrapper
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

_KERNELS: list[Deferred] = []
_BUILDING = threading.RLock()
CACHE_KERNELS = os.environ.get("GRAPHPAC_KERNEL_CACHE", "1") != "0"
IS_PLAIN_PYTHON = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


class Deferred:
    """A function that is handed to numba when it is called, or when one that calls it is.

    ``build`` makes of the function what numba calls. Numba looks for what a function calls in the
    globals of its module: there, the built one takes the place of this object.
    """

    def __init__(self, function: FunctionType, build: Callable[[FunctionType], Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._build = build
        self._built: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._built or self.built())(*arguments)

    def built(self) -> Any:
        """Return what numba calls, made on the first occasion."""
        with _BUILDING:
            if self._built is None:
                names = self.py_func.__globals__
                for name in self.py_func.__code__.co_names:
                    called = names.get(name)
                    if isinstance(called, Deferred):
                        names[name] = called.built()
                self._built = self._build(self.py_func)
        return self._built


def kernel(function: Function) -> Function:
    """Compile with the options all kernels share.

    Kernels release the interpreter lock and never start threads of their own: the caller
    runs them on a thread pool. Compiled code is kept on disk between processes; set
    ``GRAPHPAC_KERNEL_CACHE=0`` to compile anew in every process, or ``NUMBA_CACHE_DIR`` to
    choose the folder.
    """
    return _deferred(function, fastmath=False)


def step(function: Function) -> Function:
    """Compile into every kernel that calls it: a part of a loop that has a name and costs no call.

    Arrays inside a named tuple are counted as in use whenever one is taken out, which is no longer
    free many times a microsecond: steps take the arrays they need.
    """
    return _deferred(function, fastmath=False, inline="always")


def summing_kernel(function: Function) -> Function:
    """Compile like `kernel`, but let the compiler choose the order of sums.

    A strictly ordered sum cannot be vectorized (784 terms: 0.55 instead of 0.2 microseconds). The
    compiler picks one order, which depends on the length only, not on threads or alignment.
    """
    return _deferred(function, fastmath={"reassoc", "contract"})


def comparing_kernel(function: Function) -> Function:
    """Compile like `kernel`, but take all numbers to be numbers, and both zeros for equal.

    Only then does the compiler look for the smallest of many with vector instructions. The smallest
    is the same in any order.
    """
    return _deferred(function, fastmath={"nnan", "nsz"})


def must_compile() -> bool:
    """Tell whether no kernel was ever compiled on this machine, as far as numba keeps a record."""
    return CACHE_KERNELS and bool(_KERNELS) and not any(map(_is_compiled, _KERNELS))


def _is_compiled(kernel: Deferred) -> bool:
    compiled = kernel.built()
    try:
        return bool(compiled.signatures or compiled._cache._cache_file._load_index())
    except Exception:  # noqa: BLE001 (numba's own affair: rather say nothing than end a fit)
        return True


def _deferred(function: Function, **options: Any) -> Function:
    if IS_PLAIN_PYTHON:
        # A compiled kernel overflows and divides by zero in silence.
        return np.errstate(all="ignore")(function)
    deferred = Deferred(cast("FunctionType", function), partial(_compile, options=options))
    _KERNELS.append(deferred)
    return cast("Function", deferred)


def _compile(function: FunctionType, options: dict[str, Any]) -> Any:
    from numba import njit

    # No C code calls kernels: what would let it takes a fifteenth of the time to compile.
    shared = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    build: Callable[..., Any] = partial(njit, **shared, **options)
    if CACHE_KERNELS:
        try:
            return build(cache=True)(function)
        except RuntimeError:  # numba found no folder it may write to
            warnings.warn(
                f"no writable folder for the compiled form of {function.__name__}: it is compiled "
                "anew in every process; set NUMBA_CACHE_DIR to a writable folder to avoid that.",
                RuntimeWarning,
                stacklevel=3,
            )
    return build(cache=False)(function)
