"""The pots of three players at a point of the betting: the main pot, side pots, and rake."""

from __future__ import annotations

from typing import NamedTuple

from riverboat.holdem.rules.betting import build_pots
from riverboat.holdem.spots.spot import Spot


class SidePot(NamedTuple):
    """Chips that some players contend for."""

    chips: float
    contenders: tuple[int, ...]


def side_pots(
    spot: Spot, put: tuple[float, ...], folded: tuple[int, ...]
) -> tuple[list[SidePot], list[float]]:
    """The pots, the main pot first, and the chips that each player gets back uncalled.

    `put` are the chips of each player since the spot began, `folded` those who gave up. Rake is not
    taken off.
    """
    called = sorted(put)[-2]
    matched = [min(chips, called) for chips in put]
    in_hand = [seat not in folded for seat in range(spot.num_players)]
    pots = [SidePot(*pot) for pot in build_pots(matched, in_hand, spot.pot)]
    return pots, [chips - own for chips, own in zip(put, matched, strict=True)]


def raked_pots(
    spot: Spot, put: tuple[float, ...], folded: tuple[int, ...]
) -> tuple[list[SidePot], list[float]]:
    """The same after rake: it counts all that was called and is taken from each pot alike."""
    pots, back = side_pots(spot, put, folded)
    total = sum(pot.chips for pot in pots)
    share_left = 1 - spot.rake(total) / total
    return [SidePot(share_left * pot.chips, pot.contenders) for pot in pots], back
