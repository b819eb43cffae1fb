"""What a player is: something that sees a View and picks one of its actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from riverboat.games.base import Action, Game, Stakes, State

__all__ = ["Player", "View"]


@dataclass(frozen=True)
class View:
    """What a player may know when it must act.

    The functions at the end are called only by whoever shows or explains the decision.
    """

    game: Game
    player: int
    infoset: str
    actions: Sequence[Action]
    scene: Callable[[], str] = lambda: ""
    """The scene in words as this player sees it (State.describe)."""
    stakes: Callable[[], Stakes | None] = lambda: None
    """Pot and price, in games that have them."""
    words: Callable[[Action], str] | None = None
    """An action in words that fit the moment: "call 1" where the game only says "bet"."""
    state: Callable[[], State] | None = None
    """The state itself, for bots of other packages whose interface is a state (interop)."""

    def label(self, action: Action) -> str:
        """An action in words, as exact as they are known."""
        return self.game.action_label(action) if self.words is None else self.words(action)


class Player(Protocol):
    """Picks an action. Randomness comes from the generator it is handed."""

    name: str

    def choose(self, view: View, rng: np.random.Generator) -> Action: ...
