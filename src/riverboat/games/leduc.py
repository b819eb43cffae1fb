"""Leduc hold'em.

Two players ante 1 and get one card each of a small deck. They bet, a community card is shown, and
they bet again. In each of the two rounds the first player acts first and two raises are allowed,
of 2 chips each in the first round and 4 in the second: "f" folds to a bet, "c" checks or calls,
"r" bets or raises. A hand that pairs the community card wins, otherwise the higher rank; equal
ranks share the pot.

Source: Southey et al., "Bayes' bluff: opponent modelling in poker" (UAI 2005); suits are kept
apart, as in OpenSpiel's leduc_poker.

| parameter | default | meaning |
|---|---|---|
| ranks | 3 | 2 to 13 ranks counted down from the king; the ace, the thirteenth, is lowest |
| suits | 2 | 1 to 4 cards of each rank; at least three cards in all |

| ranks | suits | histories | infosets | value of the first player |
|---|---|---|---|---|
| 3 | 2 | 9,457 | 936 | −0.0856064241 |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from riverboat.cards.card import ACE_LOW_RANKS, SUITS_DOWN
from riverboat.errors import IllegalActionError, ParameterError
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

RAISES = (2, 4)
MOVES = {
    "": ("c", "r"),
    "c": ("c", "r"),
    "r": ("f", "c", "r"),
    "cr": ("f", "c", "r"),
    "rr": ("f", "c"),
    "crr": ("f", "c"),
}
"""The betting of a round → what may follow; a round that is not here is over."""


@dataclass(frozen=True)
class Leduc(PlainGame):
    """The rules with the size of the deck."""

    ranks: int = 3
    suits: int = 2

    name: ClassVar[str] = "leduc"
    title: ClassVar[str] = "Leduc hold'em"
    summary: ClassVar[str] = "Two rounds, a card on the board: the fruit fly of poker research."
    art: ClassVar[tuple[str, ...]] = ("Qh", "Ks", "Kh")
    num_players: ClassVar[int] = 2
    ranges: ClassVar[dict[str, tuple[int, int]]] = {"ranks": (2, 13), "suits": (1, 4)}
    labels: ClassVar[dict[str, str]] = {"ranks": "Ranks", "suits": "Cards of each rank"}
    words: ClassVar[dict[Action, str]] = {"f": "fold", "c": "check/call", "r": "raise"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ranks * self.suits < 3:
            raise ParameterError("leduc: the deck needs at least three cards; add ranks or suits.")

    @cached_property
    def deck(self) -> tuple[str, ...]:
        """The cards, lowest rank first."""
        return tuple(
            r + s for r in ACE_LOW_RANKS[13 - self.ranks :] for s in SUITS_DOWN[: self.suits]
        )

    def start(self) -> LeducState:
        return LeducState(self)


@dataclass(frozen=True)
class LeducState:
    """The cards (players', then the community card) and the betting, rounds split by "/"."""

    game: Leduc
    cards: tuple[str, ...] = ()
    bets: str = ""

    @property
    def actor(self) -> int:
        if len(self.cards) < 2:
            return CHANCE
        current = self.bets.rpartition("/")[2]
        if current in MOVES:
            return len(current) % 2
        return TERMINAL if current.endswith("f") or len(self.cards) > 2 else CHANCE

    def actions(self) -> tuple[Action, ...]:
        if len(self.cards) < 2:
            return ()
        return MOVES.get(self.bets.rpartition("/")[2], ())

    def chance(self) -> tuple[tuple[Action, float], ...]:
        if self.actor != CHANCE:
            return ()
        return even_chances([card for card in self.game.deck if card not in self.cards])

    def after(self, action: Action) -> LeducState:
        if action in self.actions():
            return LeducState(self.game, self.cards, self.bets + action)
        if self.actor == CHANCE and action in self.game.deck and action not in self.cards:
            bets = self.bets + "/" if len(self.cards) == 2 else self.bets
            return LeducState(self.game, (*self.cards, action), bets)
        raise IllegalActionError(f"leduc: {action!r} is not possible here.")

    def paid(self) -> tuple[int, int]:
        """What each player has put in, antes included."""
        paid = [1, 1]
        for raise_size, moves in zip(RAISES, self.bets.split("/"), strict=False):
            for i, move in enumerate(moves):
                if move != "f":
                    paid[i % 2] = max(paid) + (raise_size if move == "r" else 0)
        return paid[0], paid[1]

    def stakes(self) -> Stakes:
        return Stakes.of(self.paid(), self.actor)

    def returns(self) -> tuple[float, ...]:
        if self.actor != TERMINAL:
            raise IllegalActionError("leduc: the play is not over.")
        paid = self.paid()
        if self.bets.endswith("f"):
            winner = len(self.bets.rpartition("/")[2]) % 2
        else:
            better = self.showdown()
            if not better:
                return (0.0, 0.0)
            winner = int(better < 0)
        gain = float(paid[1 - winner])
        return (gain, -gain) if winner == 0 else (-gain, gain)

    def infoset(self, player: int) -> str:
        return self.private(player) + self.public()

    def public(self) -> str:
        return f"|{self.bets}"

    def private(self, player: int) -> str:
        return "+".join(self.cards[player :: 2 - player])  # The own card and the community card

    def terms(self) -> tuple[tuple[int, int], bool]:
        return self.paid(), self.bets.endswith("f")

    def showdown(self) -> int:
        """1 if the first player's hand is the better one, −1 if the second's is, else 0."""
        if len(self.cards) < 3:
            return 0
        first, second, board = [card[0] for card in self.cards]
        if first == second:
            return 0
        if board in (first, second):
            return 1 if board == first else -1
        return 1 if ACE_LOW_RANKS.index(first) > ACE_LOW_RANKS.index(second) else -1

    def scene(self, sees: Sees) -> Scene:
        paid = self.paid()
        seats = [
            SeatScene(face_up((card,), sees(p)), f"in the pot: {paid[p]}")
            for p, card in enumerate(self.cards[:2])
        ]
        return Scene(seats, board=self.cards[2:])

    def opens(self, seat: int) -> bool:
        """Nobody shows after a fold."""
        return not self.bets.endswith("f")

    def describe(self, player: int | None) -> str:
        shown = [c if player in (None, p) else "??" for p, c in enumerate(self.cards[:2])]
        hands = "  ".join(f"player {p + 1} [{card}]" for p, card in enumerate(shown))
        board = f"  board [{self.cards[2]}]" if len(self.cards) > 2 else ""
        return f"{hands}{board}   pot {sum(self.paid())}   {self.bets or 'no action yet'}"
