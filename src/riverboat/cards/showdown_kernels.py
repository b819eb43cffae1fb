"""Showdowns of all hands at once: sorted by strength, then swept with card removal.

Tables as in strength_kernels: `card_keys` (256,), `displacements` (8192,), `strengths` (90112,).
Hands are combos 0…1325 with their cards in `combo_cards` (1326, 2) uint8.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy import uint16, uint64

from riverboat.array_types import F64, U8, U16, U64
from riverboat.cards.strength_kernels import BLOCKED, strengths_on_board, trailing_zeros

NUM_WORDS = 117
"""Words of 64 bits that hold one bit for each of the 7,462 strengths."""


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
    order: U16,
    ends: U16,
    num_groups: uint64,
    weights: F64,
    combo_cards: U8,
    cards: F64,
    out: F64,
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
    num = hands.shape[0]
    values, rows = np.empty(1326, uint16), np.empty((13, 52), uint16)
    counts, words = np.zeros(7462, uint16), np.zeros(NUM_WORDS, uint64)
    order, ends, cards = np.empty(num, uint16), np.empty(num, uint16), np.empty(52)
    for i in range(boards.shape[0]):
        strengths_on_board(boards[i], card_keys, displacements, strengths, rows, values)
        num_groups = sort_hands(hands, values, counts, words, order, ends)
        sweep(order, ends, num_groups, weights[1], combo_cards, cards, out[0])
        sweep(order, ends, num_groups, weights[0], combo_cards, cards, out[1])
