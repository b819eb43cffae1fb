"""Rivers board by board: the strengths that occur, and what each is worth against opponents.

Boards are (B, 5) uint8; tables as in strength_kernels. On a river a hand is worth its strength,
and on a board some 70 of the 7,462 strengths occur, so what is computed here has a row for every
strength on every board.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy import uint16, uint64

from riverboat.array_types import I16, I32, I64, U8, U16, U32, U64, Whole
from riverboat.cards.showdown_kernels import NUM_WORDS, sort_hands
from riverboat.cards.strength_kernels import BLOCKED, strengths_on_board, trailing_zeros

EQUITY_SCALE = 4000
"""Equities 0 to 1 are written as whole numbers from 0 to this."""


@njit(cache=True, nogil=True)
def _mark_strengths(values: U16, words: U64) -> None:
    """Set the bits of the strengths in `values` (1326,) in `words` (117,) uint64."""
    words[:] = uint64(0)
    for hand in range(uint64(1326)):
        value = uint64(values[uint64(hand)])
        if value != uint64(BLOCKED):
            words[value >> uint64(6)] |= uint64(1) << (value & uint64(63))


@njit(cache=True, nogil=True)
def count_strengths(
    boards: U8, card_keys: U64, displacements: U16, strengths: U16, out: U32
) -> None:
    """How many strengths occur on each board; writes `out` (B,) uint32."""
    values, rows = np.empty(1326, np.uint16), np.empty((13, 52), np.uint16)
    words = np.empty(NUM_WORDS, np.uint64)
    for b in range(boards.shape[0]):
        strengths_on_board(boards[b], card_keys, displacements, strengths, rows, values)
        _mark_strengths(values, words)
        count = uint64(0)
        for w in range(uint64(NUM_WORDS)):
            word = words[uint64(w)]
            while word:
                word &= word - uint64(1)
                count += uint64(1)
        out[b] = count


@njit(cache=True, nogil=True)
def fill_strengths(
    boards: U8, card_keys: U64, displacements: U16, strengths: U16, starts: U32, out: U16
) -> None:
    """The strengths on each board, ascending; writes `out` from `starts` (B + 1,) uint32 on."""
    values, rows = np.empty(1326, np.uint16), np.empty((13, 52), np.uint16)
    words = np.empty(NUM_WORDS, np.uint64)
    for b in range(boards.shape[0]):
        strengths_on_board(boards[b], card_keys, displacements, strengths, rows, values)
        _mark_strengths(values, words)
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
    num = uint64(passed.shape[0])
    for i in range(uint64(hands.shape[0])):
        hand = uint64(hands[uint64(i)])
        a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
        for j in range(num):
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
    board: U8,
    clusters: U8,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: I16,
    group_of: U16,
) -> Whole:
    """Equity of every strength on a board against each cluster of opponents' hands.

    `board` (5,) uint8, `clusters` (1326,) uint8 from 0 to C − 1. Writes `out` (≥ G, C) int16, the
    mean over the hands of a strength, weakest first, in units of 1 / EQUITY_SCALE, and `group_of`
    (1326,) uint16, the row of each hand, BLOCKED where it meets the board. Returns G.
    """
    num = out.shape[1]
    values, rows = np.empty(1326, np.uint16), np.empty((13, 52), np.uint16)
    counts, words = np.zeros(7462, np.uint16), np.zeros(NUM_WORDS, np.uint64)
    order, ends = np.empty(1326, np.uint16), np.empty(1326, np.uint16)
    passed, tally = np.zeros(num, np.int32), np.zeros((52, num), np.int32)
    everyone, everyones = np.zeros(num, np.int32), np.zeros((52, num), np.int32)
    scores, meetings = np.empty(num, np.int64), np.empty(num, np.int64)
    strengths_on_board(board, card_keys, displacements, strengths, rows, values)
    hands = np.arange(1326).astype(np.uint16)
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
        for c in range(num):
            met = meetings[c]
            out[group, c] = EQUITY_SCALE // 2
            if met:
                out[group, c] = (scores[c] * EQUITY_SCALE + met) // (2 * met)
        start = end
    return num_groups


@njit(cache=True, nogil=True)
def sample_river_rows(
    boards: U8,
    hands: U16,
    clusters: U8,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: I16,
) -> None:
    """Rows of `opponent_equities` for `hands` (B, H) on `boards`; writes `out` (B, H, C) int16."""
    rows = np.empty((1326, out.shape[2]), np.int16)
    group_of = np.empty(1326, np.uint16)
    for b in range(boards.shape[0]):
        opponent_equities(
            boards[b],
            clusters,
            combo_cards,
            card_keys,
            displacements,
            strengths,
            rows,
            group_of,
        )
        for i in range(hands.shape[1]):
            out[b, i] = rows[group_of[hands[b, i]]]
