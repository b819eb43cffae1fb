"""From cards to buckets inside kernels: a look-up a street, no search over hands.

Cards lie as the two of the hand followed by the board, `cards` (7,) uint8; streets are 0 preflop,
1 flop, 2 turn, 3 river, and only the first 2, 5, 6 or 7 cards are read.

* Preflop is an array by two cards.
* Flop and turn are arrays by the isomorphic index of hand and board.
* On the river a hand counts by its strength on the board: for each of the 134,459 boards that
  differ by more than suits, the strengths that occur there in ascending order, each with its
  bucket, found by bisection. What is lost against an array of all 123,156,254 classes is only which
  cards of opponents a hand blocks, beyond the average of the hands of equal strength.

A street without an array keeps the bucket of the street before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy import uint16, uint64
from numpy.typing import NDArray

from riverboat.array_types import U8, U16, U32, U64, Whole
from riverboat.cards.isomorphism_kernels import canonical_index
from riverboat.cards.strength_kernels import strength_of_cards

FLOP, TURN, RIVER = 1, 2, 3


class BucketTables(NamedTuple):
    """All that `bucket_of` reads; kernels take it as one argument."""

    card_keys: NDArray[np.uint64]
    """(256,) of strength_tables(), as the next two."""
    displacements: NDArray[np.uint16]
    """(16384,)"""
    strengths: NDArray[np.uint16]
    """(81920,)"""
    flop_index: NDArray[np.uint64]
    """The table of isomorphism(2, 3)."""
    turn_index: NDArray[np.uint64]
    """The table of isomorphism(2, 4)."""
    board_index: NDArray[np.uint64]
    """The table of isomorphism(5)."""
    preflop: NDArray[np.uint16]
    """(2704,) by 52 · one card + the other."""
    flop: NDArray[np.uint16]
    """(1286792,), or empty."""
    turn: NDArray[np.uint16]
    """(13960050,), or empty."""
    river_starts: NDArray[np.uint32]
    """(134460,) where each board's strengths begin, or empty."""
    river: NDArray[np.uint32]
    """(M,) strength << 16 | bucket, ascending within a board."""


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
    return tables.preflop[uint64(52) * uint64(cards[0]) + uint64(cards[1])]


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
def _assign_rivers(
    cards: U8,
    num_players: int,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    index: U64,
    starts: U32,
    river: U32,
    out: U32,
) -> None:
    """Buckets of rivers, `out` (N, P); a board is looked up once for all players.

    Boards (below 2¹⁸) and strengths (below 2¹³) come first, packed in `out`.
    """
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
            number, found = packed >> uint64(13), packed & uint64(0x1FFF)
            out[uint64(i), uint64(p)] = river_bucket(number, found, starts, river)


@njit(cache=True, nogil=True)
def assign_deals(cards: U8, num_players: int, tables: BucketTables, out: U32) -> None:
    """Buckets of all players of many deals on the first S streets, one street after the other.

    `cards` (N, n) uint8: the hands one after the other, then as much of the board as S streets see.
    Writes `out` (N, P, S) uint32.
    """
    num_streets, preflop = out.shape[2], tables.preflop
    for i in range(uint64(cards.shape[0])):
        for p in range(uint64(num_players)):
            place = uint64(52) * uint64(cards[uint64(i), uint64(2) * uint64(p)])
            place += uint64(cards[uint64(i), uint64(2) * uint64(p) + uint64(1)])
            out[uint64(i), uint64(p), 0] = preflop[place]
    for street in range(1, num_streets):
        if street == FLOP and tables.flop.shape[0]:
            _assign_by_index(cards, num_players, tables.flop_index, tables.flop, out[:, :, street])
        elif street == TURN and tables.turn.shape[0]:
            _assign_by_index(cards, num_players, tables.turn_index, tables.turn, out[:, :, street])
        elif street == RIVER and tables.river_starts.shape[0]:
            _assign_rivers(
                cards,
                num_players,
                tables.card_keys,
                tables.displacements,
                tables.strengths,
                tables.board_index,
                tables.river_starts,
                tables.river,
                out[:, :, street],
            )
        else:
            out[:, :, street] = out[:, :, street - 1]


@njit(cache=True, nogil=True)
def fill_buckets(street: int, cards: U8, tables: BucketTables, out: U16) -> None:
    """`bucket_of` the rows of `cards` (N, 7) uint8 on one street; writes `out` (N,) uint16."""
    for i in range(uint64(cards.shape[0])):
        out[uint64(i)] = uint16(bucket_of(street, cards[uint64(i)], tables))
