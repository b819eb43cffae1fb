"""The dealer's hand as it may have been, given what a player at the table has seen of the game.

At a table a player sees its own cards, the open card and the result, not the dealer's hand. A
dealer's hand drawn from the cards not seen, again and again until it fits the result, has exactly
the distribution of the real one given all that; so what is learned from the two together is as good
as if the real one had been shown.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from riverboat.random_kernels import GOLDEN, mix
from riverboat.twentyone.dealing_kernels import Rules, signed

__all__ = ["LOST", "NO_FIT", "PUSHED", "UNTOLD", "WON", "dealer_in_hindsight"]

LOST, PUSHED, WON, UNTOLD = -1, 0, 1, 2
"""What a result says of the dealer's hand; after a bust it says nothing."""
NO_FIT = -1
TRIES = 4000


@njit(cache=True)
def dealer_in_hindsight(
    key: np.uint64,
    unseen: NDArray[np.int64],
    up: int,
    mine: int,
    told: int,
    rules: Rules,
) -> int:
    """Points of a dealer's hand that fits, 0 for a bust; NO_FIT where none was found.

    key: where chance begins; unseen (10,): cards not seen, by value; up: value − 1 of the open
    card; mine: the player's points; told: what the result says.
    """
    left = np.empty(10, np.int64)
    draw = np.uint64(0)
    for _ in range(TRIES):
        total, hand = 0, -2
        for v in range(10):
            left[v] = unseen[v]
            total += left[v]
        while hand == -2 or (hand >= 0 and rules.dealer_points[hand] < 17):
            word = mix(key + draw * GOLDEN)
            draw += np.uint64(1)
            mark = signed(((word >> np.uint64(32)) * np.uint64(total)) >> np.uint64(32))
            v = 0
            while mark >= left[v]:
                mark -= left[v]
                v += 1
            left[v] -= 1
            total -= 1
            known = hand != -2
            hand = int(
                rules.dealer_after[hand * 10 + v] if known else rules.dealer_first[v * 10 + up]
            )
        theirs = int(rules.dealer_points[hand]) if hand >= 0 else 0
        sign = (mine > theirs) - (mine < theirs)
        if told == UNTOLD or told == sign:
            return theirs
    return NO_FIT
