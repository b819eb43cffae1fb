"""Eight or sixteen numbers at once inside Numba kernels: LLVM vectors with plain names.

    x = load16(array, i)       elements i … i + 15 of a flat float32 or int16 array, as float32
    store16(array, i, x)       into a float32 array
    x + y, x − y, x · y        lane by lane; spread16(number) makes sixteen equal ones
    positive(x)                max(x, 0)
    share_of(x)                1 / x where x > 0, else 0
    where_none(x, y)           y where x is not above 0, else 0
    scaled_by_sign(x, y, z)    x · y where x > 0, else x · z
    gather8, scatter8          an 8 × 8 block of eight rows, turned into columns, and back

The compiler would have to prove that no two rows overlap before it made such code by itself.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

_FLOAT = ir.FloatType()
_CONTRACT = ("contract",)
"""A product and a sum may become one instruction; nothing else may be changed."""


def _primitive(function: Any) -> Any:
    """A function that writes its own LLVM code."""
    return intrinsic(function)


class Lanes(types.Type):
    """A vector of float32."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(name=f"Lanes({size})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Lanes) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(_FLOAT, fe_type.size))


def _place(context, builder, array_type, array, index, size):
    """A pointer to `size` elements."""
    data = context.make_array(array_type)(context, builder, array).data
    element = builder.gep(data, [index])
    kind = ir.VectorType(context.get_data_type(array_type.dtype), size)
    return builder.bitcast(element, kind.as_pointer())


def _load(size):
    def load(typingctx, array, index):
        def codegen(context, builder, signature, arguments):
            array_type = signature.args[0]
            pointer = _place(context, builder, array_type, *arguments, size)
            width = array_type.dtype.bitwidth // 8
            loaded = builder.load(pointer, align=width)
            if isinstance(array_type.dtype, types.Float):
                return loaded
            kind = ir.VectorType(_FLOAT, size)
            if array_type.dtype.signed:
                return builder.sitofp(loaded, kind)
            return builder.uitofp(loaded, kind)

        return Lanes(size)(array, index), codegen

    return _primitive(load)


def _store(size):
    def store(typingctx, array, index, lanes):
        def codegen(context, builder, signature, arguments):
            pointer = _place(context, builder, signature.args[0], *arguments[:2], size)
            builder.store(arguments[2], pointer, align=4)
            return context.get_dummy_value()

        return types.void(array, index, lanes), codegen

    return _primitive(store)


load8, load16 = _load(8), _load(16)
store8, store16 = _store(8), _store(16)


@_primitive
def store_int16(typingctx, array, index, lanes):
    """Sixteen whole numbers into an int16 or uint16 array."""

    def codegen(context, builder, signature, arguments):
        array_type = signature.args[0]
        pointer = _place(context, builder, array_type, *arguments[:2], 16)
        whole = builder.fptosi(arguments[2], ir.VectorType(ir.IntType(32), 16))
        narrow = builder.trunc(whole, ir.VectorType(ir.IntType(16), 16))
        builder.store(narrow, pointer, align=2)
        return context.get_dummy_value()

    return types.void(array, index, lanes), codegen


def _splat(builder, number, size):
    kind = ir.VectorType(_FLOAT, size)
    one = builder.insert_element(
        ir.Constant(kind, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
    )
    mask = ir.Constant(ir.VectorType(ir.IntType(32), size), [0] * size)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), mask)


def _spread(size):
    def spread(typingctx, number):
        def codegen(context, builder, signature, arguments):
            return _splat(builder, arguments[0], size)

        return Lanes(size)(types.float32), codegen

    return _primitive(spread)


spread8, spread16 = _spread(8), _spread(16)


def _binary(name):
    def both(typingctx, first, second):
        def codegen(context, builder, signature, arguments):
            return getattr(builder, name)(*arguments, flags=_CONTRACT)

        return first(first, second), codegen

    return _primitive(both)


_add, _subtract, _multiply = _binary("fadd"), _binary("fsub"), _binary("fmul")


def _define(symbol, primitive):
    @overload(symbol)
    def combine(first, second):
        if isinstance(first, Lanes) and first == second:
            return lambda first, second: primitive(first, second)
        return None


_define(operator.add, _add)
_define(operator.sub, _subtract)
_define(operator.mul, _multiply)


def _zeros(size):
    return ir.Constant(ir.VectorType(_FLOAT, size), [0.0] * size)


@_primitive
def positive(typingctx, lanes):
    """max(x, 0)."""

    def codegen(context, builder, signature, arguments):
        zero = _zeros(signature.return_type.size)
        above = builder.fcmp_ordered(">", arguments[0], zero)
        return builder.select(above, arguments[0], zero)

    return lanes(lanes), codegen


@_primitive
def larger(typingctx, first, second):
    """The larger of two in each lane."""

    def codegen(context, builder, signature, arguments):
        above = builder.fcmp_ordered(">", *arguments)
        return builder.select(above, *arguments)

    return first(first, second), codegen


@_primitive
def share_of(typingctx, lanes):
    """1 / x where x > 0, else 0."""

    def codegen(context, builder, signature, arguments):
        size = signature.return_type.size
        above = builder.fcmp_ordered(">", arguments[0], _zeros(size))
        one = ir.Constant(ir.VectorType(_FLOAT, size), [1.0] * size)
        safe = builder.select(above, arguments[0], one)
        return builder.select(above, builder.fdiv(one, safe), _zeros(size))

    return lanes(lanes), codegen


@_primitive
def where_none(typingctx, lanes, other):
    """The other where x is not above 0, else 0."""

    def codegen(context, builder, signature, arguments):
        zero = _zeros(signature.return_type.size)
        above = builder.fcmp_ordered(">", arguments[0], zero)
        return builder.select(above, zero, arguments[1])

    return lanes(lanes, other), codegen


@_primitive
def scaled_by_sign(typingctx, lanes, above, below):
    """x · above where x > 0, else x · below."""

    def codegen(context, builder, signature, arguments):
        zero = _zeros(signature.return_type.size)
        test = builder.fcmp_ordered(">", arguments[0], zero)
        factor = builder.select(test, arguments[1], arguments[2])
        return builder.fmul(arguments[0], factor, flags=_CONTRACT)

    return lanes(lanes, above, below), codegen


@_primitive
def largest_size(typingctx, lanes):
    """The largest |x| over the lanes, as a number."""

    def codegen(context, builder, signature, arguments):
        size = signature.args[0].size
        kind = ir.VectorType(_FLOAT, size)
        fabs = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(kind, [kind]), f"llvm.fabs.v{size}f32"
        )
        best = builder.call(fabs, arguments)
        while size > 1:
            size //= 2
            half = ir.VectorType(ir.IntType(32), size)
            low = builder.shuffle_vector(best, best, ir.Constant(half, list(range(size))))
            high = builder.shuffle_vector(
                best, best, ir.Constant(half, list(range(size, 2 * size)))
            )
            best = builder.select(builder.fcmp_ordered(">", low, high), low, high)
        return builder.extract_element(best, ir.Constant(ir.IntType(32), 0))

    return types.float32(lanes), codegen


@_primitive
def rounded(typingctx, lanes):
    """To the nearest whole numbers."""

    def codegen(context, builder, signature, arguments):
        size = signature.return_type.size
        kind = ir.VectorType(_FLOAT, size)
        name = f"llvm.rint.v{size}f32"
        rint = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name)
        return builder.call(rint, arguments)

    return lanes(lanes), codegen


def _shuffled(builder, first, second, picks):
    mask = ir.Constant(ir.VectorType(ir.IntType(32), 8), picks)
    return builder.shuffle_vector(first, second, mask)


def _transposed(builder, rows):
    """Eight vectors of eight: three rounds of pairwise exchange."""
    pairs = [
        _shuffled(builder, rows[i], rows[i + 1], picks)
        for i in (0, 2, 4, 6)
        for picks in ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15])
    ]
    fours = [
        _shuffled(builder, pairs[i + j], pairs[i + j + 2], picks)
        for i in (0, 4)
        for j in (0, 1)
        for picks in ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15])
    ]
    low, high = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]
    return [
        _shuffled(builder, fours[i], fours[i + 4], picks) for picks in (low, high) for i in range(4)
    ]


@_primitive
def gather8(typingctx, source, starts, at, shift, target, to):
    """target[to + 8 i + j] = source[starts[at + j] + shift + i] for i, j below 8.

    `starts` is an int64 array.
    """

    def codegen(context, builder, signature, arguments):
        source_, starts_, at_, shift_, target_, to_ = arguments
        types_ = signature.args
        begin = context.make_array(types_[1])(context, builder, starts_).data
        rows = []
        for j in range(8):
            index = builder.add(at_, ir.Constant(at_.type, j))
            start = builder.add(builder.load(builder.gep(begin, [index])), shift_)
            pointer = _place(context, builder, types_[0], source_, start, 8)
            rows.append(builder.load(pointer, align=4))
        for i, column in enumerate(_transposed(builder, rows)):
            index = builder.add(to_, ir.Constant(to_.type, 8 * i))
            builder.store(column, _place(context, builder, types_[4], target_, index, 8), align=4)
        return context.get_dummy_value()

    return types.void(source, starts, types.int64, types.int64, target, types.int64), codegen


@_primitive
def scatter8(typingctx, source, at, target, starts, first, shift):
    """target[starts[first + j] + shift + i] = source[at + 8 i + j] for i, j below 8."""

    def codegen(context, builder, signature, arguments):
        source_, at_, target_, starts_, first_, shift_ = arguments
        types_ = signature.args
        rows = []
        for i in range(8):
            index = builder.add(at_, ir.Constant(at_.type, 8 * i))
            pointer = _place(context, builder, types_[0], source_, index, 8)
            rows.append(builder.load(pointer, align=4))
        begin = context.make_array(types_[3])(context, builder, starts_).data
        for j, column in enumerate(_transposed(builder, rows)):
            index = builder.add(first_, ir.Constant(first_.type, j))
            start = builder.add(builder.load(builder.gep(begin, [index])), shift_)
            builder.store(column, _place(context, builder, types_[2], target_, start, 8), align=4)
        return context.get_dummy_value()

    return types.void(source, types.int64, target, starts, types.int64, types.int64), codegen


@_primitive
def take_next(typingctx, counter):
    """The number in `counter` (1,) int64, which grows by one: no two threads get the same."""

    def codegen(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.atomic_rmw("add", data, ir.Constant(ir.IntType(64), 1), "seq_cst")

    return types.int64(counter), codegen
