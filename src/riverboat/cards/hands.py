"""Hands of k cards: every hand has a number, as the 1,326 combos of hold'em have.

Hands are sets of k cards in lexicographic order of their numbers, the lowest card first: for four
cards 2c2d2h2s, 2c2d2h3c, … AcAdAhAs, 270,725 of them. For k = 2 the numbers are those of
`riverboat.cards.combos`.

    >>> hand_number(parse_hand("AsKsQhJh"))
    269919
    >>> hand_text(hand_cards(4)[269919])
    'AsKsQhJh'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riverboat.cards.card import NUM_CARDS, card_text, parse_cards
from riverboat.errors import ParameterError

MAX_HOLE_CARDS = 5
"""More are not numbered: six cards are 20 million hands."""


def num_hands(hole_cards: int) -> int:
    """The number of hands of `hole_cards` cards from a whole deck."""
    if not 1 <= hole_cards <= MAX_HOLE_CARDS:
        raise ParameterError(f"A hand has 1 to {MAX_HOLE_CARDS} cards, not {hole_cards}.")
    return comb(NUM_CARDS, hole_cards)


@lru_cache(maxsize=MAX_HOLE_CARDS)
def hand_cards(hole_cards: int) -> NDArray[np.uint8]:
    """(N, k) uint8 the cards of every hand by its number, lowest card first."""
    num_hands(hole_cards)
    hands = np.arange(NUM_CARDS, dtype=np.uint8)[:, None]
    for _ in range(1, hole_cards):
        num_higher = NUM_CARDS - 1 - hands[:, -1].astype(np.int64)
        starts = np.cumsum(num_higher) - num_higher
        rows = np.repeat(np.arange(len(hands)), num_higher)
        higher = hands[rows, -1] + np.uint8(1) + (np.arange(len(rows)) - starts[rows])
        hands = np.column_stack([hands[rows], higher.astype(np.uint8)])
    hands.setflags(write=False)
    return hands


@lru_cache(maxsize=MAX_HOLE_CARDS)
def number_steps(hole_cards: int) -> NDArray[np.int64]:
    """(k, 52) what a card takes from the last number, by its place in the sorted hand.

    A hand's number is C(52, k) − 1 minus the steps of its cards; kernels use it so too.
    """
    steps = np.array(
        [
            [comb(51 - card, hole_cards - column) for card in range(52)]
            for column in range(hole_cards)
        ]
    )
    steps.setflags(write=False)
    return steps


def hand_numbers(cards: ArrayLike) -> NDArray[np.int64]:
    """The numbers (N,) of hands given as rows of different cards (N, k), in any order."""
    rows = np.sort(np.asarray(cards, np.int64), axis=1)
    hole_cards = rows.shape[1]
    steps = number_steps(hole_cards)
    last = num_hands(hole_cards) - 1
    return np.asarray(last - sum(steps[column, rows[:, column]] for column in range(hole_cards)))


def hand_number(cards: Sequence[int]) -> int:
    """The number of one hand of different cards."""
    return int(hand_numbers([list(cards)])[0])


def hand_text(cards: Iterable[int]) -> str:
    """The hand's text, highest card first, e.g. "AsKsQhJh"."""
    return "".join(card_text(int(card)) for card in sorted(cards, reverse=True))


def parse_hand(text: str, hole_cards: int = 4) -> list[int]:
    """The cards of a hand such as "AsKsQhJh", lowest first."""
    cards = parse_cards(text)
    if len(cards) != hole_cards:
        raise ParameterError(f"{text!r} has {len(cards)} cards; a hand here has {hole_cards}.")
    return sorted(cards)


def hand_masks(cards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """(N,) uint64 the cards of each row of `cards` (N, k) as bits."""
    bits = np.uint64(1) << cards.astype(np.uint64)
    return np.asarray(np.bitwise_or.reduce(bits, axis=1), np.uint64)


@lru_cache(maxsize=MAX_HOLE_CARDS)
def class_of_hands(hole_cards: int) -> NDArray[np.uint32]:
    """(N,) the class of each hand: hands that only differ by the names of suits are one class.

    Four cards form 16,432 classes, five 134,459. Classes are numbered by what they hold, those of
    low cards first.
    """
    cards = hand_cards(hole_cards).astype(np.int64)
    suits = np.zeros((len(cards), 4), np.int64)  # The ranks of each suit, as bits
    rows = np.arange(len(cards))
    for column in range(hole_cards):
        suits[rows, cards[:, column] & 3] |= 1 << (cards[:, column] >> 2)
    suits.sort(axis=1)
    keys = suits[:, 3] << 39 | suits[:, 2] << 26 | suits[:, 1] << 13 | suits[:, 0]
    _, classes = np.unique(keys, return_inverse=True)
    classes = np.asarray(classes, np.uint32)
    classes.setflags(write=False)
    return classes


@lru_cache(maxsize=MAX_HOLE_CARDS)
def class_sizes(hole_cards: int) -> NDArray[np.int64]:
    """(C,) how many hands each class has."""
    return np.asarray(np.bincount(class_of_hands(hole_cards)))


@lru_cache(maxsize=MAX_HOLE_CARDS)
def class_members(hole_cards: int) -> NDArray[np.int64]:
    """(C,) the number of the last hand of each class, which stands for it."""
    members = np.zeros(len(class_sizes(hole_cards)), np.int64)
    members[class_of_hands(hole_cards)] = np.arange(num_hands(hole_cards))
    return members
