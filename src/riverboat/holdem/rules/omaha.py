"""Omaha: four cards a player, of which exactly two count with exactly three of the board.

Everything else is hold'em: seats, blinds, four streets of betting, side pots, and the names of
actions ("f", "c", "r60"). Betting is pot-limit: a raise is by at most the pot as it is after
calling. With blinds of 1 and 2 the first to act may raise to 7: 2 to call make a pot of 5, and the
raise is by 5. Four hearts on the board and one in the hand are no flush; four equal cards in the
hand are a pair.

Source: the rules of the Tournament Directors Association (pot-limit) and PokerKit 0.7, checked hand
by hand against it.

The parameters are those of hold'em (`riverboat.holdem.rules.state`) with other defaults:

| parameter | default | meaning |
|---|---|---|
| limit | "pot-limit" | or "no-limit", "fixed-limit" |
| hole_cards | 4 | 2 to 5; five-card Omaha has 5, for nine players at most |
| players, stacks, small_blind, big_blind, ante, … | as in hold'em | |

There are 270,725 hands of four cards, 16,432 apart from the names of suits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from riverboat.cards.plain_omaha import omaha_strength_of
from riverboat.cards.plain_strength import Strength
from riverboat.holdem.rules.state import Holdem

MAX_HOLE_CARDS = 5


@dataclass(frozen=True)
class Omaha(Holdem):
    """The rules with their parameters."""

    limit: str = "pot-limit"
    hole_cards: int = 4

    name: ClassVar[str] = "omaha"
    title: ClassVar[str] = "Omaha"
    summary: ClassVar[str] = "Pot-limit Omaha: four cards, of which exactly two count."
    art: ClassVar[tuple[str, ...]] = ("As", "Ks", "Qh", "Jh")
    other_way: ClassVar[str] = (
        "Omaha is too large to be solved whole; riverboat play omaha --against random needs no"
        " solution."
    )

    def card_checks(self) -> dict[str, bool]:
        return {
            f"a player has 2 to {MAX_HOLE_CARDS} hole cards, not {self.hole_cards}": (
                2 <= self.hole_cards <= MAX_HOLE_CARDS
            ),
            "three to five cards lie on the board at the end": 3 <= sum(self.board_cards) <= 5,
        }

    def best_hand(self, hole: Sequence[int], board: Sequence[int]) -> Strength:
        return omaha_strength_of(hole, board)
