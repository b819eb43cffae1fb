"""How strong hands end up on the river: scores against every other hand, and their histograms.

A hand's score on a full board is twice the opponents' hands it beats plus those it ties, out of
1,980 (990 hands of the 45 cards left); score / 1980 is its equity against a random hand.
Tables as in strength_kernels and isomorphism_kernels.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy import uint16, uint64

from riverboat.array_types import F32, I32, U8, U16, U64
from riverboat.cards.isomorphism_kernels import canonical_index
from riverboat.cards.showdown_kernels import NUM_WORDS, sort_hands
from riverboat.cards.strength_kernels import strengths_on_board

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
