"""Inside compiled code: random numbers, and prefetching what will be read soon.

Random numbers are splitmix64 (Steele, Lea and Flood, OOPSLA 2014). The state is one unsigned 64-bit
number that grows by a constant with each draw, so a stream can be started anywhere: `stream(seed,
block)` gives every block of work its own, and a result does not depend on how the blocks are spread
over threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from riverboat.runtime._kernel_cache import njit as njit
from riverboat.runtime.compiling import register_listeners

register_listeners()

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, inline="always")
def mix(state: np.uint64) -> np.uint64:
    """The random number that belongs to a state; advance with `state += GOLDEN`."""
    z = np.uint64(state)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, inline="always")
def unit(number: np.uint64) -> float:
    """A uint64 as a float64 in [0, 1), 53 bits."""
    return np.float64(number >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def stream(seed: int, block: int) -> np.uint64:
    """The first state of a block's stream."""
    return mix(mix(np.uint64(seed) + GOLDEN) ^ (np.uint64(block) * np.uint64(0xD1342543DE82EF95)))


READ, KEEP, DATA = 0, 3, 1
"""The arguments of LLVM's prefetch: for reading, to stay in all caches, of data."""


@intrinsic
def prefetch(typingctx: Any, array: types.Array, index: types.Integer) -> tuple[Any, Any]:
    """`prefetch(array, index)`: element `index` of a flat array will be wanted soon."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array_type, _ = signature.args
        data = context.make_array(array_type)(context, builder, arguments[0]).data
        pointer = builder.gep(data, [arguments[1]])
        word, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        asks = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, word, word, word]),
            "llvm.prefetch.p0i8",
        )
        numbers = [ir.Constant(word, number) for number in (READ, KEEP, DATA)]
        builder.call(asks, [builder.bitcast(pointer, byte), *numbers])
        return context.get_dummy_value()

    return types.void(array, index), codegen
