"""A player's choice before a spot begins: play on with a hand, or take a sum for it.

The re-solving gadget of Burch, Johanson and Bowling, "Solving imperfect information games using
decomposition" (AAAI 2014): a strategy that keeps every hand of the player at or below its sum gives
nothing away, whatever the player really holds. As a departure a part of the range must play on:

    weight of a hand = forced · range + (1 − forced) · even · P(plays on)

`even` gives all hands the same weight, with the range's sum. The sum is then exceeded by at most
forced / (1 − forced) of what is gained against the range. With forced = 1 nothing is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.vector_cfr import matched
from riverboat.runtime.array_types import F32, F64


class FirstChoice:
    """The choice of `player`, learned along with the spot."""

    def __init__(self, player: int, own: F64, met: F64, gain: F64, forced: float) -> None:
        """`own` (H,) range, `met` (H,) weight of the hands each meets, `gain` (H,) chips of the
        sum, counted as values of the spot are.
        """
        playable = met > 0
        even = playable * (own.sum() / max(1, int(playable.sum())))
        self.player = player
        self.stop: F64 = np.nan_to_num(gain) * met
        """(H,) value of taking the sum."""
        self.forced, self.free = forced * own, (1 - forced) * even
        self.regrets = np.zeros((2, len(own)))
        """(2, H) for playing on and for stopping."""

    @classmethod
    def at_root(cls, layout: Layout, player: int, bound: F64, forced: float) -> FirstChoice:
        """The choice at the root of a spot for two, with a `bound` (1326,) in chips of the pot."""
        combos = layout.combos[player]
        own = layout.weights[player][: len(combos)].astype(np.float64)
        gain = bound[combos] - layout.spot.pot / 2
        return cls(player, own, layout.meetings[player], gain, forced)

    def plays_on(self) -> F64:
        """(H,) the probability of playing on with each hand, by regret matching."""
        return np.asarray(matched(self.regrets)[0])

    def reach(self) -> F64:
        """(H,) the weights with which the player's hands come to the spot."""
        return np.asarray(self.forced + self.free * self.plays_on())

    def learn(self, values: F64, factors: Sequence[float] | F32) -> None:
        """Update the regrets from the `values` (H,) of playing on, with a solver's discounts."""
        on = self.plays_on()
        mean = on * values + (1 - on) * self.stop
        old = np.where(self.regrets > 0, factors[0], factors[1])
        self.regrets = self.regrets * old + np.stack([values, self.stop]) - mean
