"""Deals in batches: cards, showdown strengths and buckets, for kernels that walk betting trees.

A deal is a line of cards: the hands one after the other, then the whole board. `cards` (N, n)
uint8. All release the interpreter, so that several threads can deal at once.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy import uint64

from riverboat.array_types import I64, U8, U16, U32, U64, Index
from riverboat.cards.strength_kernels import BLOCKED, EMPTY_SUM, strength_of, strengths_on_board
from riverboat.random_kernels import GOLDEN, mix

__all__ = ["assign_lossless", "assign_percentiles", "deal_cards", "rank_by_table", "rank_hands"]

PERCENTILE_DRAWS = 4
"""No draw, one rank that makes a straight, two or more, four of a suit."""


@njit(cache=True, nogil=True)
def deal_cards(generator: U64, deck: U8, cards: U8) -> None:
    """Draw the lines of `cards` from `deck` (D,) uint8, which stays shuffled; generator (1,)."""
    state, size = generator[0], uint64(deck.shape[0])
    for i in range(uint64(cards.shape[0])):
        for j in range(uint64(cards.shape[1])):
            state += GOLDEN
            place = j + (((mix(state) >> uint64(32)) * (size - j)) >> uint64(32))
            deck[j], deck[place] = deck[place], deck[j]
            cards[i, j] = deck[j]
    generator[0] = state


@njit(cache=True, nogil=True)
def rank_hands(
    cards: U8,
    players: int,
    hole: int,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: U32,
) -> None:
    """Showdown strengths `out` (N, P) uint32 of hands that have 5 to 7 cards with the board."""
    total_cards = uint64(cards.shape[1])
    first_board = uint64(players) * uint64(hole)
    for i in range(uint64(cards.shape[0])):
        board, board_mask = uint64(EMPTY_SUM), uint64(0)
        for j in range(first_board, total_cards):
            card = uint64(cards[i, uint64(j)])
            board += card_keys[card]
            board_mask |= uint64(1) << card
        for p in range(uint64(players)):
            total, mask = board, board_mask
            for j in range(uint64(hole)):
                card = uint64(cards[i, uint64(p) * uint64(hole) + uint64(j)])
                total += card_keys[card]
                mask |= uint64(1) << card
            out[i, p] = strength_of(total, mask, card_keys, displacements, strengths)


@njit(cache=True, nogil=True)
def _place(cards: U8, i: Index, first: int, count: int, chosen: I64, held: I64, choose: I64) -> int:
    """The number of the set of cards [first, first + count) of line i; `chosen` (52,) positions
    in the deck, `held` (7,) scratch, `choose` (53, 8) binomials.
    """
    for j in range(count):
        value = chosen[cards[i, first + j]]
        k = j
        while k > 0 and held[k - 1] > value:
            held[k] = held[k - 1]
            k -= 1
        held[k] = value
    place = 0
    for j in range(count):
        place += choose[held[j], j + 1]
    return place


@njit(cache=True, nogil=True)
def rank_by_table(
    cards: U8, players: int, hole: int, chosen: I64, choose: I64, table: U32, out: U32
) -> None:
    """Showdown strengths `out` (N, P) by `table` over all sets of a hand's cards and the board."""
    board = cards.shape[1] - players * hole
    line = np.empty((1, hole + board), np.uint8)
    held = np.empty(8, np.int64)
    for i in range(cards.shape[0]):
        for p in range(players):
            for j in range(hole):
                line[0, j] = cards[i, p * hole + j]
            for j in range(board):
                line[0, hole + j] = cards[i, players * hole + j]
            out[i, p] = table[_place(line, 0, 0, hole + board, chosen, held, choose)]


@njit(cache=True, nogil=True)
def assign_lossless(
    cards: U8,
    players: int,
    hole: int,
    board_cards: I64,
    chosen: I64,
    choose: I64,
    sizes: I64,
    out: U32,
) -> None:
    """Buckets `out` (N, P, S) uint32: the set of the hand, then that of each street's cards.

    `board_cards` (S,) cards dealt on each street, `sizes` (S,) how many such sets there are.
    """
    held = np.empty(8, np.int64)
    for i in range(cards.shape[0]):
        for p in range(players):
            bucket = _place(cards, i, p * hole, hole, chosen, held, choose)
            first = players * hole
            for s in range(board_cards.shape[0]):
                bucket *= sizes[s]
                bucket += _place(cards, i, first, board_cards[s], chosen, held, choose)
                first += board_cards[s]
                out[i, p, s] = bucket


@njit(cache=True, nogil=True)
def _percentile(found: U16, mine: int, num_levels: int) -> int:
    """Which of `num_levels` equal parts of all hands on this board a strength lies in."""
    below, equal, blocked = 0, 0, 0
    for j in range(found.shape[0]):
        below += found[j] < mine
        equal += found[j] == mine
        blocked += found[j] == BLOCKED
    level = (2 * below + equal) * num_levels // (2 * (found.shape[0] - blocked))
    return level if level < num_levels else num_levels - 1


@njit(cache=True, nogil=True)
def _draw(cards: U8, i: Index, low: uint64, high: uint64, first: int, size: int, outs: U16) -> int:
    """Which draw the hand (low, high) has beyond the board's own: 0 … PERCENTILE_DRAWS − 1."""
    ranks, suits = uint64(0), uint64(0)
    for j in range(size):
        card = uint64(cards[i, first + j])
        ranks |= uint64(1) << (card >> uint64(2))
        suits += uint64(1) << (uint64(8) * (card & uint64(3)))
    board_outs = outs[ranks]
    ranks |= uint64(1) << (low >> uint64(2))
    ranks |= uint64(1) << (high >> uint64(2))
    mine = suits + (uint64(1) << (uint64(8) * (low & uint64(3))))
    mine += uint64(1) << (uint64(8) * (high & uint64(3)))
    for suit in range(uint64(4)):
        shift = uint64(8) * uint64(suit)
        if (mine >> shift) & uint64(255) == 4 and (suits >> shift) & uint64(255) < 4:
            return 3
    left = outs[ranks] & ~board_outs
    if left == 0:
        return 0
    return 1 if left & (left - 1) == 0 else 2


@njit(cache=True, nogil=True)
def assign_percentiles(
    cards: U8,
    players: int,
    levels: I64,
    combo_class: U8,
    missing: U16,
    outs: U16,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: U32,
) -> None:
    """Buckets `out` (N, P, S) uint32 of deals: class before the flop, then how many hands the made
    hand beats on the board and which draw there is.

    `levels` (S,) parts by street (the first unused); `combo_class` (1326,); `missing` (M,) hands
    that a smaller deck lacks; `outs` (8192,) ranks that complete a straight, by ranks held.
    """
    board = np.empty(5, np.uint8)
    rows, found = np.empty((13, 52), np.uint16), np.empty(1326, np.uint16)
    first = 2 * players
    for i in range(cards.shape[0]):
        for j in range(cards.shape[1] - first):
            board[j] = cards[i, first + j]
        for s in range(out.shape[2]):
            if s > 0:
                strengths_on_board(board[: 2 + s], card_keys, displacements, strengths, rows, found)
                for j in range(missing.shape[0]):
                    found[missing[j]] = BLOCKED
            for p in range(players):
                a, b = int(cards[i, 2 * p]), int(cards[i, 2 * p + 1])
                low, high = min(a, b), max(a, b)
                combo = low * (101 - low) // 2 + high - 1
                if s == 0:
                    out[i, p, 0] = combo_class[combo]
                    continue
                level = _percentile(found, found[combo], levels[s])
                if s < 3:
                    draw = _draw(cards, i, uint64(low), uint64(high), first, 2 + s, outs)
                    level += levels[s] * draw
                out[i, p, s] = level
