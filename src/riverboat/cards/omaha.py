"""Strength in Omaha: the best of exactly two cards of the hand and three of the board.

Strengths are the numbers 0…7461 of `riverboat.cards.strength`, for hands of two to five cards:

    >>> from riverboat.cards.strength import describe
    >>> describe(omaha_strength("AsKsQhJh", "Ts 9s 2s 2h 2d"))
    'flush, ace high with a king'

Four spades on the board and one in the hand are no flush, four equal cards in the hand are a pair.
On one board a pair of cards has one strength, so all hands on it follow from `pair_strengths`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riverboat.cards._omaha_kernels import (
    best_pairs,
    fill_rank_table,
    omaha_strengths_of_rows,
    pair_strengths_on_board,
)
from riverboat.cards._strength_kernels import BLOCKED as BLOCKED
from riverboat.cards.card import check_distinct, parse_cards
from riverboat.cards.hands import MAX_HOLE_CARDS, hand_cards
from riverboat.cards.strength import strength_tables
from riverboat.errors import ParameterError


def omaha_strength(hand: str | Sequence[int], board: str | Sequence[int]) -> int:
    """Strength of one hand of 2 to 5 cards on a board of 3 to 5."""
    mine, there = _numbers(hand), _numbers(board)
    check_distinct([*mine, *there])
    return int(omaha_strengths([mine], [there])[0])


def omaha_strengths(hands: ArrayLike, boards: ArrayLike) -> NDArray[np.uint16]:
    """Strengths (N,) of the rows of `hands` (N, 2…5) on those of `boards` (N, 3…5), or on one.

    The cards of a row and its board must all differ; otherwise its strength means nothing.
    """
    rows, there = _rows(hands), np.atleast_2d(_rows(boards))
    if rows.ndim != 2 or not 2 <= rows.shape[1] <= MAX_HOLE_CARDS:
        raise ParameterError(f"Hands of Omaha are an array (N, 2…5), not {rows.shape}.")
    if there.ndim != 2 or not 3 <= there.shape[1] <= 5 or len(there) not in (1, len(rows)):
        raise ParameterError(f"Boards are an array (N, 3…5), not {there.shape}.")
    there = np.ascontiguousarray(np.broadcast_to(there, (len(rows), there.shape[1])))
    out = np.empty(len(rows), np.uint16)
    omaha_strengths_of_rows(rows, there, _rank_table(), *strength_tables().arrays, out)
    return out


@lru_cache(maxsize=1)
def _rank_table() -> NDArray[np.uint16]:
    """(371293,) the strength of three ranks of a board with two of a hand, without flushes."""
    table = np.zeros(13**5, np.uint16)
    fill_rank_table(*strength_tables().arrays, table)
    table.setflags(write=False)
    return table


def pair_strengths(
    board: str | Sequence[int], out: NDArray[np.uint16] | None = None
) -> NDArray[np.uint16]:
    """(52, 52) strengths of all pairs of cards with three cards of a board of 3 to 5.

    1,081 different numbers on a river. BLOCKED where a card is on the board, and on the diagonal.
    """
    cards = np.array(_numbers(board), np.uint8)
    if not 3 <= len(cards) <= 5:
        raise ParameterError(f"A board has 3 to 5 cards, not {len(cards)}.")
    check_distinct(cards.tolist())
    pairs = np.empty((52, 52), np.uint16) if out is None else out
    pair_strengths_on_board(cards, *strength_tables().arrays, pairs)
    return pairs


def omaha_board_strengths(
    board: str | Sequence[int], hands: int | NDArray[np.uint8] = 4
) -> NDArray[np.uint16]:
    """Strengths of many hands on one board, BLOCKED where they overlap.

    Parameters
    ----------
    board
        3 to 5 cards.
    hands
        The number of hole cards, for all hands by their numbers (`riverboat.cards.hands`), or the
        cards (N, k) of some.
    """
    rows = hand_cards(hands) if isinstance(hands, int) else hands
    out = np.empty(len(rows), np.uint16)
    best_pairs(rows, pair_strengths(board), out)
    return out


def _numbers(cards: str | Sequence[int]) -> list[int]:
    return parse_cards(cards) if isinstance(cards, str) else _rows(list(cards)).tolist()


def _rows(cards: ArrayLike) -> NDArray[np.uint8]:
    array = np.asarray(cards)
    if array.size and (array.dtype.kind not in "iu" or array.max() > 51 or array.min() < 0):
        raise ParameterError("Cards are whole numbers from 0 to 51.")
    return np.ascontiguousarray(array, np.uint8)
