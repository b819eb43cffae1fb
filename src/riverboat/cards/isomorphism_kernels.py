"""Index ↔ hand up to the names of suits, callable from other kernels.

After K. Waugh, "A fast and optimal hand isomorphism algorithm" (2013). Cards come in groups (hand
and board, or hand, flop, turn, river); within a group their order does not matter. One suit's
cards are its *sizes*, how many it has in each group (packed in a code), and the number of its
sets of ranks among all of those sizes. The four suits, sorted by code and number, are numbered
among all of their *configuration* (the four codes); suits of equal code count as a multiset.

Arguments that recur, from `Isomorphism.arrays`: `groups` (G,) int64 sizes; `radix` (G,) int64 of
each group in a code; `config_of` (C, C, C) int32 by the three largest codes; `codes` (F, 4) int64;
`offsets` (F+1,) int64; `strides` (F, 4) and `num_ranks` (F, 4) int64, of each run of equal codes at
its first suit; `capacity` (C,) int64 sets of ranks of a code; `set_rank` (8192,) int64 the number
of a set of ranks among those of its size, `sets` (14, 1716) int64 the reverse, `choose` (14, 14).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True)
def _num_bits(mask: Any) -> Any:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit(cache=True)
def _squeeze(mask: Any, used: Any) -> Any:
    """`mask` with the positions in `used` taken out and the gaps closed."""
    below, shift = 0, 0
    while used:
        bit = used & -used
        below |= (mask & (bit - 1)) >> shift
        mask &= ~((bit << 1) - 1)
        shift += 1
        used &= used - 1
    return below | mask >> shift


@njit(cache=True)
def _spread(mask: Any, used: Any) -> Any:
    """The reverse of `_squeeze`: gaps opened at the positions in `used`."""
    while used:
        bit = used & -used
        mask = (mask & (bit - 1)) | (mask & ~(bit - 1)) << 1
        used &= used - 1
    return mask


@njit(cache=True)
def _multichoose(n: Any, k: Any) -> Any:
    """Multisets of k out of n things, k of 1 to 4."""
    if k == 1:
        return n
    if k == 2:
        return n * (n + 1) // 2
    if k == 3:
        return n * (n + 1) * (n + 2) // 6
    return n * (n + 1) * (n + 2) * (n + 3) // 24


@njit(cache=True)
def canonical_index(
    cards: Any,
    groups: Any,
    radix: Any,
    config_of: Any,
    codes: Any,
    offsets: Any,
    strides: Any,
    num_ranks: Any,
    capacity: Any,
    set_rank: Any,
    sets: Any,
    choose: Any,
) -> Any:
    """The index of `cards` (n,), which are the groups one after the other."""
    key0, key1, key2, key3 = 0, 0, 0, 0
    for suit in range(4):
        used, taken, code, number, scale, at = 0, 0, 0, 0, 1, 0
        for group in range(groups.shape[0]):
            mask, size = 0, 0
            for i in range(at, at + groups[group]):
                if cards[i] & 3 == suit:
                    mask |= 1 << (np.int64(cards[i]) >> 2)
                    size += 1
            at += groups[group]
            if size:
                number += scale * set_rank[_squeeze(mask, used)]
                scale *= choose[13 - taken, size]
                code += radix[group] * size
                used |= mask
                taken += size
        key = code << 32 | number
        # Insert into the four keys, largest first.
        if key > key0:
            key0, key = key, key0
        if key > key1:
            key1, key = key, key1
        if key > key2:
            key2, key = key, key2
        if key > key3:
            key3 = key
    config = config_of[key0 >> 32, key1 >> 32, key2 >> 32]
    index = offsets[config]
    end = 4
    for first in (3, 2, 1, 0):
        if strides[config, first] == 0:
            continue
        rank = 0
        for suit in range(first, end):
            key = key0 if suit == 0 else key1 if suit == 1 else key2 if suit == 2 else key3
            rank += _multichoose(key & 0xFFFFFFFF, end - suit)
        index += strides[config, first] * rank
        end = first
    return index


@njit(cache=True)
def canonical_indices(
    cards: Any,
    groups: Any,
    radix: Any,
    config_of: Any,
    codes: Any,
    offsets: Any,
    strides: Any,
    num_ranks: Any,
    capacity: Any,
    set_rank: Any,
    sets: Any,
    choose: Any,
    out: Any,
) -> None:
    """`canonical_index` of the rows of `cards` (N, n); writes `out` (N,) int64."""
    for i in range(cards.shape[0]):
        out[i] = canonical_index(
            cards[i],
            groups,
            radix,
            config_of,
            codes,
            offsets,
            strides,
            num_ranks,
            capacity,
            set_rank,
            sets,
            choose,
        )


@njit(cache=True)
def canonical_cards(
    indices: Any,
    groups: Any,
    radix: Any,
    config_of: Any,
    codes: Any,
    offsets: Any,
    strides: Any,
    num_ranks: Any,
    capacity: Any,
    set_rank: Any,
    sets: Any,
    choose: Any,
    out: Any,
) -> None:
    """The cards (N, n) uint8 of indices (N,), the groups one after the other; writes `out`."""
    num_groups = groups.shape[0]
    starts, filled = np.zeros(num_groups, np.int64), np.zeros(num_groups, np.int64)
    for group in range(1, num_groups):
        starts[group] = starts[group - 1] + groups[group - 1]
    for i in range(indices.shape[0]):
        config = np.searchsorted(offsets, indices[i], side="right") - 1
        inside = indices[i] - offsets[config]
        filled[:] = starts
        end = 4
        for first in (3, 2, 1, 0):
            if strides[config, first] == 0:
                continue
            rank = inside // strides[config, first] % num_ranks[config, first]
            code = codes[config, first]
            for suit in range(first, end):
                # The largest number whose multisets do not pass what is left of the rank.
                low, high = 0, capacity[code] - 1
                while low < high:
                    middle = (low + high + 1) // 2
                    if _multichoose(middle, end - suit) <= rank:
                        low = middle
                    else:
                        high = middle - 1
                rank -= _multichoose(low, end - suit)
                number, used, taken = low, 0, 0
                for group in range(num_groups):
                    size = code // radix[group] % (groups[group] + 1)
                    ways = choose[13 - taken, size]
                    mask = _spread(sets[size, number % ways], used)
                    number //= ways
                    used |= mask
                    taken += size
                    for value in range(13):
                        if mask >> value & 1:
                            out[i, filled[group]] = 4 * value + suit
                            filled[group] += 1
            end = first
