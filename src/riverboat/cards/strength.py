"""Hand strength of 5, 6 and 7 cards: one hand, many hands, or every hand on a board.

A strength is a number 0…7461, higher is better, equal hands have equal numbers: one for each of
the 7,462 hands of five cards that differ in value. Category and words follow from it.

    >>> strength("As Kd Qh Jc Ts")
    5862
    >>> describe(strength("KsKdKh3c3s 2d 2h"))
    'full house, kings over threes'
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riverboat.cards.card import CARDS, check_distinct, parse_cards
from riverboat.cards.categories import CATEGORY_NAMES
from riverboat.cards.one_hand import describe_score
from riverboat.cards.strength_kernels import (
    BLOCKED,
    first_repeat,
    strength_of_cards,
    strengths_of_masks,
    strengths_of_rows,
    strengths_of_sevens,
    strengths_on_board,
)
from riverboat.cards.strength_tables import strength_tables
from riverboat.errors import ParameterError

__all__ = [
    "BLOCKED",
    "CATEGORY_NAMES",
    "NUM_STRENGTHS",
    "board_strengths",
    "category",
    "category_starts",
    "describe",
    "mask_of",
    "strength",
    "strengths",
    "strengths_of_card_masks",
]

NUM_STRENGTHS = 7462
_BLOCK = 1024
"""Hands between two looks at the flushes: their cards and strengths stay in the first cache."""


def mask_of(cards: Sequence[int]) -> int:
    """The cards as bits: bit c is set when card c is there."""
    mask = 0
    for card in cards:
        mask |= 1 << int(card)
    return mask


def _checked(cards: str | Sequence[int], sizes: tuple[int, ...], what: str) -> list[int]:
    numbers = parse_cards(cards) if isinstance(cards, str) else [int(card) for card in cards]
    if len(numbers) not in sizes:
        wanted = f"{sizes[0]} to {sizes[-1]}"
        raise ParameterError(f"{what} has {wanted} cards, not {len(numbers)}.")
    if any(not 0 <= card < 52 for card in numbers):
        raise ParameterError("A card is a number from 0 to 51.")
    check_distinct(numbers)
    return numbers


def strength(cards: str | Sequence[int]) -> int:
    """Strength of one hand of 5, 6 or 7 cards, given as text or numbers."""
    numbers = _checked(cards, (5, 6, 7), "A hand to be ranked")
    return int(strength_of_cards(np.array(numbers, np.uint8), *strength_tables().arrays))


def strengths(
    cards: ArrayLike, out: NDArray[np.uint16] | None = None, *, check: bool = False
) -> NDArray[np.uint16]:
    """Strengths (N,) of the rows of `cards` (N, 5…7); each row must hold different cards.

    A row that holds a card twice has a strength that means nothing; `check` refuses it, at
    less than half the speed.
    """
    rows = _as_cards(cards)
    if rows.ndim != 2 or rows.shape[1] not in (5, 6, 7):
        raise ParameterError(f"Hands to be ranked are an array (N, 5…7), not {rows.shape}.")
    if check and (row := int(first_repeat(rows))) < len(rows):
        held = " ".join(CARDS[card] for card in rows[row])
        raise ParameterError(f"Row {row} ({held}) holds a card twice; a deck has one of each.")
    result = np.empty(len(rows), np.uint16) if out is None else out
    arrays = strength_tables().arrays
    if rows.shape[1] == 7:
        scratch = np.empty(_BLOCK, np.uint64)
        strengths_of_sevens(rows, *arrays, _suit_keys(), scratch, result)
    else:
        strengths_of_rows(rows, *arrays, result)
    return result


def _as_cards(cards: ArrayLike) -> NDArray[np.uint8]:
    """The cards as contiguous uint8, refused unless all are 0…51."""
    array = np.asarray(cards)
    if array.size and (array.dtype.kind not in "iu" or array.max() > 51 or _below_zero(array)):
        raise ParameterError("Cards are whole numbers from 0 to 51.")
    return np.ascontiguousarray(array, np.uint8)


def _below_zero(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "i" and bool(array.min() < 0)


@lru_cache(maxsize=1)
def _suit_keys() -> NDArray[np.uint64]:
    """(256,) at 64 · suit + card the card's key where it is of that suit, else zero."""
    keys = np.zeros((4, 64), np.uint64)
    cards = np.arange(52)
    keys[cards % 4, cards] = strength_tables().card_keys[:52]
    return keys.ravel()


@lru_cache(maxsize=1)
def _byte_keys() -> NDArray[np.uint64]:
    """(7, 256) sum of the card keys for each byte of a card mask."""
    keys = strength_tables().card_keys
    bits = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.uint64)
    return np.stack([bits @ keys[8 * byte : 8 * byte + 8] for byte in range(7)])


def strengths_of_card_masks(masks: ArrayLike) -> NDArray[np.uint16]:
    """Strengths (N,) of hands given as card masks (N,) uint64 with 5 to 7 bits set."""
    array = np.ascontiguousarray(masks, np.uint64)
    counts = np.bitwise_count(array)
    if array.size and (counts.min() < 5 or counts.max() > 7 or array.max() >> np.uint64(52)):
        raise ParameterError("A card mask to be ranked has 5 to 7 of the lowest 52 bits set.")
    result = np.empty(len(array), np.uint16)
    strengths_of_masks(array, _byte_keys(), *strength_tables().arrays, result)
    return result


def board_strengths(
    board: str | Sequence[int], out: NDArray[np.uint16] | None = None
) -> NDArray[np.uint16]:
    """Strengths (1326,) of every hand on a board of 3 to 5 cards, BLOCKED where they overlap."""
    numbers = np.array(_checked(board, (3, 4, 5), "A board"), np.uint8)
    result = np.empty(1326, np.uint16) if out is None else out
    strengths_on_board(numbers, *strength_tables().arrays, np.empty((13, 52), np.uint16), result)
    return result


@lru_cache(maxsize=1)
def category_starts() -> tuple[int, ...]:
    """The lowest strength of each of the nine categories."""
    categories = strength_tables().scores >> 20
    return tuple(int(start) for start in np.searchsorted(categories, np.arange(9)))


def category(value: int) -> int:
    """0 high card, 1 pair, … 8 straight flush."""
    return int(strength_tables().scores[_valid(value)]) >> 20


def _valid(value: int) -> int:
    if not 0 <= value < NUM_STRENGTHS:
        raise ParameterError(f"A strength is a number from 0 to 7461, not {value}.")
    return int(value)


def describe(value: int) -> str:
    """The strength in words, e.g. "two pair, aces and eights with a king"."""
    return describe_score(int(strength_tables().scores[_valid(value)]))
