"""What a stretch of training changed, in few bytes: sparse, quantised, and put back together.

A trainer's table holds for every infoset first the regrets, then the averages of its actions. Each
of these two is a *block*. Blocks are numbered through the table as it lies in memory. A difference
lists the blocks that changed:

    gap since the block before (7 bits in a byte, low ones first; the 8th says that more follow)
    exponent e + 128 (1 byte)
    one signed byte q for each action: the change is q · 2^e

2^e is the smallest power of two with which the largest change of the block fits in −127 … 127.
Rounding is random and unbiased, so that the mean of a sum of differences is the true one.

The result of a round is sent to all workers as numbers, not as a difference: every worker then has
the same table, bit for bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy import uint64

from riverboat.runtime.array_types import F32, I64, U8, U16, U32, U64
from riverboat.runtime.compiled import GOLDEN, mix, njit, unit

LARGEST = 127.0
BIAS = 128
ONE = uint64(1)


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


@njit(cache=True, nogil=True, inline="always")
def write_gap(gap: int, out: U8, place: int) -> int:
    """Write a gap at `place` as seven bits a byte, the lowest first; where it ends."""
    while gap >= 128:
        out[place] = (gap & 127) | 128
        gap >>= 7
        place += 1
    out[place] = gap
    return place + 1


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
    offset, block, after, room = 0, 0, 0, out.shape[0]
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
                        if offset + 6 + int(count) > room:
                            generator[0] = state
                            return -1
                        offset = write_gap(block - after, out, offset)
                        out[offset] = max(0, min(255, exponent + BIAS))
                        offset += 1
                        scale = math.ldexp(1.0, -exponent)
                        for a in range(count):
                            change = np.float64(table[slot + a]) - np.float64(base[slot + a])
                            state += GOLDEN
                            parts = math.floor(change * scale + unit(mix(state)))
                            out[offset] = int(parts) & 255
                            offset += 1
                            table[slot + a] = base[slot + a]
                        after = block + 1
                    slot += count
                    block += 1
    generator[0] = state
    return offset


@njit(cache=True, nogil=True, inline="always")
def read_gap(coded: U8, place: int) -> tuple[int, int]:
    """A gap that is written at `place`, and where it ends; −1 where the bytes end before it."""
    gap, shift, end = 0, 0, coded.shape[0]
    while place < end and coded[place] >= 128 and shift < 56:
        gap |= (int(coded[place]) & 127) << shift
        shift += 7
        place += 1
    if place >= end:
        return -1, place
    return gap | int(coded[place]) << shift, place + 1


@njit(cache=True, nogil=True)
def first_blocks(layout: Layout) -> I64:
    """(P · S + 1,) where each row's blocks begin."""
    first = np.zeros(layout.strides.shape[0] + 1, np.int64)
    for row in range(layout.strides.shape[0]):
        here = 2 * (layout.firsts[row + 1] - layout.firsts[row]) * layout.num_buckets[row]
        first[row + 1] = first[row] + here
    return first


@njit(cache=True, nogil=True, inline="always")
def block_numbers(layout: Layout, begins: I64, row: int, block: int) -> tuple[uint64, uint64]:
    """Where the numbers of a block of a row begin in the table, and how many there are.

    Even blocks are an infoset's regrets, and the next one its averages.
    """
    starts, strides, _, firsts, offsets, counts = layout
    width = uint64(2 * (firsts[row + 1] - firsts[row]))
    inside = uint64(block - begins[row])
    bucket = inside // width
    infoset = uint64(firsts[row]) + ((inside - bucket * width) >> ONE)
    count = uint64(counts[infoset])
    slot = uint64(starts[row] + offsets[infoset]) + bucket * uint64(strides[row])
    return slot + count * uint64(block & 1), count


@njit(cache=True, nogil=True)
def index_difference(layout: Layout, difference: U8, borders: I64, marks: I64) -> int:
    """Check a difference, and note where each range of blocks begins in it.

    `borders` (R + 1,) are the ranges' first blocks and the end. Writes `marks` (R + 1, 2): a place
    in the bytes, and the block that its gap counts from. How many blocks it has, −1 where it is
    none of such a table.
    """
    firsts, counts = layout.firsts, layout.counts
    begins = first_blocks(layout)
    end, ranges = difference.shape[0], borders.shape[0] - 1
    offset, row, block, blocks, current = 0, 0, 0, 0, 0
    while offset < end:
        gap, after = read_gap(difference, offset)
        if not 0 <= gap < begins[-1] - block:
            return -1
        changed = block + gap
        while current <= ranges and changed >= borders[current]:
            marks[current, 0], marks[current, 1] = offset, block
            current += 1
        while changed >= begins[row + 1]:
            row += 1
        width = uint64(2 * (firsts[row + 1] - firsts[row]))
        infoset = firsts[row] + int((uint64(changed - begins[row]) % width) >> ONE)
        offset = after + 1 + counts[infoset]
        if offset > end:
            return -1
        block = changed + 1
        blocks += 1
    for rest in range(current, ranges + 1):
        marks[rest, 0], marks[rest, 1] = end, block
    return blocks


@njit(cache=True, nogil=True)
def add_difference(
    layout: Layout, difference: U8, first: int, last: int, block: int, counts_of: U16,
    table: F32, floor: float, adding: bool,
) -> None:  # fmt: skip
    """Go through the bytes `first` to before `last` of a difference that index_difference checked.

    First, without `adding`, each block there counts once more in `counts_of` (B,). Then, with
    `adding`, it is added to `table`: averages as they are, regrets divided by the block's count. No
    regret falls under `floor`. Gaps count from `block`.
    """
    begins = first_blocks(layout)
    offset, row = first, 0
    while offset < last:
        gap, offset = read_gap(difference, offset)
        block += gap
        while block >= begins[row + 1]:
            row += 1
        slot, count = block_numbers(layout, begins, row, block)
        byte = uint64(offset + 1)
        if not adding:
            counts_of[block] += 1
        else:
            regrets = block % 2 == 0
            scale = math.ldexp(1.0, int(difference[offset]) - BIAS)
            if regrets:
                scale /= counts_of[block]
            for a in range(count):
                parts = int(difference[byte + a])
                value = float(table[slot + a])
                value += scale * (parts - 256 if parts >= 128 else parts)
                table[slot + a] = floor if regrets and value < floor else value
        offset += 1 + int(count)
        block += 1


@njit(cache=True, nogil=True)
def last_counted(counts_of: U16, first: int, last: int) -> int:
    """The last block from `first` to before `last` that is counted; −1 where none is."""
    for block in range(last - 1, first - 1, -1):
        if counts_of[block] > 0:
            return block
    return -1


@njit(cache=True, nogil=True)
def take_numbers(
    layout: Layout, counts_of: U16, bits: U32, first: int, last: int, after: int, out: U8
) -> int:
    """Write the numbers of the blocks `first` to before `last` that are counted, as they are now,
    and set counts back.

    `bits` is the table as whole numbers. In `out` each block is a gap, as in a difference, and four
    bytes for each number; the first gap counts from block `after`. There must be room for five
    times the bytes of the differences, and eight more. Returns how many bytes there are.
    """
    begins = first_blocks(layout)
    offset, row = 0, 0
    for block in range(first, last):
        if counts_of[block] == 0:
            continue
        counts_of[block] = 0
        while block >= begins[row + 1]:
            row += 1
        offset = write_gap(block - after, out, offset)
        slot, count = block_numbers(layout, begins, row, block)
        for a in range(slot, slot + count):
            number = bits[a]
            for byte in range(4):
                out[offset + byte] = (number >> np.uint32(8 * byte)) & 255
            offset += 4
        after = block + 1
    return offset


@njit(cache=True, nogil=True)
def set_numbers(layout: Layout, numbers: U8, base_bits: U32, table_bits: U32) -> int:
    """Give two tables, as whole numbers, what take_numbers wrote; −1 where it does not fit."""
    begins = first_blocks(layout)
    offset, end, row, block, blocks = 0, numbers.shape[0], 0, 0, 0
    while offset < end:
        gap, offset = read_gap(numbers, offset)
        if not 0 <= gap < begins[-1] - block:
            return -1
        block += gap
        while block >= begins[row + 1]:
            row += 1
        slot, count = block_numbers(layout, begins, row, block)
        if offset + 4 * int(count) > end:
            return -1
        for a in range(slot, slot + count):
            number = np.uint32(0)
            for byte in range(4):
                number |= np.uint32(numbers[offset + byte]) << np.uint32(8 * byte)
            base_bits[a] = number
            table_bits[a] = number
            offset += 4
        block += 1
        blocks += 1
    return blocks
