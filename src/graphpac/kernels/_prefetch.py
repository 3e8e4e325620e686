"""Ask for memory before it is needed."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

from graphpac._typing import AnyArray
from graphpac.kernels._jit import IS_PLAIN_PYTHON, Deferred


def _prefetch(_context: Any, array: Any, index: Any) -> Any:
    """Begin to load ``array[index]``, the start of a row if there are two dimensions.

    A hint without a result: an index out of range is harmless. The loops of a sweep jump about in
    lists too large for the cache, and the processor does not look far enough ahead by itself.
    """
    from llvmlite import ir
    from numba.core import cgutils, types

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type, index_type = signature.args
        view = context.make_array(array_type)(context, builder, arguments[0])
        position = context.cast(builder, arguments[1], index_type, types.intp)
        stride = builder.extract_value(view.strides, 0)
        byte_pointer = ir.IntType(8).as_pointer()
        start = builder.bitcast(view.data, byte_pointer)
        address = builder.gep(start, [builder.mul(position, stride)])
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number]),
            "llvm.prefetch.p0",
        )
        reading, keep_in_all_caches, data_cache = number(0), number(3), number(1)
        builder.call(function, [address, reading, keep_in_all_caches, data_cache])
        return context.get_dummy_value()

    return types.void(array, index), generate


def _no_hint(_array: AnyArray, _index: int) -> None:
    """Stand in where kernels run as plain Python."""


def _build(function: FunctionType) -> Any:
    from numba.extending import intrinsic

    return intrinsic(function)


prefetch: Callable[[AnyArray, int], None] = (
    _no_hint if IS_PLAIN_PYTHON else Deferred(cast("FunctionType", _prefetch), _build)
)
