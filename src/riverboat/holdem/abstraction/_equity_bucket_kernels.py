"""From boards to `equity-k` buckets: each class of hand and board goes to the nearest centre.

The row of a flop or turn hand is its equity histogram made cumulative from above: how many runouts
end in a bin above the first, the second, … Between such rows the L1 distance is the earth mover's,
and a larger sum means more equity. On the river a hand counts by its strength, and some 70 of the
7,462 strengths occur on a board: there is a row for every strength on every board, its equity
against clusters of opponents' hands. Only buckets are kept: two bytes per class.

Boards are (B, 5) uint8; strength tables as in cards/strength.
"""

from __future__ import annotations

import numpy as np
from numpy import uint16, uint64

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import NUM_COMBOS
from riverboat.cards.isomorphism import canonical_index, fill_histograms
from riverboat.cards.strength import (
    BLOCKED,
    NUM_WORDS,
    Tables,
    sort_hands,
    strengths_on_board,
    trailing_zeros,
)
from riverboat.holdem.abstraction._k_medians_kernels import NUM_QUARTERS, Medians, nearest
from riverboat.runtime.array_types import I16, I32, I64, U8, U16, U32, U64, Whole
from riverboat.runtime.compiled import njit

EQUITY_SCALE = 4000  # Equities 0 to 1 are written as whole numbers from 0 to this


@njit(cache=True, nogil=True)
def _mark_strengths(board: U8, tables: Tables, rows: U16, values: U16, words: U64) -> None:
    """Set the bits of the strengths on a board in `words` (117,) uint64; the rest is scratch."""
    card_keys, displacements, strengths = tables
    strengths_on_board(board, card_keys, displacements, strengths, rows, values)
    words[:] = uint64(0)
    for hand in range(uint64(NUM_COMBOS)):
        value = uint64(values[uint64(hand)])
        if value != uint64(BLOCKED):
            words[value >> uint64(6)] |= uint64(1) << (value & uint64(63))


@njit(cache=True, nogil=True)
def count_strengths(boards: U8, tables: Tables, out: U32) -> None:
    """How many strengths occur on each board; writes `out` (B,) uint32."""
    values, rows = np.empty(NUM_COMBOS, np.uint16), np.empty((13, NUM_CARDS), np.uint16)
    words = np.empty(NUM_WORDS, np.uint64)
    for b in range(boards.shape[0]):
        _mark_strengths(boards[b], tables, rows, values, words)
        count = uint64(0)
        for w in range(uint64(NUM_WORDS)):
            word = words[uint64(w)]
            while word:
                word &= word - uint64(1)
                count += uint64(1)
        out[b] = count


@njit(cache=True, nogil=True)
def fill_strengths(boards: U8, tables: Tables, starts: U32, out: U16) -> None:
    """The strengths on each board, ascending; writes `out` from `starts` (B + 1,) uint32 on."""
    values, rows = np.empty(NUM_COMBOS, np.uint16), np.empty((13, NUM_CARDS), np.uint16)
    words = np.empty(NUM_WORDS, np.uint64)
    for b in range(boards.shape[0]):
        _mark_strengths(boards[b], tables, rows, values, words)
        at = uint64(starts[b])
        for w in range(uint64(NUM_WORDS)):
            word = words[uint64(w)]
            while word:
                out[at] = (uint64(w) << uint64(6)) + uint64(trailing_zeros(word))
                word &= word - uint64(1)
                at += uint64(1)


@njit(cache=True, nogil=True)
def _add_up_group(hands: U16, combo_cards: U8, passed: I32, tally: I32, out: I64) -> None:
    """Add the opponents passed so far, less those who share a card, for each of `hands`.

    `passed` (C,) and `tally` (52, C) int32 count opponents by cluster, and by card and cluster;
    adds to `out` (C,) int64.
    """
    num_clusters = uint64(passed.shape[0])
    for i in range(uint64(hands.shape[0])):
        hand = uint64(hands[uint64(i)])
        a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
        for j in range(num_clusters):
            c = uint64(j)
            out[c] += np.int64(passed[c] - tally[a, c] - tally[b, c])


@njit(cache=True, nogil=True)
def _pass_group(hands: U16, clusters: U8, combo_cards: U8, passed: I32, tally: I32) -> None:
    """Count `hands` among the opponents passed."""
    for i in range(uint64(hands.shape[0])):
        hand = uint64(hands[uint64(i)])
        c = uint64(clusters[hand])
        passed[c] += 1
        tally[uint64(combo_cards[hand, 0]), c] += 1
        tally[uint64(combo_cards[hand, 1]), c] += 1


@njit(cache=True, nogil=True)
def opponent_equities(
    board: U8, clusters: U8, combo_cards: U8, tables: Tables, out: I16, group_of: U16
) -> Whole:
    """Equity of every strength on a board against each cluster of opponents' hands.

    `board` (5,) uint8, `clusters` (1326,) uint8 from 0 to C − 1. Writes `out` (≥ G, C) int16, the
    mean over the hands of a strength, weakest first, in units of 1 / EQUITY_SCALE, and `group_of`
    (1326,) uint16, the row of each hand, BLOCKED where it meets the board. Returns G.
    """
    num_clusters, (card_keys, displacements, strengths) = out.shape[1], tables
    values, rows = np.empty(NUM_COMBOS, np.uint16), np.empty((13, NUM_CARDS), np.uint16)
    counts, words = np.zeros(7462, np.uint16), np.zeros(NUM_WORDS, np.uint64)
    order, ends = np.empty(NUM_COMBOS, np.uint16), np.empty(NUM_COMBOS, np.uint16)
    passed, tally = np.zeros(num_clusters, np.int32), np.zeros((NUM_CARDS, num_clusters), np.int32)
    everyone = np.zeros(num_clusters, np.int32)
    everyones = np.zeros((NUM_CARDS, num_clusters), np.int32)
    scores, meetings = np.empty(num_clusters, np.int64), np.empty(num_clusters, np.int64)
    strengths_on_board(board, card_keys, displacements, strengths, rows, values)
    hands = np.arange(NUM_COMBOS).astype(np.uint16)
    num_groups = np.int64(sort_hands(hands, values, counts, words, order, ends))
    _pass_group(order[: ends[num_groups - 1]], clusters, combo_cards, everyone, everyones)
    group_of[:] = BLOCKED
    start = 0
    for group in range(num_groups):
        end = int(ends[group])
        members = order[start:end]
        scores[:] = 0
        meetings[:] = 0
        _add_up_group(members, combo_cards, passed, tally, scores)
        _pass_group(members, clusters, combo_cards, passed, tally)
        _add_up_group(members, combo_cards, passed, tally, scores)
        _add_up_group(members, combo_cards, everyone, everyones, meetings)
        # A hand is one of the hands passed, and both its cards have taken it out: put one back.
        for i in range(members.shape[0]):
            scores[clusters[members[i]]] += 1
            meetings[clusters[members[i]]] += 1
            group_of[members[i]] = uint16(group)
        for c in range(num_clusters):
            met = meetings[c]
            out[group, c] = EQUITY_SCALE // 2
            if met:
                out[group, c] = (scores[c] * EQUITY_SCALE + met) // (2 * met)
        start = end
    return num_groups


@njit(cache=True, nogil=True)
def sample_river_rows(
    boards: U8, hands: U16, clusters: U8, combo_cards: U8, tables: Tables, out: I16
) -> None:
    """Rows of `opponent_equities` for `hands` (B, H) on `boards`; writes `out` (B, H, C) int16."""
    rows = np.empty((NUM_COMBOS, out.shape[2]), np.int16)
    group_of = np.empty(NUM_COMBOS, np.uint16)
    for b in range(boards.shape[0]):
        opponent_equities(boards[b], clusters, combo_cards, tables, rows, group_of)
        for i in range(hands.shape[1]):
            out[b, i] = rows[group_of[hands[b, i]]]


UNKNOWN = np.uint16(65_535)


@njit(cache=True, nogil=True)
def _cumulate(counts: U16, out: I16) -> None:
    """How much of `counts` (D + 1,) lies above each bin but the last; writes `out` (D,) int16."""
    total = np.int64(0)
    for i in range(out.shape[0], 0, -1):
        total += np.int64(counts[i])
        out[i - 1] = total


@njit(cache=True, nogil=True)
def _fill(board: U8, combo_cards: U8, tables: Tables, histograms: U16) -> None:
    """Histograms (1326, bins) of every hand's river equities on one `board` (1, 3 or 4)."""
    means, no_index = np.empty(NUM_COMBOS, np.float32), np.zeros(0, np.uint64)
    histograms[:] = 0
    keys, displacements, strengths = tables
    fill_histograms(board, combo_cards, keys, displacements, strengths, no_index, histograms, means)


@njit(cache=True, nogil=True)
def sample_histogram_rows(
    boards: U8, hands: U16, combo_cards: U8, tables: Tables, out: I16
) -> None:
    """Cumulative histograms of `hands` (B, H) on `boards` (B, 3 or 4) uint8.

    Writes `out` (B, H, D) int16.
    """
    histograms = np.empty((NUM_COMBOS, out.shape[2] + 1), np.uint16)
    for b in range(boards.shape[0]):
        _fill(boards[b : b + 1], combo_cards, tables, histograms)
        for i in range(hands.shape[1]):
            _cumulate(histograms[hands[b, i]], out[b, i])


@njit(cache=True, nogil=True)
def assign_boards(
    boards: U8, combo_cards: U8, tables: Tables, index_table: U64, centres: Medians, out: U16
) -> None:
    """Buckets of every hand on `boards` (B, 3 or 4) uint8.

    Writes `out` (classes,) uint16 where it is UNKNOWN, at the index of hand and board.
    """
    rows, sums, quarters = centres
    histograms = np.empty((NUM_COMBOS, rows.shape[1] + 1), np.uint16)
    row, scratch = np.empty(rows.shape[1], np.int16), np.empty(NUM_QUARTERS, np.int32)
    size = boards.shape[1]
    cards = np.empty(2 + size, np.uint8)
    for b in range(boards.shape[0]):
        mask = uint64(0)
        for j in range(size):
            cards[2 + j] = boards[b, j]
            mask |= uint64(1) << uint64(boards[b, j])
        _fill(boards[b : b + 1], combo_cards, tables, histograms)
        for hand in range(NUM_COMBOS):
            low, high = combo_cards[hand, 0], combo_cards[hand, 1]
            if (mask >> uint64(low)) & uint64(1) or (mask >> uint64(high)) & uint64(1):
                continue
            cards[0], cards[1] = low, high
            index = uint64(canonical_index(cards, index_table))
            if out[index] == UNKNOWN:
                _cumulate(histograms[hand], row)
                best, _ = nearest(row, rows, sums, quarters, scratch)
                out[index] = best


@njit(cache=True, nogil=True)
def _assign_strengths(
    board: U8, clusters: U8, combos: U8, tables: Tables, centres: Medians, group_of: U16, out: U16
) -> Whole:
    """Buckets of the strengths on a board as `opponent_equities` groups them; writes `out` (≥ G,).

    Returns G.
    """
    medians, sums, quarters = centres
    rows, scratch = (
        np.empty((NUM_COMBOS, medians.shape[1]), np.int16),
        np.empty(NUM_QUARTERS, np.int32),
    )
    num_groups = opponent_equities(board, clusters, combos, tables, rows, group_of)
    for group in range(num_groups):
        best, _ = nearest(rows[group], medians, sums, quarters, scratch)
        out[group] = best
    return num_groups


@njit(cache=True, nogil=True)
def assign_rivers(
    boards: U8, starts: U32, clusters: U8, combos: U8, tables: Tables, centres: Medians, out: U16
) -> None:
    """Buckets of every strength on `boards` (B, 5) uint8; writes `out` from `starts` (B,) on."""
    group_of = np.empty(NUM_COMBOS, np.uint16)
    for b in range(boards.shape[0]):
        there = out[np.int64(starts[b]) :]
        _assign_strengths(boards[b], clusters, combos, tables, centres, group_of, there)


@njit(cache=True, nogil=True)
def histogram_buckets(
    board: U8, combo_cards: U8, tables: Tables, centres: Medians, out: U32
) -> None:
    """Buckets `out` (1326,) uint32 of every hand on one `board` (3 or 4,) uint8."""
    rows, sums, quarters = centres
    histograms = np.zeros((NUM_COMBOS, rows.shape[1] + 1), np.uint16)
    row, scratch = np.empty(rows.shape[1], np.int16), np.empty(NUM_QUARTERS, np.int32)
    _fill(board.reshape(1, board.shape[0]), combo_cards, tables, histograms)
    for hand in range(NUM_COMBOS):
        _cumulate(histograms[hand], row)
        best, _ = nearest(row, rows, sums, quarters, scratch)
        out[hand] = best


@njit(cache=True, nogil=True)
def opponent_buckets(
    board: U8, clusters: U8, combo_cards: U8, tables: Tables, centres: Medians, out: U32
) -> None:
    """Buckets `out` (1326,) uint32 of every hand on one `board` (5,) uint8."""
    group_of, buckets = np.empty(NUM_COMBOS, np.uint16), np.empty(NUM_COMBOS, np.uint16)
    num_groups = _assign_strengths(board, clusters, combo_cards, tables, centres, group_of, buckets)
    for hand in range(NUM_COMBOS):
        if group_of[hand] < num_groups:
            out[hand] = buckets[group_of[hand]]
