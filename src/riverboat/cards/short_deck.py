"""Short deck: 36 cards from the six up, and their own order of hands.

Fewer cards make flushes rarer than full houses, so a flush is above a full house. The ace also
stands below the six: A6789 is the lowest straight. Most houses have a straight above three of a
kind; in some three of a kind is above a straight, which it is in the number of five-card hands.

    >>> from riverboat.cards.card import parse_cards
    >>> short_deck_hand(parse_cards("As 6d 7h 8c 9s Kd Kc"))
    (4, 7)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.plain_strength import (
    FLUSH,
    FULL_HOUSE,
    HIGH_CARD,
    PAIR,
    QUADS,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPS,
    TWO_PAIR,
    Strength,
    grouped_strength,
    strength,
)
from riverboat.errors import ParameterError

if TYPE_CHECKING:
    from riverboat.cards._strength_kernels import Tables

LOWEST_RANK = 4  # The six
LOW_CARDS = tuple(range(4 * LOWEST_RANK))  # Those that a deck of 36 cards does not have
CATEGORIES = (
    *(HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FULL_HOUSE, FLUSH, QUADS, STRAIGHT_FLUSH),
)
"""Categories from the lowest up, as most houses have them."""
TRIPS_FIRST = (
    *(HIGH_CARD, PAIR, TWO_PAIR, STRAIGHT, TRIPS, FULL_HOUSE, FLUSH, QUADS, STRAIGHT_FLUSH),
)
"""The same where three of a kind beats a straight."""


def check_deck(cards: Sequence[int]) -> None:
    """Refuse cards that a deck of 36 does not have."""
    for card in cards:
        if card in LOW_CARDS:
            raise ParameterError(
                f"{card_text(card)} is not in a deck of 36 cards, which begins with the six."
            )


def short_deck_hand(cards: Iterable[int], trips_beat_straights: bool = False) -> Strength:
    """What the best hand of at most seven cards is: its category and the ranks that decide."""
    return strength(cards, lowest=LOWEST_RANK, trips_first=trips_beat_straights)


def short_deck_strength(cards: Iterable[int], trips_beat_straights: bool = False) -> Strength:
    """How good the best hand of at most seven cards is; the greater tuple wins."""
    kind, *ranks = short_deck_hand(cards, trips_beat_straights)
    order = TRIPS_FIRST if trips_beat_straights else CATEGORIES
    return (order.index(kind), *ranks)


_FIRST_NUMBERS = {
    HIGH_CARD: 400, PAIR: 520, TWO_PAIR: 1024, TRIPS: 1276, STRAIGHT: 5853, FULL_HOUSE: 5859,
    QUADS: 6383,
}  # fmt: skip
_TRIPS_ABOVE_STRAIGHTS = {TRIPS: 5859, FULL_HOUSE: 6111}
"""The number of the lowest hand of each category that is not a flush.

Kernels add 5,863 to a high card's number for its flush and 1,599 to a straight's from 5,853 on. So
flushes are 6,263 to 6,382, straight flushes 7,452 to 7,457, and the others lie around them.
"""


@lru_cache(maxsize=2)
def short_deck_tables(trips_beat_straights: bool = False) -> Tables:
    """Tables of strengths in the order of short deck, for every kernel that takes tables.

    They differ from those of 52 cards in nothing but the number of a multiset of ranks. Numbers
    leave gaps: only their order means something.
    """
    from riverboat.cards._strength_kernels import BUCKET_SHIFT, EMPTY_SUM, RANK_SUM_SHIFT, Tables
    from riverboat.cards.strength import strength_tables

    first = _FIRST_NUMBERS | (_TRIPS_ABOVE_STRAIGHTS if trips_beat_straights else {})
    numbers: dict[Strength, int] = {}
    fives = combinations_with_replacement(range(LOWEST_RANK, 13), 5)
    values = {_of_ranks(five, trips_beat_straights) for five in fives if five[0] != five[4]}
    for kind, start in first.items():
        of_kind = sorted(value for value in values if value[0] == kind)
        numbers |= {value: start + number for number, value in enumerate(of_kind)}
    keys, displacements, standard = strength_tables().arrays
    strengths = np.zeros_like(standard)
    for size in (5, 6, 7):
        for ranks in combinations_with_replacement(range(LOWEST_RANK, 13), size):
            if max(map(ranks.count, ranks)) <= 4:
                total = int(EMPTY_SUM) + sum(int(keys[4 * rank]) for rank in ranks)
                total &= (1 << 64) - 1
                low_bits = total >> RANK_SUM_SHIFT & 0x1FFF
                slot = low_bits ^ int(displacements[total >> BUCKET_SHIFT]) << 1
                strengths[slot] = numbers[_of_ranks(ranks, trips_beat_straights)]
    strengths.setflags(write=False)
    return Tables(keys, displacements, strengths)


def _of_ranks(ranks: tuple[int, ...], trips_first: bool) -> Strength:
    return grouped_strength(ranks, LOWEST_RANK, trips_first)
