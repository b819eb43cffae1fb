"""Short deck, or six plus: no-limit hold'em with 36 cards, without twos, threes, fours and fives.

The ace also stands below the six, so A6789 is the lowest straight. A flush is above a full house,
because with nine cards of a suit it is rarer. A straight is above three of a kind, as at most
tables; `trips_beat_straights=true` is the other order. Every player posts an ante, and the button
a blind of its own, which is a bet: the player left of the button acts first on every street, and
the button last.

Source: the rules of the Triton series, and PokerKit 0.7, checked hand by hand against it.

The parameters are those of hold'em (`riverboat.holdem.rules.state`) with other defaults:

| parameter | default | meaning |
|---|---|---|
| ante | 2 | from each player |
| small_blind, big_blind | 0, 2 | without a small blind the big one is the button's |
| trips_beat_straights | false | whether three of a kind is above a straight |
| ranks | 9 | the six to the ace; nothing else is a short deck |
| players, stacks, limit, … | as in hold'em | |

With a small blind the two blinds are posted left of the button, as in hold'em.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from riverboat.cards.plain_strength import Strength
from riverboat.cards.short_deck import LOWEST_RANK as LOWEST_RANK
from riverboat.cards.short_deck import short_deck_hand, short_deck_strength
from riverboat.holdem.rules.seats import seat_names
from riverboat.holdem.rules.state import Holdem

RANKS = 9


@dataclass(frozen=True)
class ShortDeck(Holdem):
    """The rules with their parameters."""

    small_blind: int = 0
    ante: int = 2
    ranks: int = RANKS
    trips_beat_straights: bool = False

    name: ClassVar[str] = "shortdeck"
    title: ClassVar[str] = "Short deck"
    summary: ClassVar[str] = "Hold'em with 36 cards: antes, and a flush beats a full house."
    art: ClassVar[tuple[str, ...]] = ("As", "6s")
    other_way: ClassVar[str] = (
        "Short deck is too large to be solved whole; riverboat play shortdeck --against random"
        " needs no solution."
    )

    def card_checks(self) -> dict[str, bool]:
        return {
            f"a short deck has 9 ranks and 4 suits, not {self.ranks} and {self.suits}": (
                (self.ranks, self.suits) == (RANKS, 4)
            ),
            **super().card_checks(),
        }

    def usual_blinds(self) -> tuple[int, ...]:
        if self.small_blind:
            return super().usual_blinds()
        return (*[0] * (self.players - 1), self.big_blind)

    @property
    def seat_names(self) -> tuple[str, ...]:
        # Two seats fewer have a name: those of the blinds.
        return super().seat_names if self.small_blind else seat_names(self.players + 2)[2:]

    def best_hand(self, hole: Sequence[int], board: Sequence[int]) -> Strength:
        return short_deck_hand((*hole, *board), self.trips_beat_straights)

    def strength(self, hole: Sequence[int], board: Sequence[int]) -> Strength:
        return short_deck_strength((*hole, *board), self.trips_beat_straights)
