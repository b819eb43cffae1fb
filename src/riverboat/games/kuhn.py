"""Kuhn poker.

Each player antes 1 and gets one card of a deck of players + 1 ranks. Players act in turn, pass
or bet: before a bet "p" checks and "b" bets 1; after it "p" folds and "b" calls. The play ends
when everybody has checked, or when everybody has answered the bet. The highest card among those
who put in the most takes the pot.

Source: H. W. Kuhn, "A simplified two-person poker" (1950); three players after Szafron, Gibson
and Sturtevant, "A parameterized family of equilibrium profiles for three-player Kuhn poker"
(AAMAS 2013), the rules that OpenSpiel's kuhn_poker has too.

| parameter | default | meaning |
|---|---|---|
| players | 2 | 2 to 5 |

| players | histories | infosets | value of the first player |
|---|---|---|---|
| 2 | 58 | 12 | −1/18 |
| 3 | 617 | 48 | no unique value |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riverboat.cards.card import RANKS
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


@dataclass(frozen=True)
class Kuhn(PlainGame):
    """The rules with their number of players."""

    players: int = 2

    name: ClassVar[str] = "kuhn"
    title: ClassVar[str] = "Kuhn poker"
    summary: ClassVar[str] = "Three cards and one bet, and still bluffing is right."
    art: ClassVar[tuple[str, ...]] = ("J", "Q", "K")
    ranges: ClassVar[dict[str, tuple[int, int]]] = {"players": (2, 5)}
    labels: ClassVar[dict[str, str]] = {"players": "Players"}
    words: ClassVar[dict[Action, str]] = {"p": "pass", "b": "bet"}

    @property
    def num_players(self) -> int:
        return self.players

    @property
    def deck(self) -> str:
        """The ranks in play, lowest first; the highest is always the king: J, Q, K for two."""
        return RANKS[11 - self.players : 12]

    def start(self) -> KuhnState:
        return KuhnState(self)


@dataclass(frozen=True)
class KuhnState:
    """The cards dealt so far, player by player, and the betting as a text of p and b."""

    game: Kuhn
    cards: str = ""
    bets: str = ""

    @property
    def actor(self) -> int:
        players = self.game.players
        if len(self.cards) < players:
            return CHANCE
        first_bet = self.bets.find("b")
        end = players if first_bet < 0 else first_bet + players
        return TERMINAL if len(self.bets) == end else len(self.bets) % players

    def actions(self) -> tuple[Action, ...]:
        return ("p", "b") if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[Action, float], ...]:
        if self.actor != CHANCE:
            return ()
        return even_chances([card for card in self.game.deck if card not in self.cards])

    def after(self, action: Action) -> KuhnState:
        if action in self.actions():
            return KuhnState(self.game, self.cards, self.bets + action)
        if self.actor == CHANCE and action in set(self.game.deck) - set(self.cards):
            return KuhnState(self.game, self.cards + action, self.bets)
        raise IllegalActionError(f"kuhn: {action!r} is not possible here.")

    def paid(self) -> list[int]:
        """What each player has put in, antes included."""
        players = range(self.game.players)
        return [1 + ("b" in self.bets[p :: self.game.players]) for p in players]

    def stakes(self) -> Stakes:
        return Stakes.of(self.paid(), self.actor)

    def returns(self) -> tuple[float, ...]:
        if self.actor != TERMINAL:
            raise IllegalActionError("kuhn: the play is not over.")
        players, paid = range(self.game.players), self.paid()
        pot, most = sum(paid), max(paid)
        winner = max((p for p in players if paid[p] == most), key=self.showdown().index)
        return tuple(float(pot * (p == winner) - paid[p]) for p in players)

    def infoset(self, player: int) -> str:
        return self.private(player) + self.public()

    def public(self) -> str:
        return f"|{self.bets}"

    def private(self, player: int) -> str:
        return self.cards[player : player + 1]

    def terms(self) -> tuple[int, ...]:
        return tuple(self.paid())

    def showdown(self) -> tuple[int, ...]:
        """The players in the order of their cards."""
        return tuple(sorted(range(self.game.players), key=lambda p: RANKS.index(self.cards[p])))

    def scene(self, sees: Sees) -> Scene:
        paid = self.paid()
        return Scene(
            [
                SeatScene(face_up(card, sees(p)), f"in the pot: {paid[p]}")
                for p, card in enumerate(self.cards)
            ]
        )

    def opens(self, seat: int) -> bool:
        """Nobody shows after a fold."""
        return not ("b" in self.bets and self.bets.endswith("p"))

    def describe(self, player: int | None) -> str:
        shown = (c if player in (None, p) else "?" for p, c in enumerate(self.cards))
        cards = "  ".join(f"player {p + 1} [{card}]" for p, card in enumerate(shown))
        moves = " ".join(self.game.action_label(m) for m in self.bets)
        return f"{cards}   {moves or 'no action yet'}"
