"""From boards to buckets: each class of hand and board goes to the nearest centre.

The row of a flop or turn hand is its equity histogram made cumulative from above: how many runouts
end in a bin above the first, the second, … Between such rows the L1 distance is the earth mover's,
and a larger sum means more equity. Only buckets are kept: two bytes a class, the rows of one board.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy import uint64

from riverboat.array_types import I16, I32, U8, U16, U32, U64
from riverboat.cards.histogram_kernels import fill_histograms
from riverboat.cards.isomorphism_kernels import canonical_index
from riverboat.holdem.abstraction.k_medians_kernels import NUM_QUARTERS, nearest
from riverboat.holdem.abstraction.river_kernels import opponent_equities

UNKNOWN = np.uint16(65_535)


@njit(cache=True, nogil=True)
def _cumulate(counts: U16, out: I16) -> None:
    """How much of `counts` (D + 1,) lies above each bin but the last; writes `out` (D,) int16."""
    total = np.int64(0)
    for i in range(out.shape[0], 0, -1):
        total += np.int64(counts[i])
        out[i - 1] = total


@njit(cache=True, nogil=True)
def sample_histogram_rows(
    boards: U8,
    hands: U16,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: I16,
) -> None:
    """Cumulative histograms of `hands` (B, H) on `boards` (B, 3 or 4) uint8.

    Writes `out` (B, H, D) int16.
    """
    histograms = np.empty((1326, out.shape[2] + 1), np.uint16)
    means, no_index = np.empty(1326, np.float32), np.zeros(0, np.uint64)
    for b in range(boards.shape[0]):
        histograms[:] = 0
        fill_histograms(
            boards[b : b + 1],
            combo_cards,
            card_keys,
            displacements,
            strengths,
            no_index,
            histograms,
            means,
        )
        for i in range(hands.shape[1]):
            _cumulate(histograms[hands[b, i]], out[b, i])


@njit(cache=True, nogil=True)
def assign_boards(
    boards: U8,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    index_table: U64,
    centres: I16,
    sums: I32,
    quarters: I32,
    out: U16,
) -> None:
    """Buckets of every hand on `boards` (B, 3 or 4) uint8.

    Centres as in k_medians_kernels; writes `out` (classes,) uint16 where it is UNKNOWN, at the
    index of hand and board.
    """
    histograms = np.empty((1326, centres.shape[1] + 1), np.uint16)
    means, no_index = np.empty(1326, np.float32), np.zeros(0, np.uint64)
    row, scratch = np.empty(centres.shape[1], np.int16), np.empty(NUM_QUARTERS, np.int32)
    size = boards.shape[1]
    cards = np.empty(2 + size, np.uint8)
    for b in range(boards.shape[0]):
        mask = uint64(0)
        for j in range(size):
            cards[2 + j] = boards[b, j]
            mask |= uint64(1) << uint64(boards[b, j])
        histograms[:] = 0
        fill_histograms(
            boards[b : b + 1],
            combo_cards,
            card_keys,
            displacements,
            strengths,
            no_index,
            histograms,
            means,
        )
        for hand in range(1326):
            low, high = combo_cards[hand, 0], combo_cards[hand, 1]
            if (mask >> uint64(low)) & uint64(1) or (mask >> uint64(high)) & uint64(1):
                continue
            cards[0], cards[1] = low, high
            index = uint64(canonical_index(cards, index_table))
            if out[index] == UNKNOWN:
                _cumulate(histograms[hand], row)
                best, _ = nearest(row, centres, sums, quarters, scratch)
                out[index] = best


@njit(cache=True, nogil=True)
def assign_rivers(
    boards: U8,
    starts: U32,
    clusters: U8,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    centres: I16,
    sums: I32,
    quarters: I32,
    out: U16,
) -> None:
    """Buckets of every strength on `boards` (B, 5) uint8; writes `out` from `starts` (B,) on."""
    rows, scratch = np.empty((1326, centres.shape[1]), np.int16), np.empty(NUM_QUARTERS, np.int32)
    group_of = np.empty(1326, np.uint16)
    for b in range(boards.shape[0]):
        num_groups = opponent_equities(
            boards[b],
            clusters,
            combo_cards,
            card_keys,
            displacements,
            strengths,
            rows,
            group_of,
        )
        for group in range(num_groups):
            best, _ = nearest(rows[group], centres, sums, quarters, scratch)
            out[uint64(starts[b]) + uint64(group)] = best


@njit(cache=True, nogil=True)
def histogram_buckets(
    board: U8,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    centres: I16,
    sums: I32,
    quarters: I32,
    out: U32,
) -> None:
    """Buckets `out` (1326,) uint32 of every hand on one `board` (3 or 4,) uint8."""
    histograms = np.zeros((1326, centres.shape[1] + 1), np.uint16)
    means, no_index = np.empty(1326, np.float32), np.zeros(0, np.uint64)
    row, scratch = np.empty(centres.shape[1], np.int16), np.empty(NUM_QUARTERS, np.int32)
    boards = board.reshape(1, board.shape[0])
    fill_histograms(
        boards, combo_cards, card_keys, displacements, strengths, no_index, histograms, means
    )
    for hand in range(1326):
        _cumulate(histograms[hand], row)
        best, _ = nearest(row, centres, sums, quarters, scratch)
        out[hand] = best


@njit(cache=True, nogil=True)
def opponent_buckets(
    board: U8,
    clusters: U8,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    centres: I16,
    sums: I32,
    quarters: I32,
    out: U32,
) -> None:
    """Buckets `out` (1326,) uint32 of every hand on one `board` (5,) uint8."""
    rows, scratch = np.empty((1326, centres.shape[1]), np.int16), np.empty(NUM_QUARTERS, np.int32)
    group_of = np.empty(1326, np.uint16)
    num_groups = opponent_equities(
        board, clusters, combo_cards, card_keys, displacements, strengths, rows, group_of
    )
    buckets = np.empty(num_groups, np.uint32)
    for group in range(num_groups):
        best, _ = nearest(rows[group], centres, sums, quarters, scratch)
        buckets[group] = best
    for hand in range(1326):
        if group_of[hand] < num_groups:
            out[hand] = buckets[group_of[hand]]
