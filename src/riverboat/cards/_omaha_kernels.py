"""Omaha: exactly two cards of the hand with three of the board.

On a board a pair of cards has one strength, so a board is a table of 52 × 52 numbers, and a hand is
the greatest of its pairs' numbers.

Arguments that all kernels share: `displacements` (8192,) uint16, `strengths` (90112,) uint16 and
`card_keys` (256,) uint64, of `strength_tables()` or of another order of hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import uint16, uint64

from riverboat.cards._strength_kernels import (
    BLOCKED,
    EMPTY_SUM,
    FLUSH_BITS,
    as_flush,
    rank_strength,
    suit_sum,
)
from riverboat.runtime.array_types import I32, I64, U8, U16, U32, U64
from riverboat.runtime.compiled import njit

_CLUBS = uint64(0x1111111111111)


@njit(cache=True)
def pair_strengths_on_board(
    board: U8, card_keys: U64, displacements: U16, strengths: U16, out: U16
) -> None:
    """Strengths of all pairs of cards with three cards of a board of 3 to 5.

    `board` (3…5,) uint8; writes `out` (52, 52) uint16, symmetric, BLOCKED where a card is on the
    board and on the diagonal. Ranks alone need 91 look-ups for each three of the board; a suit
    with three cards on the board has its pairs written over.
    """
    size = board.shape[0]
    threes = np.empty(10, uint64)
    num_threes = 0
    mask = uint64(0)
    for i in range(size):
        mask |= uint64(1) << uint64(board[i])
        for j in range(i):
            for k in range(j):
                threes[num_threes] = card_keys[board[i]] + card_keys[board[j]] + card_keys[board[k]]
                num_threes += 1
    for low in range(13):
        for high in range(low, 13):
            keys = uint64(EMPTY_SUM) + card_keys[4 * low] + card_keys[4 * high]
            best = uint16(0)
            for j in range(num_threes):
                best = max(best, rank_strength(keys + threes[j], displacements, strengths))
            for a in range(4 * low, 4 * low + 4):
                for b in range(4 * high, 4 * high + 4):
                    out[a, b] = best
                    out[b, a] = best
    for suit in range(4):
        bits = (mask >> uint64(suit)) & _CLUBS
        num_suited = 0
        suited = np.empty(5, uint64)
        for card in range(52):
            if (bits >> uint64(card)) & uint64(1):
                suited[num_suited] = card_keys[card]
                num_suited += 1
        if num_suited < 3:
            continue
        num_threes = 0
        for i in range(num_suited):
            for j in range(i):
                for k in range(j):
                    threes[num_threes] = suited[i] + suited[j] + suited[k]
                    num_threes += 1
        for low in range(suit, 52, 4):
            for high in range(low + 4, 52, 4):
                if ((mask >> uint64(low)) | (mask >> uint64(high))) & uint64(1):
                    continue
                keys = card_keys[low] + card_keys[high]
                best = out[low, high]
                for j in range(num_threes):
                    ranks = rank_strength(keys + threes[j], displacements, strengths)
                    best = max(best, as_flush(ranks))
                out[low, high] = best
                out[high, low] = best
    for card in range(52):
        out[card, card] = BLOCKED
    for i in range(size):
        out[board[i], :] = BLOCKED
        out[:, board[i]] = BLOCKED


@njit(cache=True)
def best_pairs(hands: U8, pairs: U16, out: U16) -> None:
    """Write to `out` (N,) uint16 the greatest of the pairs of each row of `hands` (N, k) uint8.

    `pairs` (52, 52) uint16 of `pair_strengths_on_board`; a hand that meets the board is BLOCKED.
    """
    size = uint64(hands.shape[1])
    if size == uint64(4):
        for i in range(uint64(hands.shape[0])):
            h = uint64(i)
            a, b, c, d = hands[h, 0], hands[h, 1], hands[h, 2], hands[h, 3]
            best = max(max(pairs[a, b], pairs[a, c]), max(pairs[a, d], pairs[b, c]))
            out[h] = max(best, max(pairs[b, d], pairs[c, d]))
        return
    for i in range(uint64(hands.shape[0])):
        best = uint16(0)
        for j in range(uint64(1), size):
            for k in range(uint64(j)):
                best = max(best, pairs[hands[uint64(i), uint64(j)], hands[uint64(i), uint64(k)]])
        out[uint64(i)] = best


@njit(cache=True)
def fill_rank_table(card_keys: U64, displacements: U16, strengths: U16, out: U16) -> None:
    """Write to `out` (371293,) uint16 the strength of three ranks of a board with two of a hand.

    At 169 · (169 a + 13 b + c) + 13 d + e for the ranks a ≥ b ≥ c and d ≥ e. One load takes the
    place of the two of the hash, and six pairs of a hand read the same three lines of memory.
    """
    for a in range(13):
        for b in range(a + 1):
            for c in range(b + 1):
                three = card_keys[4 * a] + card_keys[4 * b] + card_keys[4 * c] + uint64(EMPTY_SUM)
                for d in range(13):
                    for e in range(d + 1):
                        copies = int(a == d) + int(b == d) + int(c == d) + 1
                        if d == e and copies + 1 > 4:
                            continue
                        total = three + card_keys[4 * d] + card_keys[4 * e]
                        place = 169 * (169 * a + 13 * b + c) + 13 * d + e
                        out[place] = rank_strength(total, displacements, strengths)


@njit(cache=True)
def best_flush(
    hand_mask: uint64,
    board_mask: uint64,
    suit: uint64,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
) -> uint16:
    """The best flush of one suit from two cards of a hand and three of a board, given as masks."""
    best = uint16(0)
    mine = (hand_mask >> suit) & _CLUBS
    whole = suit_sum(board_mask, suit, card_keys)
    there = (board_mask >> suit) & _CLUBS
    num_there = 0
    bits = there
    while bits:
        num_there += 1
        bits &= bits - uint64(1)
    for first in range(uint64(0), uint64(52), uint64(4)):
        if not (mine >> uint64(first)) & uint64(1):
            continue
        for second in range(uint64(first) + uint64(4), uint64(52), uint64(4)):
            if not (mine >> uint64(second)) & uint64(1):
                continue
            keys = whole + card_keys[uint64(first)] + card_keys[uint64(second)]
            if num_there == 3:
                best = max(best, rank_strength(keys, displacements, strengths))
                continue
            for out in range(uint64(0), uint64(52), uint64(4)):
                if not (there >> uint64(out)) & uint64(1):
                    continue
                less = keys - card_keys[uint64(out)]
                if num_there == 4:
                    best = max(best, rank_strength(less, displacements, strengths))
                    continue
                for other in range(uint64(out) + uint64(4), uint64(52), uint64(4)):
                    if (there >> uint64(other)) & uint64(1):
                        rest = less - card_keys[uint64(other)]
                        best = max(best, rank_strength(rest, displacements, strengths))
    return as_flush(best)


@njit(cache=True)
def omaha_strengths_of_rows(
    hands: U8,
    boards: U8,
    rank_table: U16,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: U16,
) -> None:
    """Strengths of the rows of `hands` (N, k) on those of `boards` (N, 3…5); writes `out` (N,).

    `rank_table` is what `fill_rank_table` makes.
    """
    pairs, threes = np.empty(10, uint64), np.empty(10, uint64)
    size, board_size = uint64(hands.shape[1]), uint64(boards.shape[1])
    for row in range(uint64(hands.shape[0])):
        i = uint64(row)
        num_pairs, num_threes = uint64(0), uint64(0)
        hand_mask, board_mask = uint64(0), uint64(0)
        hand_suits, board_suits = uint64(0), uint64(0)
        for p in range(size):
            card = uint64(hands[i, uint64(p)])
            rank = card >> uint64(2)
            hand_mask |= uint64(1) << card
            hand_suits += uint64(1) << (uint64(4) * (card & uint64(3)))
            for q in range(uint64(p)):
                other = uint64(hands[i, uint64(q)]) >> uint64(2)
                pairs[num_pairs] = uint64(13) * max(rank, other) + min(rank, other)
                num_pairs += uint64(1)
        for p in range(board_size):
            card = uint64(boards[i, uint64(p)])
            first = card >> uint64(2)
            board_mask |= uint64(1) << card
            board_suits += uint64(1) << (uint64(4) * (card & uint64(3)))
            for q in range(uint64(p)):
                second = uint64(boards[i, uint64(q)]) >> uint64(2)
                high, low = max(first, second), min(first, second)
                for r in range(uint64(q)):
                    third = uint64(boards[i, uint64(r)]) >> uint64(2)
                    top, bottom = max(high, third), min(low, third)
                    middle = high + low + third - top - bottom
                    number = uint64(169) * top + uint64(13) * middle + bottom
                    threes[num_threes] = uint64(169) * number
                    num_threes += uint64(1)
        best = uint16(0)
        for t in range(num_threes):
            start = threes[uint64(t)]
            for p in range(num_pairs):
                best = max(best, rank_table[start + pairs[uint64(p)]])
        # A suit's counter of the board plus 5 has bit 3 set from three on, plus 6 from two on.
        flush = (board_suits + uint64(0x5555)) & (hand_suits + uint64(0x6666)) & uint64(FLUSH_BITS)
        if flush:
            for suit in range(uint64(4)):
                if (flush >> (uint64(4) * uint64(suit))) & uint64(8):
                    value = best_flush(
                        hand_mask, board_mask, uint64(suit), card_keys, displacements, strengths
                    )
                    best = max(best, value)
        out[i] = best


@njit(cache=True)
def add_equities_against_random(
    boards: U8,
    weights: I64,
    classes: U16,
    steps: I64,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    scores: I64,
    seen: I64,
) -> None:
    """Add what every hand of four cards wins against all others on some boards, by class.

    `boards` (B, 5) uint8 with `weights` (B,) int64 for the boards that each stands for; `classes`
    (270725,) uint16 and `steps` (4, 52) int64 of `riverboat.cards.hands`. Adds to `scores` (C,)
    int64 two for each opponent beaten and one for each tie, and to `seen` (C,) the hands counted.

    Hands go through in the order of strength. Counters say how many hands passed hold each set of
    one, two and three cards; those that share no card with a hand follow by inclusion and
    exclusion over the subsets of its cards.
    """
    pairs = np.empty((52, 52), uint16)
    counts = np.empty(7462, np.int64)
    order, partial = np.empty(178_365, np.uint32), np.empty(178_365, np.int32)
    deck = np.empty(47, np.int64)
    ones, twos, threes = np.empty(47, np.int32), np.empty(1081, np.int32), np.empty(16215, np.int32)
    for b in range(boards.shape[0]):
        pair_strengths_on_board(boards[b], card_keys, displacements, strengths, pairs)
        size = 0
        for card in range(52):
            if not (boards[b] == card).any():
                deck[size] = card
                size += 1
        _sort_hands_of_four(deck, pairs, counts, order)
        ones[:] = 0
        twos[:] = 0
        threes[:] = 0
        start = 0
        for value in range(7462):
            end = counts[value]
            for i in range(uint64(start), uint64(end)):
                partial[uint64(i)] = _disjoint(order[uint64(i)], start, ones, twos, threes)
            for i in range(uint64(start), uint64(end)):
                _count_hand(order[uint64(i)], ones, twos, threes)
            for i in range(uint64(start), uint64(end)):
                hand = order[uint64(i)]
                # The set of all four cards holds the hand itself alone, once it is counted.
                score = partial[uint64(i)] + _disjoint(hand, end, ones, twos, threes) + 1
                number = 270_724
                for place in range(4):
                    card = deck[(hand >> np.uint32(8 * place)) & np.uint32(255)]
                    number -= steps[place, card]
                scores[classes[number]] += weights[b] * score
                seen[classes[number]] += weights[b]
            start = end


@njit(cache=True)
def _sort_hands_of_four(deck: I64, pairs: U16, counts: I64, order: U32) -> None:
    """Sort the hands of four cards of `deck` (47,) by strength.

    Writes `order` (178365,) uint32, four places in the deck of eight bits each, and `counts`
    (7462,) int64, where the hands of each strength end.
    """
    counts[:] = 0
    table = np.empty((47, 47), uint16)
    for i in range(47):
        for j in range(47):
            table[i, j] = pairs[deck[i], deck[j]]
    for turn in range(2):
        for a in range(47):
            for b in range(a + 1, 47):
                for c in range(b + 1, 47):
                    best = max(max(table[a, b], table[a, c]), table[b, c])
                    packed = np.uint32(a | b << 8 | c << 16)
                    for d in range(uint64(c + 1), uint64(47)):
                        e = uint64(d)
                        last = max(max(table[a, e], table[b, e]), table[c, e])
                        value = uint64(max(best, last))
                        if turn == 0:
                            counts[value] += 1
                        else:
                            order[counts[value]] = packed | np.uint32(e << uint64(24))
                            counts[value] += 1
        if turn == 0:
            at = 0
            for strength in range(7462):
                size = counts[strength]
                counts[strength] = at
                at += size


@njit(cache=True, inline="always")
def _disjoint(hand: np.uint32, total: int, ones: I32, twos: I32, threes: I32) -> Any:
    """Hands counted that share no card with `hand`, the set of all its four cards left out."""
    a = uint64(hand & np.uint32(255))
    b = uint64((hand >> np.uint32(8)) & np.uint32(255))
    c = uint64((hand >> np.uint32(16)) & np.uint32(255))
    d = uint64(hand >> np.uint32(24))
    b2, c2, d2 = _two(b), _two(c), _two(d)
    c3, d3 = _three(c), _three(d)
    singles = ones[a] + ones[b] + ones[c] + ones[d]
    doubles = twos[b2 + a] + twos[c2 + a] + twos[c2 + b]
    doubles = doubles + twos[d2 + a] + twos[d2 + b] + twos[d2 + c]
    triples = threes[c3 + b2 + a] + threes[d3 + b2 + a] + threes[d3 + c2 + a] + threes[d3 + c2 + b]
    return total - singles + doubles - triples


@njit(cache=True, inline="always")
def _count_hand(hand: np.uint32, ones: I32, twos: I32, threes: I32) -> None:
    """Count a hand of four for every set of one, two and three of its cards."""
    a = uint64(hand & np.uint32(255))
    b = uint64((hand >> np.uint32(8)) & np.uint32(255))
    c = uint64((hand >> np.uint32(16)) & np.uint32(255))
    d = uint64(hand >> np.uint32(24))
    b2, c2, d2 = _two(b), _two(c), _two(d)
    c3, d3 = _three(c), _three(d)
    ones[a] += 1
    ones[b] += 1
    ones[c] += 1
    ones[d] += 1
    twos[b2 + a] += 1
    twos[c2 + a] += 1
    twos[c2 + b] += 1
    twos[d2 + a] += 1
    twos[d2 + b] += 1
    twos[d2 + c] += 1
    threes[c3 + b2 + a] += 1
    threes[d3 + b2 + a] += 1
    threes[d3 + c2 + a] += 1
    threes[d3 + c2 + b] += 1


@njit(cache=True, inline="always")
def _two(card: uint64) -> uint64:
    """Pairs of lower cards: C(card, 2)."""
    return (card * (card - uint64(1))) >> uint64(1)


@njit(cache=True, inline="always")
def _three(card: uint64) -> uint64:
    """Threes of lower cards: C(card, 3)."""
    return card * (card - uint64(1)) * (card - uint64(2)) // uint64(6)
