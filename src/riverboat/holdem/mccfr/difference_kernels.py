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

__all__ = ["Layout", "read_difference", "set_numbers", "take_difference", "take_numbers"]

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
def take_difference(
    layout: Layout,
    base: F32,
    table: F32,
    base_bits: U32,
    table_bits: U32,
    generator: U64,
    out: U8,
) -> int:
    """Write how `table` differs from `base` to `out`, and set it back; the number of bytes.

    `base_bits` and `table_bits` are the same memory as whole numbers, `generator` (1,) is the state
    for rounding. −1 where `out` is too small; then some of `table` has been set back already.
    """
    starts, strides, num_buckets, firsts, offsets, counts = layout
    state = generator[0]
    place, block, after, room = 0, 0, 0, out.shape[0]
    for row in range(strides.shape[0]):
        stride, first, last = strides[row], firsts[row], firsts[row + 1]
        for bucket in range(num_buckets[row]):
            begin = uint64(starts[row] + bucket * stride)
            changed = np.uint32(0)
            for i in range(begin, begin + uint64(stride)):
                changed |= base_bits[i] ^ table_bits[i]
            if changed == 0:
                block += 2 * (last - first)
                continue
            for infoset in range(first, last):
                count = counts[infoset]
                for half in range(2):
                    slot = begin + uint64(offsets[infoset] + half * count)
                    largest = 0.0
                    for a in range(uint64(count)):
                        change = np.float64(table[slot + a]) - np.float64(base[slot + a])
                        largest = max(largest, abs(change))
                    exponent = math.frexp(largest / LARGEST)[1]
                    if largest > 0.0 and exponent >= -BIAS and exponent < BIAS:
                        if place + 6 + count > room:
                            generator[0] = state
                            return -1
                        gap = block - after
                        while gap >= 128:
                            out[place] = (gap & 127) | 128
                            gap >>= 7
                            place += 1
                        out[place] = gap
                        out[place + 1] = exponent + BIAS
                        place += 2
                        scale = math.ldexp(1.0, -exponent)
                        for a in range(uint64(count)):
                            change = np.float64(table[slot + a]) - np.float64(base[slot + a])
                            state += GOLDEN
                            parts = math.floor(change * scale + unit(mix(state)))
                            out[place] = int(parts) & 255
                            place += 1
                        after = block + 1
                    for a in range(uint64(count)):
                        table[slot + a] = base[slot + a]
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
    bytes for each number. Returns how many bytes there are; with an empty `out` it only counts.
    """
    starts, strides, num_buckets, firsts, offsets, counts = layout
    place, block, after, dry = 0, 0, 0, out.shape[0] == 0
    for row in range(strides.shape[0]):
        for bucket in range(num_buckets[row]):
            for infoset in range(firsts[row], firsts[row + 1]):
                for half in range(2):
                    if counts_of[block] > 0:
                        gap = block - after
                        while gap >= 128:
                            if not dry:
                                out[place] = (gap & 127) | 128
                            gap >>= 7
                            place += 1
                        if not dry:
                            out[place] = gap
                            counts_of[block] = 0
                        place += 1
                        count = counts[infoset]
                        slot = starts[row] + bucket * strides[row] + offsets[infoset] + half * count
                        if not dry:
                            for a in range(count):
                                number = bits[uint64(slot + a)]
                                for byte in range(4):
                                    out[place + 4 * a + byte] = (number >> (8 * byte)) & 255
                        place += 4 * count
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
