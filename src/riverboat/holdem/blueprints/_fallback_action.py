"""What to do where the abstract game has no such point: by the price and the made hand.

Before the flop hands are ordered by W. Chen's points, after it by how many hands they beat on the
board. The best raise, and the part of hands that calls falls with the price, the share of the pot
after calling that the call is.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.strength import BLOCKED, board_strengths

BASE, SLOPE = 0.62, 0.9
"""A hand calls when it is better than this part of all hands, and so much more by the price …"""
BEST = 0.93  # … and raises above this part (bets above BASE plus half of what is left)
_CHEN = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 10.0)
_GAPS = (0.0, 0.0, 1.0, 2.0, 4.0, 5.0)


def wanted(
    hands: NDArray[np.uint8], board: tuple[int, ...], price: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(N,) which of `hands` (N, 2) pay a price from 0 to 1, and which raise (or bet, at 0)."""
    beaten, (pays, raises) = part_beaten(hands, board), bounds(price)
    return beaten >= pays, beaten >= raises


def bounds(price: float) -> tuple[float, float]:
    """The part of all hands one must beat to pay a price, and to raise."""
    return (BASE + SLOPE * price, BEST) if price else (0.0, (1 + BASE) / 2)


def part_beaten(hands: NDArray[np.uint8], board: tuple[int, ...]) -> NDArray[np.float64]:
    """(N,) the part of all hands that each of `hands` (N, 2) beats."""
    strengths = board_strengths(board).astype(np.int64) if len(board) >= 3 else _points()
    valid = strengths[strengths != BLOCKED] if len(board) >= 3 else strengths
    low, high = np.sort(hands.astype(np.int64), axis=1).T
    mine = strengths[low * (101 - low) // 2 + high - 1]
    return np.asarray(np.searchsorted(np.sort(valid), mine) / len(valid), np.float64)


@lru_cache(maxsize=1)
def _points() -> NDArray[np.int64]:
    """(1326,) Chen's points, in halves."""
    low, high = COMBO_CARDS.astype(np.int64).T
    base = np.array(_CHEN)[high // 4]
    distance = high // 4 - low // 4
    points = np.where(distance == 0, np.maximum(2 * base, 5.0), base)
    points -= np.array(_GAPS)[np.minimum(distance, 5)]
    points += 2.0 * (low % 4 == high % 4)
    points += ((distance == 1) | (distance == 2)) & (high // 4 < 10)
    return np.asarray(np.rint(2 * points), np.int64)
