"""Omaha's hand strength in plain Python: the oracle of the compiled one, and the rules' own.

Exactly two cards of the hand go with three of the board. Strengths are those of `plain_strength`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from riverboat.cards.plain_strength import Strength, grouped_strength, strength


def omaha_strength_of(hole: Sequence[int], board: Sequence[int]) -> Strength:
    """How good the best hand of two hole cards and three of the board is."""
    pairs, threes = tuple(combinations(hole, 2)), tuple(combinations(board, 3))
    return max(_five_strength(*pair, *three) for pair in pairs for three in threes)


def _five_strength(*cards: int) -> Strength:
    """Strength of five cards; what ranks alone decide is kept."""
    if len({card & 3 for card in cards}) == 1:
        return strength(cards)
    return _strength_of_ranks(tuple(sorted(card >> 2 for card in cards)))


@lru_cache(maxsize=6_175)
def _strength_of_ranks(ranks: tuple[int, ...]) -> Strength:
    """Strength of five cards of more than one suit; there are 6,175 sets of ranks."""
    return grouped_strength(ranks)
