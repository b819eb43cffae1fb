"""Matching pennies where two heads pay double: the whole game in one file.

Both show a side of a coin at the same time. The first wins when the sides match: 2 for heads, 1 for
tails; otherwise the second wins 1. By the formula for 2 × 2 games the first shows heads with
probability 2/5 and the game is worth 1/5.

| parameter | default | meaning |
|---|---|---|
| heads | 2 | what two heads pay |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riverboat.errors import IllegalActionError
from riverboat.games.base import TERMINAL, Action


@dataclass(frozen=True)
class Penny:
    """The rules."""

    heads: float = 2.0

    name: ClassVar[str] = "penny"
    title: ClassVar[str] = "Matching pennies"
    small: ClassVar[bool] = True

    @property
    def num_players(self) -> int:
        return 2

    @property
    def utility_sum(self) -> float | None:
        return 0.0

    def start(self) -> PennyState:
        return PennyState(self)

    def action_label(self, action: Action) -> str:
        return {"h": "heads", "t": "tails"}.get(action, action)


@dataclass(frozen=True)
class PennyState:
    """The coins shown so far."""

    game: Penny
    shown: str = ""

    @property
    def actor(self) -> int:
        return TERMINAL if len(self.shown) == 2 else len(self.shown)

    def actions(self) -> tuple[Action, ...]:
        return ("h", "t") if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[Action, float], ...]:
        return ()

    def after(self, action: Action) -> PennyState:
        if action not in self.actions():
            raise IllegalActionError(f"penny: {action!r} is not possible here.")
        return PennyState(self.game, self.shown + action)

    def returns(self) -> tuple[float, ...]:
        if self.actor != TERMINAL:
            raise IllegalActionError("penny: the play is not over.")
        gain = {"hh": self.game.heads, "tt": 1.0}.get(self.shown, -1.0)
        return (gain, -gain)

    def infoset(self, player: int) -> str:
        return self.shown[player : player + 1] or "?"

    def describe(self, player: int | None) -> str:
        coins = [c if player in (None, p) else "?" for p, c in enumerate(self.shown)]
        return " ".join(coins) or "both show a coin"
