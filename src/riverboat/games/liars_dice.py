"""Liar's dice with one die each.

Both players roll a die in secret. In turn they bid "quantity-face" ("2-5": at least two dice
show 5 or the wild face, which is the highest), each bid above the last: a larger quantity, or the
same quantity and a higher face. Instead of bidding a player may call "liar": the bidder wins 1 if
the bid holds for both dice together, otherwise the caller does.

Source: the rules of OpenSpiel's liars_dice; Lisý, Lanctot and Bowling, "Online Monte Carlo
counterfactual regret minimization" (AAMAS 2015), use it as a benchmark.

| parameter | default | meaning |
|---|---|---|
| faces | 6 | 2 to 6 sides of a die |

| faces | histories | infosets |
|---|---|---|
| 6 | 294,883 | 24,576 |
| f | f²(2^(2f+1) − 1) + f + 1 | f·4^f |
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
    even_chances,
)

LIAR = "liar"


@dataclass(frozen=True)
class LiarsDice(PlainGame):
    """The rules with the number of faces."""

    faces: int = 6

    name: ClassVar[str] = "liars_dice"
    title: ClassVar[str] = "Liar's dice"
    summary: ClassVar[str] = "One die each under a cup; bid higher or call the liar."
    art: ClassVar[tuple[str, ...]] = ("die2", "die6")
    small: ClassVar[bool] = False
    num_players: ClassVar[int] = 2
    labels: ClassVar[dict[str, str]] = {"faces": "Sides of a die"}
    ranges: ClassVar[dict[str, tuple[int, int]]] = {"faces": (2, 6)}

    @cached_property
    def bids(self) -> tuple[Action, ...]:
        """Every bid, lowest first."""
        return tuple(f"{q}-{face}" for q in (1, 2) for face in range(1, self.faces + 1))

    @cached_property
    def moves_above(self) -> dict[Action, tuple[Action, ...]]:
        """What may follow each bid; "" is the opening."""
        after = {bid: (*self.bids[i + 1 :], LIAR) for i, bid in enumerate(self.bids)}
        return {"": self.bids, LIAR: (), **after}

    @cached_property
    def rolls(self) -> tuple[tuple[Action, float], ...]:
        return even_chances([str(face) for face in range(1, self.faces + 1)])

    def start(self) -> LiarsDiceState:
        return LiarsDiceState(self)

    def action_label(self, action: Action) -> str:
        quantity, dash, face = action.partition("-")
        return f"{quantity} × {face}" if dash else action


@dataclass(frozen=True)
class LiarsDiceState:
    """The rolls, player by player, and the bids in order."""

    game: LiarsDice
    dice: str = ""
    bids: tuple[Action, ...] = ()

    @property
    def actor(self) -> int:
        if len(self.dice) < 2:
            return CHANCE
        return TERMINAL if self.bids and self.bids[-1] == LIAR else len(self.bids) % 2

    def actions(self) -> tuple[Action, ...]:
        if len(self.dice) < 2:
            return ()
        return self.game.moves_above[self.bids[-1] if self.bids else ""]

    def chance(self) -> tuple[tuple[Action, float], ...]:
        return self.game.rolls if len(self.dice) < 2 else ()

    def after(self, action: Action) -> LiarsDiceState:
        if len(self.dice) < 2:
            if action in dict(self.game.rolls):
                return LiarsDiceState(self.game, self.dice + action, self.bids)
        elif action in self.actions():
            return LiarsDiceState(self.game, self.dice, (*self.bids, action))
        raise IllegalActionError(f"liars_dice: {action!r} is not possible here.")

    def returns(self) -> tuple[float, ...]:
        if self.actor != TERMINAL:
            raise IllegalActionError("liars_dice: the play is not over.")
        bid, bidder = self.terms()
        quantity, _, face = bid.partition("-")
        matching = sum(die in (face, str(self.game.faces)) for die in self.dice)
        winner = bidder if matching >= int(quantity) else 1 - bidder
        return (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def infoset(self, player: int) -> str:
        return self.private(player) + self.public()

    def public(self) -> str:
        return f"|{','.join(self.bids)}"

    def private(self, player: int) -> str:
        return self.dice[player : player + 1]

    def terms(self) -> tuple[Action, int]:
        """The bid that is called, and who made it."""
        return self.bids[-2], len(self.bids) % 2

    def showdown(self) -> str:
        return self.dice

    def scene(self, sees: Sees) -> Scene:
        seats = []
        for p, face in enumerate(self.dice):
            bids = [self.game.action_label(bid) for bid in self.bids[p::2]]
            die = f"die{face if sees(p) else '?'}"
            seats.append(SeatScene((die,), bids[-1] if bids else ""))
        return Scene(seats, note=f"the {self.game.faces} is wild")

    def describe(self, player: int | None) -> str:
        shown = (d if player in (None, p) else "?" for p, d in enumerate(self.dice))
        dice = "  ".join(f"player {p + 1} [{die}]" for p, die in enumerate(shown))
        bids = ", ".join(self.game.action_label(bid) for bid in self.bids)
        return f"{dice}   {bids or 'no bid yet'}"
