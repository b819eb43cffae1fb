"""Hand strength from three small arrays, callable from any other kernel.

A set of 5 to 7 cards is summed up in one uint64: the sum of its `card_keys`. The upper 26 bits
hold the sum of random rank keys, different for every multiset of ranks; the lower 16 hold four
counters of suits that start at 3 (`EMPTY_SUM`), so that bit 3 of a counter says "five or more".
The upper half of the rank sum picks a displacement, the lower half a place; the slot at place
XOR displacement holds the strength of the ranks alone. A flush has the strength of its suit's
ranks alone (a high card or a straight), moved up to the flushes or straight flushes.

Small functions take the arrays one by one, since taking one out of a tuple counts a reference and
they are called in the innermost loops: `displacements` (8192,) uint16, `strengths` (90112,) uint16
and, where they see cards, `card_keys` (256,) uint64, all from `strength_tables()`. Strengths are
0…7461, higher is better.

Showdowns take all hands at once: sorted by strength, then swept with card removal. Hands are combos
0…1325 with their cards in `combo_cards` (1326, 2) uint8.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba  # noqa: F401 (first: two threads that import parts of it wait for each other)
import numpy as np
from numba.cpython.unsafe import numbers
from numpy import uint16, uint64

from riverboat.runtime.array_types import F64, U8, U16, U64
from riverboat.runtime.compiled import njit

trailing_zeros: Any = numbers.trailing_zeros
RANK_SUM_SHIFT = 38
BUCKET_SHIFT = 51
NUM_SLOTS = 90_112
EMPTY_SUM = uint64(0x3333)
BLOCKED = uint16(65_535)  # Strength written for a hand that shares a card with the board

FLUSH_BITS = uint64(0x8888)
_CLUBS = uint64(0x1111111111111)
_FLUSH_SHIFT = 5863
_STRAIGHT_FLUSH_SHIFT = 1599
_FIRST_STRAIGHT = 5853


class Tables(NamedTuple):
    """What `strength_tables()` makes, for kernels that take the three together."""

    card_keys: U64  # (256,)
    displacements: U16  # (8192,)
    strengths: U16  # (90112,)


@njit(cache=True)
def rank_strength(total: uint64, displacements: U16, strengths: U16) -> uint16:
    """Strength of a sum of card keys, suits ignored."""
    low_bits = (total >> uint64(RANK_SUM_SHIFT)) & uint64(0x1FFF)
    displacement = uint64(displacements[total >> uint64(BUCKET_SHIFT)])
    return uint16(strengths[low_bits ^ (displacement << uint64(1))])


@njit(cache=True)
def as_flush(strength: uint16) -> uint16:
    """The flush or straight flush whose ranks alone have this strength."""
    if strength >= uint16(_FIRST_STRAIGHT):
        return uint16(strength + uint16(_STRAIGHT_FLUSH_SHIFT))
    return uint16(strength + uint16(_FLUSH_SHIFT))


@njit(cache=True)
def flush_suit(total: uint64) -> uint64:
    """The suit of which a sum has five or more cards; meaningless without a flush."""
    bits = total & uint64(FLUSH_BITS)
    suit = uint64(0)
    if bits & uint64(0x8880):
        suit = uint64(1)
    if bits & uint64(0x8800):
        suit = uint64(2)
    if bits & uint64(0x8000):
        suit = uint64(3)
    return suit


@njit(cache=True)
def suit_sum(mask: uint64, suit: uint64, card_keys: U64) -> uint64:
    """Sum of the keys of a mask's cards of one suit."""
    bits = (mask >> suit) & uint64(_CLUBS)
    total = uint64(0)
    while bits:
        total += card_keys[uint64(trailing_zeros(bits))]
        bits &= bits - uint64(1)
    return total


@njit(cache=True)
def strength_of(
    total: uint64, mask: uint64, card_keys: U64, displacements: U16, strengths: U16
) -> uint16:
    """Strength of 5 to 7 cards given as the sum of their keys from EMPTY_SUM and as a mask."""
    if total & uint64(FLUSH_BITS):
        ranks = suit_sum(mask, flush_suit(total), card_keys)
        return as_flush(rank_strength(ranks, displacements, strengths))
    return rank_strength(total, displacements, strengths)


@njit(cache=True)
def strengths_of_sevens(
    cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    suit_keys: U64,
    flushes: U64,
    out: U16,
) -> None:
    """Strengths of the rows of `cards` (N, 7) uint8; writes `out` (N,) uint16.

    Hands go through in blocks of the length of `flushes`, uint64 scratch that lists a block's
    flushes, which are then corrected. `suit_keys` (256,) uint64 has at 64 · suit + card the
    card's key where it is of that suit, and zero elsewhere.
    """
    num_hands, block = uint64(cards.shape[0]), uint64(flushes.shape[0])
    for start in range(uint64(0), num_hands, block):
        num_flushes = uint64(0)
        for hand in range(uint64(start), min(num_hands, uint64(start) + block)):
            i = uint64(hand)
            # One chain of additions, which the compiler turns into additions from memory.
            total = uint64(EMPTY_SUM) + card_keys[cards[i, 0]] + card_keys[cards[i, 1]]
            total = total + card_keys[cards[i, 2]] + card_keys[cards[i, 3]]
            total = total + card_keys[cards[i, 4]] + card_keys[cards[i, 5]]
            total = total + card_keys[cards[i, 6]]
            out[i] = rank_strength(total, displacements, strengths)
            if total & uint64(FLUSH_BITS):
                flushes[num_flushes] = (i << uint64(16)) | (total & uint64(FLUSH_BITS))
                num_flushes += uint64(1)
        for j in range(num_flushes):
            i = flushes[uint64(j)] >> uint64(16)
            at = flush_suit(flushes[uint64(j)]) << uint64(6)
            ranks = suit_keys[at + uint64(cards[i, 0])] + suit_keys[at + uint64(cards[i, 1])]
            ranks = (
                ranks + suit_keys[at + uint64(cards[i, 2])] + suit_keys[at + uint64(cards[i, 3])]
            )
            ranks = (
                ranks + suit_keys[at + uint64(cards[i, 4])] + suit_keys[at + uint64(cards[i, 5])]
            )
            ranks = ranks + suit_keys[at + uint64(cards[i, 6])]
            out[i] = as_flush(rank_strength(ranks, displacements, strengths))


@njit(cache=True)
def strength_of_cards(cards: U8, card_keys: U64, displacements: U16, strengths: U16) -> uint16:
    """Strength of the 5 to 7 cards in `cards` (k,) uint8."""
    total, mask = uint64(EMPTY_SUM), uint64(0)
    for j in range(uint64(cards.shape[0])):
        card = uint64(cards[uint64(j)])
        total += card_keys[card]
        mask |= uint64(1) << card
    return strength_of(total, mask, card_keys, displacements, strengths)


@njit(cache=True)
def strengths_of_rows(
    cards: U8, card_keys: U64, displacements: U16, strengths: U16, out: U16
) -> None:
    """Strengths of the rows of `cards` (N, k) uint8 with k of 5, 6 or 7; writes `out` (N,)."""
    size = uint64(cards.shape[1])
    for i in range(uint64(cards.shape[0])):
        total, mask = uint64(EMPTY_SUM), uint64(0)
        for j in range(size):
            card = uint64(cards[uint64(i), uint64(j)])
            total += card_keys[card]
            mask |= uint64(1) << card
        out[uint64(i)] = strength_of(total, mask, card_keys, displacements, strengths)


@njit(cache=True)
def first_repeat(cards: U8) -> uint64:
    """The first row of `cards` (N, k) uint8 that holds a card twice, or N."""
    for i in range(uint64(cards.shape[0])):
        held, twice = uint64(0), uint64(0)
        for j in range(uint64(cards.shape[1])):
            card = uint64(1) << uint64(cards[uint64(i), uint64(j)])
            twice |= held & card
            held |= card
        if twice:
            return uint64(i)
    return uint64(cards.shape[0])


@njit(cache=True)
def strengths_of_masks(
    masks: U64, byte_keys: U64, card_keys: U64, displacements: U16, strengths: U16, out: U16
) -> None:
    """Strengths of card masks (N,) uint64 by `byte_keys` (7, 256) uint64; writes `out` (N,)."""
    for i in range(uint64(masks.shape[0])):
        mask = masks[uint64(i)]
        total = uint64(EMPTY_SUM)
        for byte in range(uint64(7)):
            total += byte_keys[uint64(byte), (mask >> (uint64(8) * uint64(byte))) & uint64(255)]
        out[uint64(i)] = strength_of(total, mask, card_keys, displacements, strengths)


@njit(cache=True)
def strengths_on_board(
    board: U8, card_keys: U64, displacements: U16, strengths: U16, rows: U16, out: U16
) -> None:
    """Strengths of all 1,326 hands on a board of 3 to 5 cards.

    `board` (3…5,) uint8, `rows` (13, 52) uint16 scratch; writes `out` (1326,) uint16 in combo
    order, BLOCKED where a hand shares a card with the board. Ranks alone need 91 look-ups; the
    combos of one first card are then one stretch of a row, and flushes are written over.
    """
    total, mask = uint64(EMPTY_SUM), uint64(0)
    for j in range(uint64(board.shape[0])):
        total += card_keys[board[uint64(j)]]
        mask |= uint64(1) << uint64(board[uint64(j)])
    for low_rank in range(uint64(13)):
        low = uint64(low_rank)
        partial = total + card_keys[uint64(4) * low]
        for high in range(low, uint64(13)):
            four = uint64(4) * uint64(high)
            value = rank_strength(partial + card_keys[four], displacements, strengths)
            rows[low, four] = value
            rows[low, four + uint64(1)] = value
            rows[low, four + uint64(2)] = value
            rows[low, four + uint64(3)] = value
    at = uint64(0)
    for first in range(51):
        for second in range(uint64(first + 1), uint64(52)):
            out[at] = rows[uint64(first >> 2), uint64(second)]
            at += uint64(1)
    for suit in range(uint64(4)):
        count = ((total >> (uint64(4) * uint64(suit))) & uint64(15)) - uint64(3)
        if count >= uint64(3):
            _write_flushes(mask, uint64(suit), count, card_keys, displacements, strengths, out)
    for j in range(board.shape[0]):
        block_card(int(board[j]), out)


@njit(cache=True)
def block_card(card: int, out: U16) -> None:
    """Write BLOCKED over the 51 hands in `out` (1326,) that hold `card`."""
    for low in range(card):
        out[low * (101 - low) // 2 + card - 1] = BLOCKED
    start = card * (101 - card) // 2
    for high in range(card + 1, 52):
        out[start + high - 1] = BLOCKED


@njit(cache=True)
def _write_flushes(
    mask: uint64,
    suit: uint64,
    count: uint64,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: U16,
) -> None:
    """Write the hands that make a flush with `count` suited board cards over `out` (1326,)."""
    held = suit_sum(mask, suit, card_keys)
    if count == uint64(3):
        for low in range(12):
            first = 4 * low + int(suit)
            if (mask >> uint64(first)) & uint64(1):
                continue
            partial = held + card_keys[first]
            for high in range(low + 1, 13):
                second = 4 * high + int(suit)
                value = rank_strength(partial + card_keys[second], displacements, strengths)
                out[first * (101 - first) // 2 + second - 1] = as_flush(value)
        return
    at = 0
    for first in range(51):
        partial = held
        if uint64(first & 3) == suit:
            partial += card_keys[first]
        suited = uint64(first & 3) == suit
        for second in range(first + 1, 52):
            if uint64(second & 3) == suit:
                value = rank_strength(partial + card_keys[second], displacements, strengths)
                out[at] = as_flush(value)
            elif suited or count == uint64(5):
                out[at] = as_flush(rank_strength(partial, displacements, strengths))
            at += 1


NUM_WORDS = 117  # Words of 64 bits that hold one bit for each of the 7,462 strengths


@njit(cache=True)
def sort_hands(hands: U16, values: U16, counts: U16, words: U64, order: U16, ends: U16) -> uint64:
    """Order hands by strength, weakest first, leaving out the blocked; return the groups' number.

    `hands` (L,) uint16, `values` (1326,) uint16 strengths; `counts` (7462,) uint16 and `words`
    (117,) uint64 are scratch, zero before and after; writes `order` (L,) uint16 and `ends` (L,)
    uint16, where each group of equal hands ends.
    """
    for i in range(uint64(hands.shape[0])):
        value = uint64(values[hands[uint64(i)]])
        if value != uint64(BLOCKED):
            counts[value] += uint16(1)
            words[value >> uint64(6)] |= uint64(1) << (value & uint64(63))
    num_groups, at = uint64(0), uint16(0)
    for w in range(uint64(NUM_WORDS)):
        word = words[uint64(w)]
        while word:
            value = (uint64(w) << uint64(6)) + uint64(trailing_zeros(word))
            word &= word - uint64(1)
            size = counts[value]
            counts[value] = at
            at = uint16(at + size)
            ends[num_groups] = at
            num_groups += uint64(1)
    for i in range(uint64(hands.shape[0])):
        hand = hands[uint64(i)]
        value = uint64(values[hand])
        if value != uint64(BLOCKED):
            order[counts[value]] = hand
            counts[value] += uint16(1)
    for w in range(uint64(NUM_WORDS)):
        word = words[uint64(w)]
        while word:
            counts[(uint64(w) << uint64(6)) + uint64(trailing_zeros(word))] = uint16(0)
            word &= word - uint64(1)
        words[uint64(w)] = uint64(0)
    return num_groups


@njit(cache=True)
def sweep(
    order: U16, ends: U16, num_groups: uint64, weights: F64, combo_cards: U8, cards: F64, out: F64
) -> None:
    """Add to every sorted hand the weight of hands it beats, does not lose to, and meets.

    Running totals of all weights passed and of those holding each card give, for a hand of two
    cards, what is left when they are taken out. `weights` (1326,) float64 of the opponent;
    `cards` (52,) float64 scratch; adds to `out` (1326, 3).
    """
    cards[:] = 0.0
    total, start = 0.0, uint64(0)
    for group in range(num_groups):
        end = uint64(ends[uint64(group)])
        for i in range(start, end):
            hand = uint64(order[uint64(i)])
            a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
            out[hand, 0] += total - cards[a] - cards[b]
        for i in range(start, end):
            hand = uint64(order[uint64(i)])
            weight = weights[hand]
            total += weight
            cards[uint64(combo_cards[hand, 0])] += weight
            cards[uint64(combo_cards[hand, 1])] += weight
        for i in range(start, end):
            hand = uint64(order[uint64(i)])
            a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
            out[hand, 1] += total - cards[a] - cards[b] + weights[hand]
        start = end
    for i in range(start):
        hand = uint64(order[uint64(i)])
        a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
        out[hand, 2] += total - cards[a] - cards[b] + weights[hand]


@njit(cache=True)
def showdowns(
    boards: U8,
    hands: U16,
    weights: F64,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: F64,
) -> None:
    """Sum `sweep` over boards (B, 5) uint8 for both sides of a match of two ranges.

    `hands` (L,) uint16 all hands of either range, `weights` (2, 1326); adds to `out`
    (2, 1326, 3): side 0's hands against side 1's weights, then the reverse.
    """
    num_hands = hands.shape[0]
    values, rows = np.empty(1326, uint16), np.empty((13, 52), uint16)
    counts, words = np.zeros(7462, uint16), np.zeros(NUM_WORDS, uint64)
    order, ends, cards = np.empty(num_hands, uint16), np.empty(num_hands, uint16), np.empty(52)
    for i in range(boards.shape[0]):
        strengths_on_board(boards[i], card_keys, displacements, strengths, rows, values)
        num_groups = sort_hands(hands, values, counts, words, order, ends)
        sweep(order, ends, num_groups, weights[1], combo_cards, cards, out[0])
        sweep(order, ends, num_groups, weights[0], combo_cards, cards, out[1])
