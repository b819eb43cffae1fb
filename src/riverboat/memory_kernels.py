"""Telling the processor what memory will be read soon."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["prefetch"]

READ, KEEP, DATA = 0, 3, 1
"""The arguments of LLVM's prefetch: for reading, to stay in all caches, of data."""


@intrinsic
def prefetch(typingctx: Any, array: types.Array, index: types.Integer) -> tuple[Any, Any]:
    """`prefetch(array, index)`: element `index` of a flat array will be wanted soon."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array_type, _ = signature.args
        data = context.make_array(array_type)(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]])
        word, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        asks = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, word, word, word]),
            "llvm.prefetch.p0i8",
        )
        numbers = [ir.Constant(word, number) for number in (READ, KEEP, DATA)]
        builder.call(asks, [builder.bitcast(place, byte), *numbers])
        return context.get_dummy_value()

    return types.void(array, index), codegen
