"""Index ↔ hand up to the names of suits, callable from other kernels.

After K. Waugh, "A fast and optimal hand isomorphism algorithm" (2013). Cards come in groups (hand
and board, or hand, flop, turn, river); within a group their order does not matter. One suit's
cards are its *sizes*, how many it has in each group (packed in a code), and the number of its
sets of ranks among all of those sizes. The four suits, sorted by code and number, are numbered
among all of their *configuration* (the four codes); suits of equal code count as a multiset.

Everything needed is in one array, `Isomorphism.table` (T,) uint64. Its first words are the numbers
of groups, codes and configurations, then four group sizes, the four weights of groups in a code,
and from START on where each section begins:

| section | shape | holds |
|---|---|---|
| SET_RANK | 8192 | a set of ranks: its number among those of its size, times 16, plus its size |
| CHOOSE | 14 × 14 | binomial coefficients |
| CONFIG_OF | C × C × C | configuration by its three largest codes |
| FACTORS | F × 4 | the stride of each suit's run of equal codes |
| MULTIPLES | F × 4 | each suit's place in its run, counted from the end |
| OFFSETS | F | where each configuration starts |
| CODES | F × 4 | the codes, largest first |
| NUM_RANKS | F × 4 | how many multisets each suit's run has |
| CAPACITY | C | how many sets of ranks have a code's sizes |
| SETS | 14 × 1716 | the sets of ranks by size and number |

Histograms count scores on the river. A hand's score on a full board is twice the opponents' hands
it beats plus those it ties, out of 1,980 (990 hands of the 45 cards left); score / 1980 is its
equity against a random hand.
"""

from __future__ import annotations

import numpy as np
from numpy import uint16, uint64

from riverboat.cards._strength_kernels import NUM_WORDS, sort_hands, strengths_on_board
from riverboat.runtime.array_types import F32, I32, I64, U8, U16, U64
from riverboat.runtime.compiled import njit

NUM_GROUPS, NUM_CODES, NUM_CONFIGS, GROUPS, RADIX, START = 0, 1, 2, 3, 7, 11
SET_RANK, CHOOSE, CONFIG_OF, FACTORS, MULTIPLES = 11, 12, 13, 14, 15
OFFSETS, CODES, NUM_RANKS, CAPACITY, SETS, END = 16, 17, 18, 19, 20, 21


@njit(cache=True)
def _squeeze(mask: uint64, used: uint64, max_used: uint64) -> uint64:
    """`mask` with the positions in `used` taken out and the gaps closed.

    Always `max_used` steps, of which those too many change nothing: no branch to be foreseen.
    """
    for _ in range(max_used):
        bit = used & (~used + uint64(1))
        below = mask & (bit - uint64(1))
        above = mask & ~((bit << uint64(1)) - uint64(1))
        mask = below | above >> uint64(1)
        used = (used & (used - uint64(1))) >> uint64(1)
    return mask


@njit(cache=True)
def _spread(mask: uint64, used: uint64) -> uint64:
    """The reverse of `_squeeze`: gaps opened at the positions in `used`."""
    while used:
        bit = used & (~used + uint64(1))
        mask = (mask & (bit - uint64(1))) | (mask & ~(bit - uint64(1))) << uint64(1)
        used &= used - uint64(1)
    return mask


@njit(cache=True)
def _multichoose(n: uint64, k: uint64) -> uint64:
    """Multisets of k out of n things, k of 1 to 4."""
    two = n * (n + uint64(1)) // uint64(2)
    three = two * (n + uint64(2)) // uint64(3)
    result = three * (n + uint64(3)) // uint64(4)
    result = three if k == uint64(3) else result
    result = two if k == uint64(2) else result
    return n if k == uint64(1) else result


@njit(cache=True)
def _suit_key(group0: uint64, group1: uint64, group2: uint64, group3: uint64, table: U64) -> uint64:
    """Code and number, as code << 32 | number, of one suit's masks of ranks in each group."""
    used, taken, code = uint64(0), uint64(0), uint64(0)
    number, scale, max_used = uint64(0), uint64(1), uint64(0)
    set_rank, choose = table[SET_RANK], table[CHOOSE]
    for i in range(table[NUM_GROUPS]):
        group = uint64(i)
        mask = group0 if group == uint64(0) else group1
        mask = group2 if group == uint64(2) else mask
        mask = group3 if group == uint64(3) else mask
        entry = table[set_rank + _squeeze(mask, used, max_used)]
        size = entry & uint64(15)
        number += scale * (entry >> uint64(4))
        scale *= table[choose + uint64(14) * (uint64(13) - taken) + size]
        code += table[uint64(RADIX) + group] * size
        used |= mask
        taken += size
        max_used += table[uint64(GROUPS) + group]
    return code << uint64(32) | number


@njit(cache=True)
def canonical_index(cards: U8, table: U64) -> uint64:
    """The index of `cards` (n,) uint8, which are the groups one after the other."""
    group0, group1, group2, group3 = uint64(0), uint64(0), uint64(0), uint64(0)
    at = uint64(0)
    for group in range(table[NUM_GROUPS]):
        masks = uint64(0)
        for _ in range(table[uint64(GROUPS) + uint64(group)]):
            card = uint64(cards[at])
            masks |= uint64(1) << ((card & uint64(3)) * uint64(16) + (card >> uint64(2)))
            at += uint64(1)
        if group == 0:
            group0 = masks
        elif group == 1:
            group1 = masks
        elif group == 2:
            group2 = masks
        else:
            group3 = masks
    key0, key1, key2, key3 = uint64(0), uint64(0), uint64(0), uint64(0)
    for suit in range(uint64(4)):
        shift, ranks = uint64(16) * uint64(suit), uint64(0x1FFF)
        key = _suit_key(
            (group0 >> shift) & ranks,
            (group1 >> shift) & ranks,
            (group2 >> shift) & ranks,
            (group3 >> shift) & ranks,
            table,
        )
        # Insert into the four keys, largest first.
        key0, key = max(key0, key), min(key0, key)
        key1, key = max(key1, key), min(key1, key)
        key2, key = max(key2, key), min(key2, key)
        key3 = max(key3, key)
    half, low = uint64(32), uint64(0xFFFFFFFF)
    codes = (key0 >> half) * table[NUM_CODES] + (key1 >> half)
    config = table[table[CONFIG_OF] + codes * table[NUM_CODES] + (key2 >> half)]
    factors = table[FACTORS] + uint64(4) * config
    multiples = table[MULTIPLES] + uint64(4) * config
    index = table[table[OFFSETS] + config]
    index += table[factors] * _multichoose(key0 & low, table[multiples])
    index += table[factors + uint64(1)] * _multichoose(key1 & low, table[multiples + uint64(1)])
    index += table[factors + uint64(2)] * _multichoose(key2 & low, table[multiples + uint64(2)])
    index += table[factors + uint64(3)] * _multichoose(key3 & low, table[multiples + uint64(3)])
    return uint64(index)


@njit(cache=True)
def canonical_indices(cards: U8, table: U64, out: I64) -> None:
    """`canonical_index` of the rows of `cards` (N, n) uint8; writes `out` (N,) int64."""
    for i in range(cards.shape[0]):
        out[i] = canonical_index(cards[i], table)


@njit(cache=True)
def _config_of(index: uint64, table: U64) -> uint64:
    """The configuration in which an index lies, by bisection."""
    low, high = uint64(0), table[NUM_CONFIGS] - uint64(1)
    while low < high:
        middle = (low + high + uint64(1)) >> uint64(1)
        if table[table[OFFSETS] + middle] <= index:
            low = middle
        else:
            high = middle - uint64(1)
    return low


@njit(cache=True)
def _largest_below(rank: uint64, k: uint64, capacity: uint64) -> uint64:
    """The largest number below `capacity` with at most `rank` multisets of k under it."""
    low, high = uint64(0), capacity - uint64(1)
    while low < high:
        middle = (low + high + uint64(1)) >> uint64(1)
        if _multichoose(middle, k) <= rank:
            low = middle
        else:
            high = middle - uint64(1)
    return low


@njit(cache=True)
def canonical_cards(index: uint64, table: U64, out: U8) -> None:
    """The cards of an index, the groups one after the other, each low to high by suit.

    Writes `out` (n,) uint8; suit 0 (clubs) is the one with the largest code.
    """
    config = _config_of(index, table)
    inside = index - table[table[OFFSETS] + config]
    rank = uint64(0)
    for i in range(uint64(4)):
        suit = uint64(i)
        at = uint64(4) * config + suit
        multiple = table[table[MULTIPLES] + at]
        code = table[table[CODES] + at]
        # A run of equal codes begins where the place from its end does not go on counting down.
        if suit == 0 or table[table[CODES] + at - uint64(1)] != code:
            rank = inside // table[table[FACTORS] + at] % table[table[NUM_RANKS] + at]
        number = _largest_below(rank, multiple, table[table[CAPACITY] + code])
        rank -= _multichoose(number, multiple)
        used, taken, start = uint64(0), uint64(0), uint64(0)
        for j in range(table[NUM_GROUPS]):
            group = uint64(j)
            room = table[uint64(GROUPS) + group]
            size = code // table[uint64(RADIX) + group] % (room + uint64(1))
            ways = table[table[CHOOSE] + uint64(14) * (uint64(13) - taken) + size]
            mask = _spread(table[table[SETS] + uint64(1716) * size + number % ways], used)
            number //= ways
            used |= mask
            taken += size
            # 255 marks what earlier suits have left free in this group.
            for value in range(uint64(13)):
                if (mask >> uint64(value)) & uint64(1):
                    position = start
                    while out[position] != 255:
                        position += uint64(1)
                    out[position] = uint64(4) * uint64(value) + suit
            start += room


@njit(cache=True)
def canonical_hands(indices: U64, table: U64, out: U8) -> None:
    """`canonical_cards` of indices (N,) uint64; writes `out` (N, n) uint8, 255 before."""
    for i in range(indices.shape[0]):
        canonical_cards(indices[i], table, out[i])


MAX_SCORE = 1980


@njit(cache=True)
def score_sorted_hands(
    order: U16, ends: U16, num_groups: uint64, combo_cards: U8, cards: I32, out: U16
) -> None:
    """Scores of hands in the order of `sort_hands`; `cards` (52,) int32 scratch.

    Writes `out` (1326,) uint16 for the hands in `order`, leaves the others.
    """
    cards[:] = 0
    start = uint64(0)
    for group in range(num_groups):
        end = uint64(ends[uint64(group)])
        total = np.int32(start)
        for i in range(start, end):
            hand = uint64(order[uint64(i)])
            a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
            out[hand] = total - cards[a] - cards[b]
        for i in range(start, end):
            hand = uint64(order[uint64(i)])
            cards[uint64(combo_cards[hand, 0])] += 1
            cards[uint64(combo_cards[hand, 1])] += 1
        # Those not better, less the hand itself, which both its cards have taken out.
        total = np.int32(end) + 1
        for i in range(start, end):
            hand = uint64(order[uint64(i)])
            a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
            out[hand] += total - cards[a] - cards[b]
        start = end


@njit(cache=True)
def fill_histograms(
    boards: U8,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    index_table: U64,
    histograms: U16 | U8,
    means: F32,
) -> None:
    """Histograms of river scores for every hand on boards (B, 3…5) uint8.

    Writes `histograms` (size, bins) uint16 or uint8, the number of runouts in each bin, and
    `means` (size,) float32, the equity against a random hand, at the rows `canonical_index` gives
    hand and board; with an `index_table` of length 0, at row 1326 · board + combo.
    """
    size, num_bins = boards.shape[1], histograms.shape[1]
    values, rows = np.empty(1326, uint16), np.empty((13, 52), uint16)
    counts, words = np.zeros(7462, uint16), np.zeros(NUM_WORDS, uint64)
    order, ends = np.empty(1326, uint16), np.empty(1326, uint16)
    tally, scores = np.zeros(52, np.int32), np.zeros(1326, uint16)
    bins, sums = np.zeros((1326, num_bins), uint16), np.zeros(1326, np.int64)
    hands = np.arange(1326).astype(uint16)
    bin_of = (np.arange(MAX_SCORE + 1) * num_bins // (MAX_SCORE + 1)).astype(uint16)
    full, cards = np.empty(5, np.uint8), np.empty(2 + size, np.uint8)
    for b in range(boards.shape[0]):
        mask = uint64(0)
        for j in range(size):
            full[j] = cards[2 + j] = boards[b, j]
            mask |= uint64(1) << uint64(boards[b, j])
        bins[:] = 0
        sums[:] = 0
        for first in range(52 if size < 5 else 1):
            if size < 5:
                if (mask >> uint64(first)) & uint64(1):
                    continue
                full[size] = first
            for second in range(first + 1 if size < 4 else 51, 52):
                if size < 4:
                    if (mask >> uint64(second)) & uint64(1):
                        continue
                    full[4] = second
                strengths_on_board(full, card_keys, displacements, strengths, rows, values)
                num_groups = sort_hands(hands, values, counts, words, order, ends)
                score_sorted_hands(order, ends, num_groups, combo_cards, tally, scores)
                for i in range(uint64(ends[num_groups - uint64(1)])):
                    hand = uint64(order[uint64(i)])
                    bins[hand, uint64(bin_of[uint64(scores[hand])])] += uint16(1)
                    sums[hand] += scores[hand]
        # Runouts without the hand's own cards: C(47, 2), 46 or one.
        seen = 1081 if size == 3 else 46 if size == 4 else 1
        for combo in range(1326):
            low, high = combo_cards[combo, 0], combo_cards[combo, 1]
            if (mask >> uint64(low)) & uint64(1) or (mask >> uint64(high)) & uint64(1):
                continue
            cards[0], cards[1] = low, high
            row = uint64(1326 * b + combo)
            if index_table.shape[0]:
                row = uint64(canonical_index(cards, index_table))
            for j in range(num_bins):
                histograms[row, j] = bins[combo, j]
            means[row] = sums[combo] / (MAX_SCORE * seen)
