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
from numba import njit, uint16, uint64
from numpy.typing import NDArray

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
    river_strengths: NDArray[np.uint16]
    """(M,) ascending within a board."""
    river_buckets: NDArray[np.uint16]
    """(M,)"""


@njit(cache=True, nogil=True)
def _strength(cards: Any, tables: Any) -> Any:
    return strength_of_cards(cards, tables.card_keys, tables.displacements, tables.strengths)


@njit(cache=True, nogil=True)
def river_bucket(board_index: Any, strength: Any, tables: Any) -> Any:
    """Bucket of a strength on a board, given by its index in isomorphism(5)."""
    low = uint64(tables.river_starts[uint64(board_index)])
    size = uint64(tables.river_starts[uint64(board_index) + uint64(1)]) - low
    while size > uint64(1):
        half = size >> uint64(1)
        low += half if tables.river_strengths[low + half] <= strength else uint64(0)
        size -= half
    return tables.river_buckets[low]


@njit(cache=True, nogil=True)
def bucket_of(street: Any, cards: Any, tables: Any) -> Any:
    """Bucket on a street 0…3 of `cards` (7,) uint8, the hand followed by the board."""
    if street >= RIVER and tables.river_starts.shape[0]:
        board = canonical_index(cards[2:], tables.board_index)
        return river_bucket(board, _strength(cards, tables), tables)
    if street >= TURN and tables.turn.shape[0]:
        return tables.turn[canonical_index(cards, tables.turn_index)]
    if street >= FLOP and tables.flop.shape[0]:
        return tables.flop[canonical_index(cards, tables.flop_index)]
    return tables.preflop[uint64(52) * uint64(cards[0]) + uint64(cards[1])]


@njit(cache=True, nogil=True)
def assign_deals(cards: Any, num_players: Any, tables: Any, out: Any) -> None:
    """Buckets of all players of many deals on the first S streets.

    `cards` (N, n) uint8: the hands one after the other, then as much of the board as S streets see.
    Writes `out` (N, P, S) uint32. A river's board is looked up once for all players.
    """
    hand, board = np.zeros(7, np.uint8), uint64(0)
    num_streets, first = out.shape[2], 2 * num_players
    by_strength = num_streets == 4 and tables.river_starts.shape[0] > 0
    for i in range(cards.shape[0]):
        for j in range(first, cards.shape[1]):
            hand[2 + j - first] = cards[i, j]
        if by_strength:
            board = uint64(canonical_index(hand[2:], tables.board_index))
        for player in range(num_players):
            hand[0], hand[1] = cards[i, 2 * player], cards[i, 2 * player + 1]
            for street in range(min(num_streets, RIVER)):
                out[i, player, street] = bucket_of(street, hand, tables)
            if by_strength:
                out[i, player, RIVER] = river_bucket(board, _strength(hand, tables), tables)
            elif num_streets == 4:
                out[i, player, RIVER] = out[i, player, TURN]


@njit(cache=True, nogil=True)
def fill_buckets(street: Any, cards: Any, tables: Any, out: Any) -> None:
    """`bucket_of` the rows of `cards` (N, 7) uint8 on one street; writes `out` (N,) uint16."""
    for i in range(uint64(cards.shape[0])):
        out[uint64(i)] = uint16(bucket_of(street, cards[uint64(i)], tables))
