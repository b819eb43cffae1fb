"""What a stretch of training changed, in few bytes: sparse, quantised, and put back together.

A trainer's table holds for every infoset first the regrets, then the averages of its actions. Each
of these two is a *block*. Blocks are numbered through the table as it lies in memory. A difference
lists the blocks that changed:

    gap since the block before (7 bits in a byte, low ones first; the 8th says that more follow)
    exponent e + 128 (1 byte)
    one signed byte q for each action: the change is q · 2^e

2^e is the smallest power of two with which the largest change of the block fits in −127 … 127.
Rounding is random and unbiased, so that the mean of a sum of differences is the true one.

What comes out of a round goes back to all workers as numbers, not as a difference: whoever takes
them over has the same table, bit for bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy import uint64

from riverboat.array_types import F32, I64, U8, U16, U32, U64
from riverboat.random_kernels import GOLDEN, mix, unit

__all__ = [
    "Layout",
    "mark_changes",
    "read_difference",
    "set_numbers",
    "take_difference",
    "take_numbers",
]

LARGEST = 127.0
BIAS = 128


class Layout(NamedTuple):
    """Where the blocks lie: rows are players and streets, P · S of them."""

    starts: I64  # (P · S + 1,) where each row's numbers begin
    strides: I64  # (P · S,) numbers of one bucket
    num_buckets: I64  # (P · S,)
    firsts: I64  # (P · S + 1,) where each row's infosets begin in the two below
    offsets: I64  # (I,) where an infoset's numbers begin within a bucket, ascending in each row
    counts: I64  # (I,) actions


@njit(cache=True, nogil=True)
def mark_changes(base_bits: U32, table_bits: U32, marks: U8, shift: int) -> None:
    """Set `marks[i]` where two tables, as whole numbers, differ in the i-th 2 ** shift numbers.

    It reads both tables once, as fast as memory gives them. (A mark set by each step of a walk
    would spare that, and costs every walk a tenth of its speed.)
    """
    size, width = base_bits.shape[0], 1 << shift
    for i in range(marks.shape[0]):
        changed = np.uint32(0)
        for j in range(uint64(i * width), uint64(min(size, (i + 1) * width))):
            changed |= base_bits[j] ^ table_bits[j]
        marks[i] = changed != 0


@njit(cache=True, nogil=True)
def take_difference(
    layout: Layout, base: F32, table: F32, marks: U8, shift: int, generator: U64, out: U8
) -> int:
    """Write how `table` differs from `base` to `out`, and set it back; the number of bytes.

    `marks` is from mark_changes, `generator` (1,) is the state for rounding. −1 where `out` is too
    small; then some has been set back already.
    """
    starts, strides, num_buckets, firsts, offsets, counts = layout
    state, move = generator[0], uint64(shift)
    place, block, after, room = 0, 0, 0, out.shape[0]
    for row in range(strides.shape[0]):
        for bucket in range(num_buckets[row]):
            begin = uint64(starts[row] + bucket * strides[row])
            for infoset in range(firsts[row], firsts[row + 1]):
                slot, count = begin + uint64(offsets[infoset]), uint64(counts[infoset])
                last = slot + count + count - uint64(1)
                touched = marks[slot >> move]
                for segment in range((slot >> move) + uint64(1), (last >> move) + uint64(1)):
                    touched |= marks[segment]
                if touched == 0:
                    block += 2
                    continue
                for _ in range(2):
                    largest = 0.0
                    for a in range(count):
                        change = np.float64(table[slot + a]) - np.float64(base[slot + a])
                        largest = max(largest, abs(change))
                    if largest > 0.0:
                        exponent = math.frexp(largest / LARGEST)[1]
                        if place + 6 + int(count) > room:
                            generator[0] = state
                            return -1
                        gap = block - after
                        while gap >= 128:
                            out[place] = (gap & 127) | 128
                            gap >>= 7
                            place += 1
                        out[place] = gap
                        out[place + 1] = max(0, min(255, exponent + BIAS))
                        place += 2
                        scale = math.ldexp(1.0, -exponent)
                        for a in range(count):
                            change = np.float64(table[slot + a]) - np.float64(base[slot + a])
                            state += GOLDEN
                            parts = math.floor(change * scale + unit(mix(state)))
                            out[place] = int(parts) & 255
                            place += 1
                            table[slot + a] = base[slot + a]
                        after = block + 1
                    slot += count
                    block += 1
    generator[0] = state
    return place


@njit(cache=True, nogil=True)
def read_difference(
    layout: Layout, difference: U8, counts_of: U16, table: F32, floor: float, adding: bool
) -> int:
    """Go through a difference; how many blocks it has, −1 where it is none of such a table.

    First, without `adding`, each block it has counts once more in `counts_of` (B,). Then, with
    `adding`, it is added to `table`: averages as they are, regrets divided by the block's count. No
    regret falls under `floor`.
    """
    starts, strides, num_buckets, firsts, offsets, counts = layout
    place, end, block, blocks = 0, difference.shape[0], 0, 0
    row, row_block = 0, 0
    while place < end:
        gap, shift = 0, 0
        while place < end and difference[place] >= 128 and shift < 56:
            gap |= (int(difference[place]) & 127) << shift
            shift += 7
            place += 1
        if place + 2 > end:
            return -1
        gap |= int(difference[place]) << shift
        exponent = int(difference[place + 1]) - BIAS
        place += 2
        block += gap
        while row < strides.shape[0]:
            here = 2 * (firsts[row + 1] - firsts[row]) * num_buckets[row]
            if block < row_block + here:
                break
            row_block += here
            row += 1
        if row == strides.shape[0]:
            return -1
        width = 2 * (firsts[row + 1] - firsts[row])
        bucket, rest = divmod(block - row_block, width)
        infoset, half = firsts[row] + rest // 2, rest % 2
        count = counts[infoset]
        if place + count > end:
            return -1
        if not adding:
            counts_of[block] += 1
            place += count
        else:
            slot = uint64(starts[row] + bucket * strides[row] + offsets[infoset] + half * count)
            scale = math.ldexp(1.0, exponent)
            if half == 0:
                scale /= counts_of[block]
            for a in range(uint64(count)):
                parts = int(difference[place])
                place += 1
                value = float(table[slot + a])
                value += scale * (parts - 256 if parts >= 128 else parts)
                table[slot + a] = floor if half == 0 and value < floor else value
        block += 1
        blocks += 1
    return blocks


@njit(cache=True, nogil=True)
def take_numbers(layout: Layout, counts_of: U16, bits: U32, out: U8) -> int:
    """Write the numbers of all blocks that are counted, as they are now, and set counts back.

    `bits` is the table as whole numbers. In `out` each block is a gap, as in a difference, and four
    bytes for each number; there must be room for five times the bytes of the differences. Returns
    how many bytes there are.
    """
    starts, strides, num_buckets, firsts, offsets, counts = layout
    place, block, after = 0, 0, 0
    for row in range(strides.shape[0]):
        for bucket in range(num_buckets[row]):
            begin = uint64(starts[row] + bucket * strides[row])
            for infoset in range(firsts[row], firsts[row + 1]):
                for half in range(2):
                    if counts_of[block] > 0:
                        counts_of[block] = 0
                        gap = block - after
                        while gap >= 128:
                            out[place] = (gap & 127) | 128
                            gap >>= 7
                            place += 1
                        out[place] = gap
                        place += 1
                        count = uint64(counts[infoset])
                        slot = begin + uint64(offsets[infoset]) + count * uint64(half)
                        for a in range(count):
                            number = bits[slot + a]
                            for byte in range(4):
                                out[place + byte] = (number >> np.uint32(8 * byte)) & 255
                            place += 4
                        after = block + 1
                    block += 1
    return place


@njit(cache=True, nogil=True)
def set_numbers(layout: Layout, numbers: U8, base_bits: U32, table_bits: U32) -> int:
    """Give two tables, as whole numbers, what take_numbers wrote; −1 where it does not fit."""
    starts, strides, num_buckets, firsts, offsets, counts = layout
    place, end, block, blocks = 0, numbers.shape[0], 0, 0
    row, row_block = 0, 0
    while place < end:
        gap, shift = 0, 0
        while place < end and numbers[place] >= 128 and shift < 56:
            gap |= (int(numbers[place]) & 127) << shift
            shift += 7
            place += 1
        if place + 1 > end:
            return -1
        gap |= int(numbers[place]) << shift
        place += 1
        block += gap
        while row < strides.shape[0]:
            here = 2 * (firsts[row + 1] - firsts[row]) * num_buckets[row]
            if block < row_block + here:
                break
            row_block += here
            row += 1
        if row == strides.shape[0]:
            return -1
        width = 2 * (firsts[row + 1] - firsts[row])
        bucket, rest = divmod(block - row_block, width)
        infoset, half = firsts[row] + rest // 2, rest % 2
        count = counts[infoset]
        if place + 4 * count > end:
            return -1
        slot = uint64(starts[row] + bucket * strides[row] + offsets[infoset] + half * count)
        for a in range(uint64(count)):
            number = np.uint32(0)
            for byte in range(4):
                number |= np.uint32(numbers[place + byte]) << np.uint32(8 * byte)
            base_bits[slot + a] = number
            table_bits[slot + a] = number
            place += 4
        block += 1
        blocks += 1
    return blocks
