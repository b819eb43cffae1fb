"""Who gets which chips: layers of the pot, ties and odd chips."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

__all__ = ["Pot", "build_pots", "share_out"]

Pot = tuple[int, tuple[int, ...]]
"""Chips and the players who may win them, in seat order."""


def build_pots(paid: Sequence[int], in_hand: Sequence[bool], dead: int = 0) -> list[Pot]:
    """The main pot and the side pots, main pot first.

    A level is what somebody has put in; a level's chips are for the players in the hand who put
    in as much. Neighbouring levels for the same players are one pot, and a level whose players have
    all folded, though checking was free, belongs to the one below. `dead` chips lie in the main pot
    without counting as anybody's.
    """
    pots: list[Pot] = []
    below = 0
    for level in sorted(set(paid)):
        chips = dead + sum(level - below for amount in paid if amount >= level)
        dead = 0
        players = tuple(p for p, amount in enumerate(paid) if in_hand[p] and amount >= level)
        players = players or (pots[-1][1] if pots else ())
        while pots and pots[-1][1] == players:
            chips += pots.pop()[0]
        if chips:
            pots.append((chips, players))
        below = level
    return pots


def share_out(
    paid: Sequence[int],
    in_hand: Sequence[bool],
    strengths: Sequence[Any],
    dead: int = 0,
    split: bool = False,
) -> list[Fraction]:
    """What each player takes at the showdown.

    Hands that win nothing are thrown away first, so that pots which only such hands kept apart
    are one; then each pot is divided among its best hands and the chips that do not divide go to
    the first of them left of the button, or with `split` are cut into fractions.
    """
    winners = [False] * len(paid)
    for _, players in build_pots(paid, in_hand, dead):
        best = max(strengths[p] for p in players)
        for p in players:
            winners[p] = winners[p] or strengths[p] == best
    taken = [Fraction(0)] * len(paid)
    for chips, players in build_pots(paid, winners, dead):
        best = max(strengths[p] for p in players)
        tied = [p for p in players if strengths[p] == best]
        each, odd = (Fraction(chips, len(tied)), 0) if split else divmod(chips, len(tied))
        for p in tied:
            taken[p] += each
        taken[tied[0]] += odd
    return taken
