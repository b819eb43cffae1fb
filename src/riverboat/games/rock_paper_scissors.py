"""Rock-paper-scissors, the smallest game whose equilibrium must be mixed.

Both players choose at the same time: the second chooses without knowing the first's choice. Paper
beats rock, scissors beat paper, rock beats scissors; the loser pays 1.

Source: folklore; von Neumann, "Zur Theorie der Gesellschaftsspiele" (1928), uses games like it.

| parameter | default | meaning |
|---|---|---|
| rock_stake | 1 | what a win with rock pays; other values move the equilibrium away from 1/3 each |

13 histories, 2 infosets, value 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from riverboat.errors import IllegalActionError, ParameterError
from riverboat.games.base import TERMINAL, Action, PlainGame, Scene, SeatScene, Sees, face_up

BEATS = {"r": "s", "p": "r", "s": "p"}


@dataclass(frozen=True)
class RockPaperScissors(PlainGame):
    """The rules, with the payoff of winning by rock."""

    rock_stake: float = 1.0

    name: ClassVar[str] = "rps"
    title: ClassVar[str] = "Rock-paper-scissors"
    summary: ClassVar[str] = "Rock, paper, scissors: the smallest game without a best move."
    art: ClassVar[tuple[str, ...]] = ("R", "P", "S")
    num_players: ClassVar[int] = 2
    labels: ClassVar[dict[str, str]] = {"rock_stake": "A win with rock pays"}
    words: ClassVar[dict[Action, str]] = {"r": "rock", "p": "paper", "s": "scissors"}

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rock_stake) and self.rock_stake > 0):
            raise ParameterError(f"rps: rock_stake must be above 0, not {self.rock_stake}.")

    def start(self) -> RockPaperScissorsState:
        return RockPaperScissorsState(self)


@dataclass(frozen=True)
class RockPaperScissorsState:
    """The choices made so far."""

    game: RockPaperScissors
    choices: str = ""

    @property
    def actor(self) -> int:
        return TERMINAL if len(self.choices) == 2 else len(self.choices)

    def actions(self) -> tuple[Action, ...]:
        return ("r", "p", "s") if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[Action, float], ...]:
        return ()

    def after(self, action: Action) -> RockPaperScissorsState:
        if action not in self.actions():
            raise IllegalActionError(f"rps: {action!r} is not possible here.")
        return RockPaperScissorsState(self.game, self.choices + action)

    def returns(self) -> tuple[float, ...]:
        if self.actor != TERMINAL:
            raise IllegalActionError("rps: the play is not over.")
        first, second = self.choices[0], self.choices[1]
        if first == second:
            return (0.0, 0.0)
        won = BEATS[first] == second
        stake = self.game.rock_stake if (first if won else second) == "r" else 1.0
        return (stake, -stake) if won else (-stake, stake)

    def infoset(self, player: int) -> str:
        return self.choices[player : player + 1] or "?"

    def scene(self, sees: Sees) -> Scene:
        seats = []
        for p in range(2):
            choice = self.choices[p : p + 1]
            label = self.game.action_label(choice) if choice and sees(p) else ""
            seats.append(SeatScene(face_up(choice.upper(), sees(p)), label))
        return Scene(seats)

    def describe(self, player: int | None) -> str:
        label = self.game.action_label
        shown = [label(c) if player in (None, p) else "?" for p, c in enumerate(self.choices)]
        return "  ".join(f"player {p + 1}: {text}" for p, text in enumerate(shown)) or "both choose"
