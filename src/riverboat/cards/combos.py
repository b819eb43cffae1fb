"""The 1,326 hands of two cards, and the 169 classes they form before the flop.

Combos are pairs of cards low < high in lexicographic order of their numbers: 2c2d, 2c2h, 2c2s,
2c3c, … AhAs. The combo of (low, high) is low · (101 − low) // 2 + high − 1.

Classes 0…168 run row by row over the 13 × 13 grid that has aces first, pairs on the diagonal,
suited hands above and offsuit hands below: AA, AKs, … A2s, AKo, KK, KQs, … 22.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import RANKS, card_text, parse_cards
from riverboat.errors import ParameterError

NUM_COMBOS = 1326
NUM_CLASSES = 169


def _all_cards() -> NDArray[np.uint8]:
    low, high = np.triu_indices(52, k=1)
    cards = np.column_stack([low, high]).astype(np.uint8)
    cards.setflags(write=False)
    return cards


COMBO_CARDS = _all_cards()  # (1326, 2) uint8, the low and the high card of each combo


def combo_index(first: int, second: int) -> int:
    """The number 0…1325 of a hand of two cards, in either order."""
    low, high = min(first, second), max(first, second)
    if not 0 <= low < high < 52:
        raise ParameterError(f"{first} and {second} are not two different cards from 0 to 51.")
    return low * (101 - low) // 2 + high - 1


def combo_text(combo: int) -> str:
    """The hand's text, high card first, e.g. "AsKd"."""
    low, high = COMBO_CARDS[combo]
    return card_text(int(high)) + card_text(int(low))


def parse_combo(text: str) -> int:
    """The number of a hand such as "AsKd"."""
    cards = parse_cards(text)
    if len(cards) != 2:
        raise ParameterError(f"{text!r} is not a hand of two cards, such as AsKd.")
    return combo_index(cards[0], cards[1])


def _class_names() -> tuple[str, ...]:
    names = []
    for row in range(13):
        for column in range(13):
            high, low = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
            kind = "" if row == column else "s" if column > row else "o"
            names.append(high + low + kind)
    return tuple(names)


CLASS_NAMES = _class_names()  # The 169 names, "AA", "AKs", …, by class


@lru_cache(maxsize=1)
def class_of_combos() -> NDArray[np.uint8]:
    """(1326,) the class of each combo."""
    low, high = COMBO_CARDS[:, 0].astype(np.int64), COMBO_CARDS[:, 1].astype(np.int64)
    big, small = 12 - high // 4, 12 - low // 4
    suited = high % 4 == low % 4
    classes = np.where(suited, 13 * big + small, 13 * small + big).astype(np.uint8)
    classes.setflags(write=False)
    return classes


@lru_cache(maxsize=1)
def suit_permutations() -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """The 24 renamings of suits: cards (24, 52) uint8 and combos (24, 1326) uint16."""
    cards = np.array(
        [
            [card // 4 * 4 + suits[card % 4] for card in range(52)]
            for suits in permutations(range(4))
        ],
        dtype=np.uint8,
    )
    moved = cards[:, COMBO_CARDS].astype(np.int64)
    low, high = moved.min(axis=2), moved.max(axis=2)
    combos = (low * (101 - low) // 2 + high - 1).astype(np.uint16)
    return cards, combos
