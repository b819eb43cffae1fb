"""Showdown, a small poker with a community card.

Thirteen cards of one suit, 1 to 13. Both players ante 1; each gets a card, and a community card is
open from the start. A card next to the community card makes a straight (no wrap-around). Any
straight beats any single card, and of two straights the higher wins. Without a straight the higher
card wins, but two cards that are both below the community card draw. The betting is Kuhn's: "p"
passes or folds, "b" bets 1 or calls.

Source: the "Showdown" project that Riverboat continues.

| parameter | default | meaning |
|---|---|---|
| cards | 13 | 3 to 13 cards in the deck |

With 13 cards: 624 infosets, 15,614 histories, value of the first player
−2487353/76854960 = −0.0323642482. By community card: 1–3: −49/792, 4: −31/506, 5: −10/187,
6: −13/270, 7: −155/3696, 8: −1/33, 9–13: 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from riverboat.errors import IllegalActionError
from riverboat.games.base import (
    CHANCE,
    TERMINAL,
    Action,
    PlainGame,
    Scene,
    SeatScene,
    Sees,
    Stakes,
    even_chances,
    face_up,
)

FACES = "A23456789TJQK"  # The card of each number, from 1 on
ENDINGS = ("pp", "pbp", "pbb", "bp", "bb")


def compare(first: int, second: int, community: int) -> int:
    """1 if the first card wins against the second, −1 if it loses, 0 for a draw."""
    straights = [abs(card - community) == 1 for card in (first, second)]
    if straights[0] != straights[1]:
        return 1 if straights[0] else -1
    if not straights[0] and max(first, second) < community:
        return 0
    return 1 if first > second else -1


@dataclass(frozen=True)
class Showdown(PlainGame):
    """The rules with the size of the deck."""

    cards: int = 13

    name: ClassVar[str] = "showdown"
    title: ClassVar[str] = "Showdown"
    summary: ClassVar[str] = "One card each and one in the middle; neighbours are a straight."
    art: ClassVar[tuple[str, ...]] = ("7s", "8s")
    num_players: ClassVar[int] = 2
    ranges: ClassVar[dict[str, tuple[int, int]]] = {"cards": (3, 13)}
    labels: ClassVar[dict[str, str]] = {"cards": "Cards in the deck"}
    words: ClassVar[dict[Action, str]] = {"p": "pass", "b": "bet"}

    @cached_property
    def deck(self) -> tuple[Action, ...]:
        return tuple(str(card) for card in range(1, self.cards + 1))

    def start(self) -> ShowdownState:
        return ShowdownState(self)


@dataclass(frozen=True)
class ShowdownState:
    """The cards in the order they are dealt (community, first player, second) and the betting."""

    game: Showdown
    cards: tuple[int, ...] = ()
    bets: str = ""

    @property
    def actor(self) -> int:
        if len(self.cards) < 3:
            return CHANCE
        return TERMINAL if self.bets in ENDINGS else len(self.bets) % 2

    def actions(self) -> tuple[Action, ...]:
        return ("p", "b") if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[Action, float], ...]:
        if self.actor != CHANCE:
            return ()
        return even_chances([card for card in self.game.deck if int(card) not in self.cards])

    def after(self, action: Action) -> ShowdownState:
        if action in self.actions():
            return ShowdownState(self.game, self.cards, self.bets + action)
        if self.actor == CHANCE and action in self.game.deck and int(action) not in self.cards:
            return ShowdownState(self.game, (*self.cards, int(action)), self.bets)
        raise IllegalActionError(f"showdown: {action!r} is not possible here.")

    def stakes(self) -> Stakes:
        facing = self.actor >= 0 and self.bets.endswith("b")
        return Stakes(2 + self.bets.count("b"), int(facing))

    def returns(self) -> tuple[float, ...]:
        if self.actor != TERMINAL:
            raise IllegalActionError("showdown: the play is not over.")
        if self.bets == "bp":
            gain = 1.0
        elif self.bets == "pbp":
            gain = -1.0
        else:
            gain = self.showdown() * (2.0 if self.bets.endswith("bb") else 1.0)
        return (gain, -gain)

    def infoset(self, player: int) -> str:
        return self.private(player) + self.public()

    def public(self) -> str:
        return f"|{self.bets}"

    def private(self, player: int) -> str:
        community = str(self.cards[0]) if self.cards else ""
        own = str(self.cards[1 + player]) if len(self.cards) > 1 + player else ""
        return f"{own}+{community}"

    def terms(self) -> str:
        return self.bets

    def showdown(self) -> int:
        community, first, second = self.cards
        return compare(first, second, community)

    def scene(self, sees: Sees) -> Scene:
        cards = [FACES[number - 1] + "s" for number in self.cards]
        seats = [SeatScene(face_up((card,), sees(p))) for p, card in enumerate(cards[1:])]
        return Scene(seats, board=cards[:1])

    def opens(self, seat: int) -> bool:
        """Nobody shows after a fold."""
        return not ("b" in self.bets and self.bets.endswith("p"))

    def describe(self, player: int | None) -> str:
        if not self.cards:
            return "no cards yet"
        shown = [str(c) if player in (None, p) else "?" for p, c in enumerate(self.cards[1:])]
        hands = "  ".join(f"player {p + 1} [{card}]" for p, card in enumerate(shown))
        moves = " ".join(self.game.action_label(move) for move in self.bets)
        return f"board [{self.cards[0]}]  {hands}   {moves or 'no action yet'}"
