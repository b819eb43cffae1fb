"""Deals inside kernels: cards, showdown strengths, and buckets by a look-up per street.

Cards lie as the two of the hand followed by the board, `cards` (7,) uint8; streets are 0 preflop,
1 flop, 2 turn, 3 river, and only the first 2, 5, 6 or 7 cards are read.

* Preflop is an array by two cards.
* Flop and turn are arrays by the isomorphic index of hand and board.
* On the river a hand counts by its strength on the board: for each of the 134,459 boards that
  differ by more than suits, the strengths that occur there in ascending order, each with its
  bucket, found by bisection. What is lost against an array of all 123,156,254 classes is only which
  cards of opponents a hand blocks, beyond the average of the hands of equal strength.

A street without an array keeps the bucket of the street before.

A deal is a line of cards: the hands one after the other, then the whole board. `cards` (N, n)
uint8. All release the interpreter, so that several threads can deal at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import uint16, uint64
from numpy.typing import NDArray

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import NUM_COMBOS
from riverboat.cards.isomorphism import canonical_index
from riverboat.cards.strength import (
    BLOCKED,
    EMPTY_SUM,
    Tables,
    strength_of,
    strength_of_cards,
    strengths_on_board,
)
from riverboat.holdem.rules.betting import Street
from riverboat.runtime.array_types import I64, U8, U16, U32, U64, Index, Whole
from riverboat.runtime.compiled import GOLDEN, mix, njit

FLOP, TURN, RIVER = int(Street.FLOP), int(Street.TURN), int(Street.RIVER)


class BucketTables(NamedTuple):
    """All that `bucket_of` reads; kernels take it as one argument."""

    card_keys: NDArray[np.uint64]  # (256,) of strength_tables(), as the next two
    displacements: NDArray[np.uint16]  # (16384,)
    strengths: NDArray[np.uint16]  # (81920,)
    flop_index: NDArray[np.uint64]  # The table of isomorphism(2, 3)
    turn_index: NDArray[np.uint64]  # The table of isomorphism(2, 4)
    board_index: NDArray[np.uint64]  # The table of isomorphism(5)
    preflop: NDArray[np.uint16]  # (2704,) by 52 · one card + the other
    flop: NDArray[np.uint16]  # (1286792,), or empty
    turn: NDArray[np.uint16]  # (13960050,), or empty
    river_starts: NDArray[np.uint32]  # (134460,) where each board's strengths begin, or empty
    river: NDArray[np.uint32]  # (M,) strength << 16 | bucket, ascending within a board


@njit(cache=True, nogil=True)
def river_bucket(board: Whole, strength: Whole, starts: U32, river: U32) -> Any:
    """Bucket of a strength on a board, given by its index in isomorphism(5).

    `starts` and `river` are the river's of BucketTables.
    """
    low = uint64(starts[uint64(board)])
    size = uint64(starts[uint64(board) + uint64(1)]) - low
    last = uint64(strength) << uint64(16) | uint64(0xFFFF)
    while size > uint64(1):
        half = size >> uint64(1)
        low += half if uint64(river[low + half]) <= last else uint64(0)
        size -= half
    return uint16(river[low] & uint64(0xFFFF))


@njit(cache=True, nogil=True)
def bucket_of(street: int, cards: U8, tables: BucketTables) -> Any:
    """Bucket on a street 0…3 of `cards` (7,) uint8, the hand followed by the board."""
    if street >= RIVER and tables.river_starts.shape[0]:
        board = canonical_index(cards[2:], tables.board_index)
        strength = strength_of_cards(
            cards, tables.card_keys, tables.displacements, tables.strengths
        )
        return river_bucket(board, strength, tables.river_starts, tables.river)
    if street >= TURN and tables.turn.shape[0]:
        return tables.turn[canonical_index(cards, tables.turn_index)]
    if street >= FLOP and tables.flop.shape[0]:
        return tables.flop[canonical_index(cards, tables.flop_index)]
    return tables.preflop[uint64(NUM_CARDS) * uint64(cards[0]) + uint64(cards[1])]


@njit(cache=True, nogil=True)
def _assign_by_index(cards: U8, num_players: int, index: U64, table: U16, out: U32) -> None:
    """Buckets of a flop or turn: `out` (N, P) gets what `table` has at the index of each hand.

    All indices come first, so that the processor can wait for many entries of `table` at once.
    """
    hand, first = np.zeros(7, np.uint8), uint64(2 * num_players)
    num_board = min(uint64(cards.shape[1]) - first, uint64(5))
    for i in range(uint64(cards.shape[0])):
        for j in range(num_board):
            hand[uint64(2) + uint64(j)] = cards[uint64(i), first + uint64(j)]
        for p in range(uint64(num_players)):
            player = uint64(p)
            hand[0] = cards[uint64(i), uint64(2) * player]
            hand[1] = cards[uint64(i), uint64(2) * player + uint64(1)]
            out[uint64(i), player] = canonical_index(hand, index)
    for i in range(uint64(cards.shape[0])):
        for p in range(uint64(num_players)):
            out[uint64(i), uint64(p)] = table[uint64(out[uint64(i), uint64(p)])]


@njit(cache=True, nogil=True)
def _assign_rivers(cards: U8, num_players: int, tables: BucketTables, out: U32) -> None:
    """Buckets of rivers, `out` (N, P); a board is looked up once for all players.

    Boards (below 2¹⁸) and strengths (below 2¹³) come first, packed in `out`.
    """
    card_keys, displacements, strengths = tables.card_keys, tables.displacements, tables.strengths
    index, starts, river = tables.board_index, tables.river_starts, tables.river
    hand, first = np.zeros(7, np.uint8), uint64(2 * num_players)
    for i in range(uint64(cards.shape[0])):
        for j in range(uint64(5)):
            hand[uint64(2) + uint64(j)] = cards[uint64(i), first + uint64(j)]
        board = uint64(canonical_index(hand[2:], index))
        for p in range(uint64(num_players)):
            player = uint64(p)
            hand[0] = cards[uint64(i), uint64(2) * player]
            hand[1] = cards[uint64(i), uint64(2) * player + uint64(1)]
            strength = strength_of_cards(hand, card_keys, displacements, strengths)
            out[uint64(i), player] = board << uint64(13) | uint64(strength)
    for i in range(uint64(cards.shape[0])):
        for p in range(uint64(num_players)):
            packed = uint64(out[uint64(i), uint64(p)])
            board, rank = packed >> uint64(13), packed & uint64(0x1FFF)
            out[uint64(i), uint64(p)] = river_bucket(board, rank, starts, river)


@njit(cache=True, nogil=True)
def assign_deals(cards: U8, num_players: int, tables: BucketTables, out: U32) -> None:
    """Buckets of all players of many deals on the first S streets, one street after the other.

    `cards` (N, n) uint8: the hands one after the other, then as much of the board as S streets see.
    Writes `out` (N, P, S) uint32.
    """
    num_streets, preflop = out.shape[2], tables.preflop
    for i in range(uint64(cards.shape[0])):
        for p in range(uint64(num_players)):
            cell = uint64(NUM_CARDS) * uint64(cards[uint64(i), uint64(2) * uint64(p)])
            cell += uint64(cards[uint64(i), uint64(2) * uint64(p) + uint64(1)])
            out[uint64(i), uint64(p), 0] = preflop[cell]
    for street in range(1, num_streets):
        if street == FLOP and tables.flop.shape[0]:
            _assign_by_index(cards, num_players, tables.flop_index, tables.flop, out[:, :, street])
        elif street == TURN and tables.turn.shape[0]:
            _assign_by_index(cards, num_players, tables.turn_index, tables.turn, out[:, :, street])
        elif street == RIVER and tables.river_starts.shape[0]:
            _assign_rivers(cards, num_players, tables, out[:, :, street])
        else:
            out[:, :, street] = out[:, :, street - 1]


@njit(cache=True, nogil=True)
def fill_buckets(street: int, cards: U8, tables: BucketTables, out: U16) -> None:
    """`bucket_of` the rows of `cards` (N, 7) uint8 on one street; writes `out` (N,) uint16."""
    for i in range(uint64(cards.shape[0])):
        out[uint64(i)] = uint16(bucket_of(street, cards[uint64(i)], tables))


PERCENTILE_DRAWS = 4  # No draw, one rank that makes a straight, two or more, four of a suit


@njit(cache=True, nogil=True)
def deal_cards(generator: U64, deck: U8, cards: U8) -> None:
    """Draw the lines of `cards` from `deck` (D,) uint8, which stays shuffled; generator (1,)."""
    state, size = generator[0], uint64(deck.shape[0])
    for i in range(uint64(cards.shape[0])):
        for j in range(uint64(cards.shape[1])):
            state += GOLDEN
            swap = j + (((mix(state) >> uint64(32)) * (size - j)) >> uint64(32))
            deck[j], deck[swap] = deck[swap], deck[j]
            cards[i, j] = deck[j]
    generator[0] = state


@njit(cache=True, nogil=True)
def rank_hands(cards: U8, players: int, hole: int, tables: Tables, out: U32) -> None:
    """Showdown strengths `out` (N, P) uint32 of hands that have 5 to 7 cards with the board."""
    card_keys, displacements, strengths = tables
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
    index = 0
    for j in range(count):
        index += choose[held[j], j + 1]
    return index


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
def _percentile(strengths: U16, mine: int, num_levels: int) -> int:
    """Which of `num_levels` equal parts of all hands on this board a strength lies in."""
    below, equal, blocked = 0, 0, 0
    for j in range(strengths.shape[0]):
        below += strengths[j] < mine
        equal += strengths[j] == mine
        blocked += strengths[j] == BLOCKED
    level = (2 * below + equal) * num_levels // (2 * (strengths.shape[0] - blocked))
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
    winning = outs[ranks] & ~board_outs
    if winning == 0:
        return 0
    return 1 if winning & (winning - 1) == 0 else 2


@njit(cache=True, nogil=True)
def assign_percentiles(
    cards: U8,
    players: int,
    levels: I64,
    combo_class: U8,
    missing: U16,
    outs: U16,
    tables: Tables,
    out: U32,
) -> None:
    """Buckets `out` (N, P, S) uint32 of deals: class before the flop, then how many hands the made
    hand beats on the board and which draw there is.

    `levels` (S,) parts by street (the first unused); `combo_class` (1326,); `missing` (M,) hands
    that a smaller deck lacks; `outs` (8192,) ranks that complete a straight, by ranks held.
    """
    board, (card_keys, displacements, strengths) = np.empty(5, np.uint8), tables
    rows, hand_strengths = np.empty((13, NUM_CARDS), np.uint16), np.empty(NUM_COMBOS, np.uint16)
    first = 2 * players
    for i in range(cards.shape[0]):
        for j in range(cards.shape[1] - first):
            board[j] = cards[i, first + j]
        for s in range(out.shape[2]):
            if s > 0:
                strengths_on_board(
                    board[: 2 + s], card_keys, displacements, strengths, rows, hand_strengths
                )
                for j in range(missing.shape[0]):
                    hand_strengths[missing[j]] = BLOCKED
            for p in range(players):
                a, b = int(cards[i, 2 * p]), int(cards[i, 2 * p + 1])
                low, high = min(a, b), max(a, b)
                combo = low * (101 - low) // 2 + high - 1
                if s == 0:
                    out[i, p, 0] = combo_class[combo]
                    continue
                level = _percentile(hand_strengths, hand_strengths[combo], levels[s])
                if s < 3:
                    draw = _draw(cards, i, uint64(low), uint64(high), first, 2 + s, outs)
                    level += levels[s] * draw
                out[i, p, s] = level
